//! Assembles lines from standard input, and tells what each reads and writes.
//!
//! `echo 'MOV R1, R2' | cargo run -p isadl --example registers -- spec/simt`

use std::path::PathBuf;

use isadl::engine::Loaded;
use isadl::source::SourceMap;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(specification) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err("usage: registers SPECIFICATION < LINES".into());
    };
    let sources = SourceMap::read(&[specification])?;
    let compilation = isadl::compile(&sources);
    let Some(isa) = compilation.into_isa() else {
        return Err("the specification has errors; `isadl check` shows them".into());
    };
    let loaded = Loaded::new(isa);
    let engine = loaded.engine();
    for line in std::io::stdin().lines() {
        let line = line?;
        let inst = match engine.assemble(&line) {
            Ok(inst) => inst,
            Err(error) => {
                println!("{line}\n    {error}");
                continue;
            }
        };
        println!("{}", engine.text(inst));
        for found in engine.uses(inst) {
            let resource = engine.isa().resource_text(found.resource);
            println!("    {} {resource}", found.effect.name());
        }
    }
    Ok(())
}
