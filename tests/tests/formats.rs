//! Texts in other appearances: what they look like, that the assembler reads them as the same words, and that generated
//! crates write them as the engine does.

use isadl::engine::{Case, Commas, Inst, Radix, SymbolStyle, TextFormat, TextOptions, TokenKind};
use isadl_test_support::{Random, Set, count, first, gcn, riscv_with, simt, words};

fn format(change: impl Fn(&mut TextFormat)) -> TextFormat {
    let mut format = TextFormat::new();
    change(&mut format);
    format
}

/// All appearances that change no letters, and some of them together.
fn formats() -> Vec<TextFormat> {
    vec![
        format(|own| own.radix = Radix::Hexadecimal),
        format(|own| own.radix = Radix::Decimal),
        format(|own| own.radix = Radix::Binary),
        format(|own| own.digits = Case::Upper),
        format(|own| own.commas = Commas::Tight),
        format(|own| own.commas = Commas::Spaced),
        format(|own| own.column = 12),
        format(|own| {
            own.radix = Radix::Hexadecimal;
            own.digits = Case::Upper;
            own.commas = Commas::Tight;
            own.column = 8;
        }),
    ]
}

/// Those of letters.
fn cases() -> Vec<TextFormat> {
    vec![
        format(|own| (own.mnemonics, own.names) = (Case::Upper, Case::Upper)),
        format(|own| own.mnemonics = Case::Upper),
        format(|own| (own.mnemonics, own.names) = (Case::Lower, Case::Lower)),
    ]
}

fn random_insts(set: &Set, random: &mut Random) -> Vec<Inst> {
    let each = count("ISADL_TEXTS", 6);
    let ids: Vec<_> = set.opcode_ids().collect();
    let one = |id, random: &mut Random| words::instruction(set, id, random);
    ids.into_iter()
        .flat_map(|id| (0..each).filter_map(|_| one(id, random)).collect::<Vec<_>>())
        .collect()
}

/// Whether each text is read as the canonical one is; returns how many differ from it. Of a thousand, so many may be
/// refused, because numbers in them are words of the syntax. None is read as another instruction.
fn read_back_but(set: &Set, formats: &[TextFormat], seed: u64, most: usize) -> usize {
    let engine = set.engine();
    let mut random = Random::new(seed);
    let (mut changed, mut refused, mut wrong) = (0, 0, Vec::new());
    for inst in random_insts(set, &mut random) {
        let canonical = engine.text(inst);
        // Some texts belong to several instructions.
        let Ok(own) = engine.assemble(&canonical) else { continue };
        for format in formats {
            let text = engine.text_with(inst, TextOptions::formatted(*format));
            changed += usize::from(text != canonical);
            let read = engine.assemble(&text);
            let is_radix = format.radix != Radix::Specified;
            refused += usize::from(is_radix && read.is_err());
            if most > 0 && is_radix && read.is_err() {
                continue;
            }
            let same = |line: &String| line.starts_with(&engine.isa().opcode(inst.opcode).name);
            if read.as_ref() != Ok(&own) && wrong.len() < 40 && !wrong.iter().any(same) {
                let name = &engine.isa().opcode(inst.opcode).name;
                let error = read.err().map(|error| error.message);
                wrong.push(format!("{name}: {canonical:?} as {text:?}: {error:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused * 1000 <= changed * most, "{refused} of {changed}");
    changed
}

fn read_back(set: &Set, formats: &[TextFormat], seed: u64) -> usize {
    read_back_but(set, formats, seed, 0)
}

#[test]
fn appearances_are_read_back() {
    let mut changed = vec![
        read_back(simt(), &formats(), 1),
        read_back_but(first("spec/a64"), &formats(), 2, 100),
    ];
    changed.extend(gcn().isas().iter().map(|set| read_back(set, &formats(), 3)));
    // The empty set of `fence` is called `0`.
    let riscv = riscv_with(&["most"]).isas().iter();
    changed.extend(riscv.map(|set| read_back_but(set, &formats(), 4, 1)));
    assert!(changed.iter().all(|changed| *changed > 1000), "{changed:?}");
}

#[test]
fn letters_are_read_back_where_case_does_not_matter() {
    let riscv = riscv_with(&["most"]).isas().iter();
    let all = [simt(), first("spec/a64")].into_iter().chain(gcn().isas()).chain(riscv);
    let folding: Vec<&Set> = all.filter(|set| set.folds_case()).collect();
    let changed: Vec<usize> = folding.iter().map(|set| read_back(set, &cases(), 5)).collect();
    assert!(!changed.is_empty() && changed.iter().all(|changed| *changed > 1000), "{changed:?}");
}

#[test]
fn the_default_is_the_canonical_text() {
    for set in [simt(), first("spec/a64"), &gcn().isas()[0], &riscv_with(&["most"]).isas()[1]] {
        let engine = set.engine();
        for inst in random_insts(set, &mut Random::new(8)) {
            let mut text = String::new();
            let none = |_| None::<(&str, u64)>;
            engine.tokens_with(inst, TextOptions::default(), none, |_, piece| text += piece);
            assert_eq!(text, engine.text(inst));
            let (mut at, options) = (String::new(), TextOptions::at(0x1234_5678));
            engine.tokens_with(inst, options, none, |_, piece| at += piece);
            assert_eq!(at, engine.text_with(inst, options));
        }
    }
}

#[test]
fn addresses_and_symbols_have_their_kinds() {
    let set = &riscv_with(&["most"]).isas()[1];
    let engine = set.engine();
    let inst = engine.assemble("beq a0, a1, 16").expect("a branch");
    let mut options = TextOptions::at(0x1000);
    options.format.radix = Radix::Hexadecimal;
    options.format.mnemonics = Case::Upper;
    options.format.commas = Commas::Tight;
    options.format.address_digits = 8;
    let symbols = |address: u64| (address == 0x1010).then_some(("Main", 8));
    let write = |options: TextOptions, symbols: &dyn Fn(u64) -> Option<(&'static str, u64)>| {
        let (mut text, mut kinds) = (String::new(), Vec::new());
        engine.append_text_at(inst, options, symbols, &mut text);
        engine.tokens_with(inst, options, symbols, |kind, piece| {
            kinds.push((kind, piece.to_string()))
        });
        assert_eq!(kinds.iter().map(|(_, piece)| piece.as_str()).collect::<String>(), text);
        (text, kinds)
    };
    let (text, kinds) = write(options, &symbols);
    assert_eq!(text, "BEQ a0,a1,Main+0x8");
    assert_eq!(kinds[0], (TokenKind::Mnemonic, "BEQ".to_string()));
    assert!(kinds.contains(&(TokenKind::Symbol, "Main".to_string())), "{kinds:?}");
    options.format.symbols = SymbolStyle::Both;
    assert_eq!(write(options, &symbols).0, "BEQ a0,a1,0x00001010 <Main+0x8>");
    let (text, kinds) = write(options, &|_| None);
    assert_eq!(text, "BEQ a0,a1,0x00001010");
    assert!(kinds.iter().any(|(kind, _)| *kind == TokenKind::Address), "{kinds:?}");
    // Distances are numbers without an address.
    options.address = None;
    assert_eq!(engine.text_with(inst, options), "BEQ a0,a1,0x10");
    let load = engine.assemble("ld a0, -24(sp)").expect("a load");
    options.format.column = 10;
    assert_eq!(engine.text_with(load, options), "LD        a0,-0x18(sp)");
}

#[test]
fn numbers_that_are_parts_stay() {
    let set = gcn().isas().last().expect("a generation");
    let engine = set.engine();
    let options = TextOptions::formatted(format(|own| own.radix = Radix::Hexadecimal));
    let text = |line: &str| {
        let inst = engine.assemble(line).expect(line);
        engine.text_with(inst, options)
    };
    assert_eq!(text("v_add_f32 v1, 1.0, v3 mul:2"), "v_add_f32_e64 v1, 1.0, v3 mul:2");
    assert_eq!(text("v_lshlrev_b32 v1, 17, v3"), "v_lshlrev_b32_e32 v1, 0x11, v3");
}

#[test]
fn generated_crates_write_the_same() {
    let set = simt();
    let engine = set.engine();
    for inst in random_insts(set, &mut Random::new(9)) {
        let theirs = ::simt::Inst::decode_word(inst.word).expect("an instruction");
        for own in formats().into_iter().chain(cases()) {
            let mut other = ::simt::TextFormat::new();
            other.radix = match own.radix {
                Radix::Hexadecimal => ::simt::Radix::Hexadecimal,
                Radix::Decimal => ::simt::Radix::Decimal,
                Radix::Binary => ::simt::Radix::Binary,
                _ => ::simt::Radix::Specified,
            };
            let case = |case| match case {
                Case::Upper => ::simt::Case::Upper,
                Case::Lower => ::simt::Case::Lower,
                _ => ::simt::Case::Specified,
            };
            (other.digits, other.mnemonics, other.names) =
                (case(own.digits), case(own.mnemonics), case(own.names));
            other.commas = match own.commas {
                Commas::Tight => ::simt::Commas::Tight,
                Commas::Spaced => ::simt::Commas::Spaced,
                _ => ::simt::Commas::Specified,
            };
            other.column = own.column;
            let text = engine.text_with(inst, TextOptions::formatted(own));
            assert_eq!(theirs.formatted(other).to_string(), text);
        }
    }
    // With addresses, and with the choices of the canonical text.
    let (generation, extensions) = (riscv::Generation::RV64, "most".parse().expect("known"));
    let branch = riscv::Inst::parse(generation, extensions, "beqz a0, 16").expect("a branch");
    let mut look = riscv::TextFormat::new();
    (look.mnemonics, look.names) = (riscv::Case::Upper, riscv::Case::Upper);
    let none = |_| None::<(&str, u64)>;
    assert_eq!(branch.text_at(0x1000, none).format(look).to_string(), "BEQZ A0, 0x1010");
    assert_eq!(branch.formatted(look).plain().to_string(), "C.BEQZ A0, 16");
}
