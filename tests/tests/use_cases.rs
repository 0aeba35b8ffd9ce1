//! The smallest instruction sets that users reported, each a class of faults: they have no findings, and all texts of
//! instructions of up to 16 bits are read back.

use isadl::engine::Loaded;
use isadl_tests::{family, isadl, root};

#[test]
fn reported_instruction_sets_have_no_findings() {
    let folder = root().join("tests/fixtures/use");
    let files = std::fs::read_dir(&folder).expect("the folder is there");
    let mut names: Vec<String> = files
        .map(|file| file.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() > 8, "{names:?}");
    for name in names {
        let (status, output) = isadl(&folder, &["check", "-D", "warnings", &name]);
        assert_eq!(status, Some(0), "{name}: {output}");
        let loaded = Loaded::new(family(&format!("tests/fixtures/use/{name}")).into_first());
        let engine = loaded.engine();
        let width = engine.isa().width();
        for word in 0..if width > 16 { 0 } else { 1u128 << width } {
            let Ok(inst) = engine.decode(word) else { continue };
            let text = engine.text(inst);
            assert_eq!(engine.assemble(&text).ok(), Some(inst), "{name}: {text}");
        }
    }
}
