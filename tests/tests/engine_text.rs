//! The engine's printer and parser over images of instruction sets, of one generation and of all: the oracle's text of
//! random words, the same word for every line, errors at the same position. `ISADL_WORDS=1000000` with `--release` is
//! the long run.

use isadl::image::OwnedImage;
use isadl::isa::{Isa, OpcodeId};
use isadl_engine::decode::{RowId, decode};
use isadl_engine::image::Image;
use isadl_engine::parse::parse_within;
use isadl_engine::parse_error::{ParseError, Reason};
use isadl_engine::parse_line::OperandText;
use isadl_engine::print::print;
use isadl_engine::target::Target;
use isadl_engine::tokens::tokens;
use isadl_engine::word::Word;
use isadl_test_support::lines::{examples, fixtures, mutated};
use isadl_test_support::{Random, Set, compile, count, empty, gcn, odd, scattered, simt, words};

/// How many random instructions of an instruction set are tried.
fn tries() -> u64 {
    count("ISADL_WORDS", 4_000) as u64
}

/// An instruction set, and an image that contains it as one of its generations.
struct Subject<'i> {
    isa: &'i Set,
    image: Image<'i>,
    generation: usize,
}

impl<'i> Subject<'i> {
    fn new(isa: &'i Set, owned: &'i OwnedImage, generation: usize) -> Subject<'i> {
        Subject { isa, image: owned.view(), generation }
    }

    fn target(&self) -> Target {
        Target::new(self.generation, 0)
    }

    fn print(&self, row: RowId, word: Word) -> String {
        let mut buffer = vec![0; self.image.texts.room as usize];
        let len = print(&self.image, row, word, &mut buffer).expect("the buffer has room");
        assert_eq!(print(&self.image, row, word, &mut buffer[1..]), None);
        String::from_utf8(buffer[..len].to_vec()).expect("texts are UTF-8")
    }

    fn parse(&self, line: &str) -> Result<(RowId, Word), ParseError> {
        let lines = &self.image.lines;
        let mut words = vec![(0, 0); lines.max_words as usize];
        let mut pieces = vec![OperandText::EMPTY; lines.max_pieces as usize];
        parse_within(&self.image, self.target(), line, &mut words, &mut pieces)
    }

    /// The text of an instruction is the oracle's, and so is the word that it assembles to.
    fn check_word(&self, id: OpcodeId, random: &mut Random) {
        // Some opcodes are forbidden in nearly all words.
        let Some(inst) = words::instruction(self.isa, id, random) else { return };
        let text = self.isa.text(inst);
        let (row, word) = decode(&self.image, self.target(), inst.word).expect("the word is legal");
        assert_eq!(self.print(row, word), text, "word 0x{word:x}");
        match (self.isa.assemble(&text), self.parse(&text)) {
            (Ok(ours), Ok((_, theirs))) => assert_eq!(ours.word, theirs, "`{text}`"),
            (Err(_), Err(_)) => {}
            (ours, theirs) => panic!("`{text}`: {ours:?}, {theirs:?}"),
        }
        let mnemonic = &self.isa.mnemonic_of(self.isa.opcode(inst.opcode), inst.word);
        let mut joined = String::new();
        tokens(&text, mnemonic, self.image.texts.is_word_style, |_, piece| joined += piece);
        assert_eq!(joined, text);
    }

    /// Checks that a line is an instruction whose text reads back, or is refused for a reason at the same position.
    /// Returns whether it is an instruction.
    fn check_line(&self, line: &str) -> bool {
        match (self.isa.assemble(line), self.parse(line)) {
            (Ok(ours), Ok((row, theirs))) => {
                assert_eq!(ours.word, theirs, "`{line}`");
                let text = self.print(row, theirs);
                match self.parse(&text) {
                    Ok((again, word)) => assert_eq!(self.print(again, word), text, "`{line}`"),
                    // Another opcode has this text, which does not write numbers as the line does.
                    Err(ParseError { reason: Reason::Ambiguous(_), .. }) => {}
                    Err(error) => panic!("`{line}` is printed as `{text}`: {error:?}"),
                }
                true
            }
            (Err(ours), Err(theirs)) => {
                let column = line[..theirs.offset].chars().count() + 1;
                assert_eq!(ours.column, column, "`{line}`: {ours}; {theirs:?}");
                false
            }
            (ours, theirs) => panic!("`{line}`: {ours:?}, {theirs:?}"),
        }
    }

    fn check(&self, more: &[String]) {
        let mut random = Random::new(5);
        for _ in 0..tries() / self.isa.opcodes().len() as u64 + 1 {
            for id in self.isa.opcode_ids() {
                self.check_word(id, &mut random);
            }
        }
        for line in more {
            self.check_line(line);
        }
        let mut lines = examples(self.isa);
        for id in self.isa.opcode_ids() {
            let inst = words::instruction(self.isa, id, &mut random);
            lines.extend(inst.map(|inst| self.isa.text(inst)));
        }
        // Without the ending that names the encoding.
        let bare = lines.iter().filter(|line| line.contains("_e"));
        let bare = bare.map(|line| line.replacen("_e32", "", 1).replacen("_e64", "", 1));
        lines = lines.iter().cloned().chain(bare).collect();
        let mut assembled = 0u64;
        for line in &lines {
            self.check_line(line);
            for _ in 0..tries() / lines.len() as u64 + 1 {
                assembled += u64::from(self.check_line(&mutated(line, &mut random)));
            }
        }
        assert!(assembled > tries() / 100, "only {assembled} mutated lines assembled");
    }
}

fn image(isa: &Isa) -> OwnedImage {
    OwnedImage::of(isa)
}

#[test]
fn text_of_simt() {
    let isa = simt();
    Subject::new(isa, &image(isa), 0).check(&fixtures());
}

#[test]
fn text_of_the_odd_instruction_set() {
    let isa = odd();
    Subject::new(isa, &image(isa), 0).check(&fixtures());
}

#[test]
fn text_of_each_generation_of_gcn_alone() {
    for isa in gcn().isas() {
        Subject::new(isa, &image(isa), 0).check(&[]);
    }
}

#[test]
fn text_of_each_generation_of_gcn_in_one_image() {
    let family = gcn();
    let merged = family.merged();
    let merged = merged.items();
    let owned = image(merged);
    for (number, index) in owned.generations.iter().enumerate() {
        let name = &merged.generations()[*index];
        let isa = family.generation(name).expect("the names are those of the family");
        Subject::new(isa, &owned, number).check(&[]);
    }
}

/// Fields that are so wide that no table has an entry for each value.
const WIDE: &str = r#"
__DefIsa WIDE<128>

__DefRegFile GPR<32, 65535>

__DefOperandType Reg<20>
    r[0..65534] = 0 : GPR align 512;
    sp = 70000 : GPR[5];

__DefOperandType Base<16>
    r[0..65534] = 0 : GPR;

__DefBitFieldType Mode<30>
    NoMode;
    FAST = 123456789;
    SLOW = 77;

__DefBitFieldType Part<14>
    NoPart;
    LOW = 16000;
    HIGH = 16001;

__DefBitFieldType Ext<13>
    NoX;
    X = 5000;

__DefBitFieldType Flag<1>
    False;
    True;

__DefImmediate Offset<16>
    Number = signed;

__DefImmediate Code<8>
    Number = unsigned;

__DefGroup ALL : []

__DefOptype move : [ALL]
  __Encoding
    field<0, 20> Reg dst;
    field<20, 20> Reg src;
    field<40, 30> Mode mode = NoMode;
    field<70, 14> Part src.part = NoPart;
    field<84, 1> Flag src.neg = False;
    field<85, 13> Ext ext = NoX;
  __OperandInfo
    InList<src>;
    OutList<dst>;
    Order<dst, src>;
    Bitwidth<src> = 64;
    Bitwidth<dst> = 32;
    AsmFormat<src.neg> = CvtINegX(src.neg, ext);

__DefOpcode MOVE : [move]
  __Encoding
    field<120, 8> Code opcode == 5;

__DefOptype load : [ALL]
  __Encoding
    field<0, 20> Reg dst;
    field<20, 16> Base base;
    field<40, 16> Offset offset = 0;
  __OperandInfo
    InList<r[base, offset]>;
    OutList<dst>;
    Order<dst, r[base, offset]>;
    Bitwidth<dst> = 32;

__DefOpcode LOAD : [load]
  __Encoding
    field<120, 8> Code opcode == 6;
"#;

#[test]
fn text_of_wide_fields() {
    check_wide(WIDE);
}

#[test]
fn text_of_wide_fields_in_pieces() {
    check_wide(&scattered(WIDE));
}

fn check_wide(text: &str) {
    let (_, compilation) = compile(&[("wide.isa", text)]);
    let found = format!("{:?}", compilation.diagnostics);
    let isa = Set::from(compilation.into_isa().unwrap_or_else(|| panic!("{found}")));
    let owned = image(&isa);
    // Small tables, whatever the fields are.
    assert!(owned.view().texts.chunks.len() < 1000);
    let subject = Subject::new(&isa, &owned, 0);
    for line in [
        "MOVE.FAST r512, -r[1024:1025].LOW",
        "MOVE.FAST.X sp, ~r[1024:1025].HIGH",
        "MOVE.X sp, -r[1024:1025].HIGH",
        "MOVE sp, r[1023:1024]",
        "MOVE r511, sp",
        "LOAD r512, r[r513+7]",
        "LOAD r512, r[r65534-7]",
    ] {
        subject.check_line(line);
    }
    subject.check(&[]);
}

#[test]
fn an_empty_instruction_set_knows_no_line() {
    let isa = Set::from(empty().into_first());
    let owned = image(&isa);
    let subject = Subject::new(&isa, &owned, 0);
    for line in ["", "ADD", "@P0 ADD R0, R1", "A.B.C $x=1 ;", "ADD /", "."] {
        assert!(!subject.check_line(line), "{line}");
    }
}
