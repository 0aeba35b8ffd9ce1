//! Small specifications held against llvm-mc 19, on recorded and on random words.

use isadl::engine::Loaded;

use crate::llvm::Llvm;
use crate::{Random, bless, compile, root};

/// A specification, and the arguments of llvm-mc for the same instruction set.
pub struct Compared {
    /// The name of the folder and of the specification in it.
    pub name: &'static str,
    /// The folder of such folders, in `tests/fixtures`.
    pub folder: &'static str,
    /// The arguments of llvm-mc.
    pub arguments: &'static [&'static str],
}

impl Compared {
    fn path(&self, file: &str) -> std::path::PathBuf {
        root().join("tests/fixtures").join(self.folder).join(self.name).join(file)
    }

    fn read(&self, file: &str) -> String {
        let path = self.path(file);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// The specification, compiled.
    pub fn loaded(&self) -> Loaded {
        let text = self.read(&format!("{}.isa", self.name));
        let (_, compilation) = compile(&[("small.isa", &text)]);
        let family = compilation.family.unwrap_or_else(|| panic!("{} is not compiled", self.name));
        Loaded::new(family.first().clone())
    }

    /// Legal instructions as bytes, `count` for each printed mnemonic of each opcode.
    fn samples(&self, loaded: &Loaded, count: usize, seed: u64) -> Vec<Vec<u8>> {
        let (engine, mut random) = (loaded.engine(), Random::new(seed));
        let mut samples = Vec::new();
        for opcode in loaded.isa().opcodes() {
            let mut of_opcode = 0;
            for mnemonic in loaded.isa().mnemonics(opcode).iter().filter(|m| m.is_printed) {
                let mut found = 0;
                // A rule may forbid all words of a mnemonic.
                for _ in 0..count * 1_000 {
                    if found == count {
                        break;
                    }
                    let bits = u128::from(random.next_u64()) & opcode.width_mask;
                    let mask = match random.below(3) {
                        0 => u128::from(random.next_u64()),
                        _ => u128::MAX,
                    };
                    let fixed = opcode.mask | mnemonic.fields.mask;
                    let word = bits & mask & !fixed | opcode.value | mnemonic.fields.value;
                    let bytes = loaded.isa().word_layout().to_bytes(word);
                    if let Ok((inst, length)) = engine.decode_bytes(&bytes)
                        && loaded.isa().opcode(inst.opcode).name == opcode.name
                    {
                        samples.push(engine.bytes(inst)[..length].to_vec());
                        found += 1;
                    }
                }
                of_opcode += found;
            }
            assert!(of_opcode >= count, "{} has few words", opcode.name);
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

    /// Checks the recorded instructions; there must be at least `least` per opcode.
    pub fn check_recorded(&self, least: usize) {
        let loaded = self.loaded();
        let mut count = 0;
        for line in self.read("llvm.tsv").lines().skip(1) {
            let (bytes, theirs) = line.split_once('\t').expect("bytes and a text");
            let byte = |text: &str| u8::from_str_radix(text, 16).expect("a byte");
            let bytes: Vec<u8> = bytes.split(' ').map(byte).collect();
            self.check(&loaded, &bytes, theirs);
            count += 1;
        }
        assert!(count >= least * loaded.isa().opcodes().len(), "{} has {count}", self.name);
    }

    /// Checks `count` random instructions per mnemonic; records `recorded` of each when blessing.
    pub fn check_random(&self, llvm: &Llvm, (recorded, count): (usize, usize)) {
        let loaded = self.loaded();
        let (count, seed) = if bless() { (recorded, 1) } else { (count, 2) };
        let samples = self.samples(&loaded, count, seed);
        let theirs = llvm.disassemble_each(self.arguments, &samples);
        let mut table = format!("# llvm-mc-19 {} --disassemble\n", self.arguments.join(" "));
        for (bytes, theirs) in samples.iter().zip(&theirs) {
            // Some texts have a remark after them.
            let theirs = theirs.split(" //").next().unwrap_or_default().replace('%', "");
            self.check(&loaded, bytes, &theirs);
            table += &format!("{}\t{theirs}\n", isadl::hex::write_bytes(bytes));
        }
        if bless() {
            std::fs::write(self.path("llvm.tsv"), table).expect("the folder is there");
        }
    }
}
