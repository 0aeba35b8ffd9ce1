//! Orders of bytes, units and bits: small specifications against llvm-mc 19, on recorded and random words.
//!
//! The recorded texts are in `tests/fixtures/orders`; their first lines are the commands. Registers of
//! z/Architecture are written without the `%` that LLVM puts before them.

use isadl::engine::Loaded;
use isadl_tests::llvm::Llvm;
use isadl_tests::{Random, compile};

struct Compared {
    name: &'static str,
    arguments: &'static [&'static str],
    text: &'static str,
    recorded: &'static str,
}

macro_rules! compared {
    ($name:literal, $($argument:literal),*) => {
        Compared {
            name: $name,
            arguments: &[$($argument),*],
            text: include_str!(concat!("../fixtures/orders/", $name, "/", $name, ".isa")),
            recorded: include_str!(concat!("../fixtures/orders/", $name, "/llvm.tsv")),
        }
    };
}

static COMPARED: [Compared; 3] = [
    compared!("power", "--triple=powerpc64-unknown-unknown", "--ppc-asm-full-reg-names"),
    compared!("thumb", "--triple=thumbv7m"),
    compared!("systemz", "--triple=systemz", "--mcpu=z13"),
];

impl Compared {
    fn loaded(&self) -> Loaded {
        let (_, compilation) = compile(&[("orders.isa", self.text)]);
        let family = compilation.family.unwrap_or_else(|| panic!("{} is not compiled", self.name));
        Loaded::new(family.first().clone())
    }

    /// Legal instructions as bytes, so many of each opcode.
    fn samples(&self, loaded: &Loaded, count: usize, seed: u64) -> Vec<Vec<u8>> {
        let (engine, mut random) = (loaded.engine(), Random::new(seed));
        let mut samples = Vec::new();
        for opcode in loaded.isa().opcodes() {
            let mut found = 0;
            while found < count {
                let bits = u128::from(random.next_u64()) & opcode.within;
                let mask =
                    if random.below(3) == 0 { u128::from(random.next_u64()) } else { u128::MAX };
                let word = bits & mask & !opcode.mask | opcode.value;
                let bytes = loaded.isa().order().to_bytes(word);
                if let Ok((inst, length)) = engine.decode_bytes(&bytes)
                    && loaded.isa().opcode(inst.opcode).name == opcode.name
                {
                    samples.push(engine.bytes(inst)[..length].to_vec());
                    found += 1;
                }
            }
        }
        samples
    }

    fn check(&self, loaded: &Loaded, bytes: &[u8], theirs: &str) {
        let engine = loaded.engine();
        let decoded = engine.decode_bytes(bytes);
        let (inst, length) = decoded.unwrap_or_else(|e| panic!("{bytes:02x?} {theirs}: {e:?}"));
        assert_eq!((engine.text(inst).as_str(), length), (theirs, bytes.len()), "{bytes:02x?}");
        let read = engine.assemble(theirs).unwrap_or_else(|e| panic!("{theirs}: {e}"));
        assert_eq!(&engine.bytes(read)[..length], bytes, "{theirs}");
        // More bytes after an instruction do not matter, and fewer are too few.
        let mut more = bytes.to_vec();
        more.extend([0xff; 4]);
        assert_eq!(engine.decode_bytes(&more), Ok((inst, length)));
        assert!(engine.decode_bytes(&bytes[..length - 1]).is_err(), "{theirs}");
        let mut hex = Vec::new();
        engine.append_hex(inst, &mut hex);
        assert_eq!(engine.read_hex(&hex), Ok(inst.word), "{theirs}");
    }
}

#[test]
fn recorded_instructions_are_those_of_llvm() {
    for compared in &COMPARED {
        let loaded = compared.loaded();
        let mut count = 0;
        for line in compared.recorded.lines().skip(1) {
            let (bytes, theirs) = line.split_once('\t').expect("bytes and a text");
            let byte = |text: &str| u8::from_str_radix(text, 16).expect("a byte");
            let bytes: Vec<u8> = bytes.split(' ').map(byte).collect();
            compared.check(&loaded, &bytes, theirs);
            count += 1;
        }
        assert!(count >= 10 * loaded.isa().opcodes().len(), "{} has {count}", compared.name);
    }
}

#[test]
fn random_instructions_are_those_of_llvm() {
    let Some(llvm) = Llvm::find() else {
        eprintln!("skipped: llvm-mc 19 is not installed");
        return;
    };
    let is_recording = std::env::var_os("BLESS").is_some();
    for compared in &COMPARED {
        let loaded = compared.loaded();
        let (count, seed) = if is_recording { (12, 1) } else { (200, 2) };
        let samples = compared.samples(&loaded, count, seed);
        let theirs = llvm.disassemble_each(compared.arguments, &samples);
        let mut table = format!("# llvm-mc-19 {} --disassemble\n", compared.arguments.join(" "));
        for (bytes, theirs) in samples.iter().zip(&theirs) {
            let theirs = theirs.replace('%', "");
            compared.check(&loaded, bytes, &theirs);
            table += &format!("{}\t{theirs}\n", isadl::hex::write_bytes(bytes));
        }
        if is_recording {
            let root = env!("CARGO_MANIFEST_DIR");
            let path = format!("{root}/fixtures/orders/{}/llvm.tsv", compared.name);
            std::fs::write(&path, table).expect("the folder is there");
        }
    }
}
