//! Compares special cases with brute force on random instruction sets of two widths. Refused sets have byte streams
//! with two readings, or instructions that encode as another opcode. Accepted sets never produce a word of another
//! opcode.

use isadl::diagnostic::Code;
use isadl::engine::EncodeError;
use isadl::isa::{Binding, NameId, Selection};
use isadl_test_support::{Random, Set, compile, count, oracle, root};

/// A field of a random opcode: lowest bit, width, and which values are legal.
#[derive(Clone)]
struct Field {
    lsb: u32,
    width: u32,
    legal: Vec<bool>,
    fixed: Option<u64>,
}

/// A random opcode, as the oracle sees it.
struct Opcode {
    width: u32,
    group: usize,
    fields: Vec<Field>,
    /// `field < number` is forbidden.
    rule: Option<(usize, u64)>,
    mask: u32,
    value: u32,
}

impl Opcode {
    fn random(random: &mut Random) -> Opcode {
        let width = if random.below(3) == 0 { 16 } else { 8 };
        let mut fields = Vec::new();
        let mut lsb = 0;
        while lsb < width {
            let bits = 1 + random.below(3) as u32;
            let bits = bits.min(width - lsb);
            let is_low = lsb < 4;
            if random.below(4) > 0 || is_low {
                let mut legal = vec![true; 1 << bits];
                if random.below(4) == 0 {
                    legal[random.below(1 << bits) as usize] = bits == 1;
                }
                let choice = random.below(1 << bits);
                let is_fixed = random.below(if is_low { 4 } else { 2 }) > 0;
                let fixed = (is_fixed && legal[choice as usize]).then_some(choice);
                fields.push(Field { lsb, width: bits, legal, fixed });
            }
            lsb += bits;
        }
        Opcode::of(random, width, fields)
    }

    /// A special case of another opcode: more of its fields are fixed, or some of the bits that no
    /// field covers.
    fn special(random: &mut Random, general: &Opcode) -> Opcode {
        let mut fields = general.fields.clone();
        for field in &mut fields {
            let choice = random.below(1 << field.width);
            let is_legal = field.legal[choice as usize];
            if field.fixed.is_none() && is_legal && random.below(2) == 0 {
                field.fixed = Some(choice);
            }
        }
        let width = if random.below(4) == 0 { 16 } else { general.width };
        let covered = general.significant();
        for lsb in (0..width).filter(|lsb| covered >> lsb & 1 == 0) {
            if random.below(4) == 0 {
                let fixed = Some(u64::from(random.below(3) == 0));
                fields.push(Field { lsb, width: 1, legal: vec![true; 2], fixed });
            }
        }
        Opcode::of(random, width, fields)
    }

    fn of(random: &mut Random, width: u32, fields: Vec<Field>) -> Opcode {
        let open: Vec<usize> = (0..fields.len()).filter(|i| fields[*i].fixed.is_none()).collect();
        let rule = (random.below(3) == 0 && !open.is_empty()).then(|| {
            let field = open[random.below(open.len() as u64) as usize];
            (field, 1 + random.below((1 << fields[field].width) - 1))
        });
        let fixed = |field: &Field| Some((((1 << field.width) - 1) << field.lsb, field.fixed?));
        let mask = fields.iter().filter_map(fixed).fold(0, |bits, (mask, _)| bits | mask);
        let value = fields.iter().filter_map(|f| Some((f.fixed? as u32) << f.lsb)).sum();
        let group = random.below(2) as usize;
        Opcode { width, group, fields, rule, mask, value }
    }

    fn raw(&self, field: usize, word: u32) -> u64 {
        let field = &self.fields[field];
        u64::from(word >> field.lsb & ((1 << field.width) - 1))
    }

    fn is_legal(&self, word: u32) -> bool {
        let values = (0..self.fields.len())
            .all(|field| self.fields[field].legal[self.raw(field, word) as usize]);
        values && self.rule.is_none_or(|(field, limit)| self.raw(field, word) >= limit)
    }

    fn significant(&self) -> u32 {
        self.fields.iter().fold(0, |bits, f| bits | ((1 << f.width) - 1) << f.lsb)
    }

    fn text(&self, index: usize) -> String {
        let mut text = format!(
            "__DefOptype O{index} : [G{}]\n\n__DefOpcode P{index} : [O{index}, W{}]\n  __Encoding\n",
            self.group, self.width
        );
        let mut order = Vec::new();
        for (number, field) in self.fields.iter().enumerate() {
            let ty = type_name(field);
            let fixed = field.fixed.map_or(String::new(), |raw| format!(" == V{raw}"));
            text += &format!("    field<{}, {}> {ty} f{number}{fixed};\n", field.lsb, field.width);
            order.push(format!("f{number}"));
        }
        if let Some((field, limit)) = self.rule {
            let values: Vec<String> =
                (0..limit).map(|raw| format!("f{field} == \"V{raw}\"")).collect();
            // A name that the type does not have cannot be used in a comparison.
            let legal = &self.fields[field].legal;
            let named = values.iter().zip(legal).filter(|(_, is_legal)| **is_legal);
            let named: Vec<&str> = named.map(|(value, _)| value.as_str()).collect();
            if !named.is_empty() {
                text += &format!(
                    "  __Exception\n    EncodingError<Low, \"too low\"> = {};\n",
                    named.join(" or ")
                );
            }
        }
        text + "\n"
    }
}

/// The name of a type: its width and a bit for each legal value.
fn type_name(field: &Field) -> String {
    let bits: String = field.legal.iter().map(|is| if *is { '1' } else { '0' }).collect();
    format!("T{}_{bits}", field.width)
}

fn type_text(name: &str) -> String {
    let (width, legal) = name[1..].split_once('_').expect("a width and values");
    let values = legal.bytes().enumerate().filter(|(_, is)| *is == b'1');
    let values: String = values.map(|(raw, _)| format!("    V{raw} = {raw};\n")).collect();
    format!("__DefBitFieldType {name}<{width}>\n{values}\n")
}

fn specification(opcodes: &[Opcode]) -> String {
    let mut types: Vec<String> =
        opcodes.iter().flat_map(|opcode| opcode.fields.iter().map(type_name)).collect();
    types.sort();
    types.dedup();
    let types: String = types.iter().map(|name| type_text(name)).collect();
    let opcodes: String = opcodes.iter().enumerate().map(|(i, opcode)| opcode.text(i)).collect();
    format!(
        "__DefIsa R<16>\n\n__DefGroup G0 : []\n\n__DefGroup G1 : []\n\n__DefGroup W8<8> : []\n\n\
         __DefGroup W16<16> : []\n\n{types}{opcodes}"
    )
}

/// The opcode of a word of 16 bits by the rules of the language alone; `None` if it has none.
fn find(opcodes: &[Opcode], word: u32) -> Option<usize> {
    find_among(opcodes, word, |_| true)
}

/// Whether a legal 8-bit instruction can be read as the beginning of a wider instruction.
fn is_ambiguous_stream(opcodes: &[Opcode]) -> bool {
    let narrow = || (0..opcodes.len()).filter(|i| opcodes[*i].width == 8);
    narrow().any(|index| {
        (0..256).any(|byte| {
            let of_narrow = find_among(opcodes, byte, |opcode| opcode.width == 8);
            of_narrow == Some(index)
                && opcodes[index].is_legal(byte)
                && (0..256).any(|next| find(opcodes, next << 8 | byte) != Some(index))
        })
    })
}

/// Among the opcodes that match a word and have no matching special case: the opcode for which the word is legal, else
/// the opcode with the most fixed bits.
fn find_among(opcodes: &[Opcode], word: u32, is: impl Fn(&Opcode) -> bool) -> Option<usize> {
    let all = (0..opcodes.len()).filter(|i| is(&opcodes[*i]));
    let all: Vec<usize> = all.filter(|i| word & opcodes[*i].mask == opcodes[*i].value).collect();
    let has_special_case = |general: &usize| {
        let general = opcodes[*general].mask;
        all.iter()
            .map(|i| opcodes[*i].mask)
            .any(|mask| mask != general && mask & general == general)
    };
    let left = || all.iter().copied().filter(|index| !has_special_case(index));
    let legal = left().find(|index| opcodes[*index].is_legal(word));
    legal.or_else(|| left().max_by_key(|i| (opcodes[*i].mask.count_ones(), std::cmp::Reverse(*i))))
}

/// Whether a legal word belongs to an opcode, but its canonical word does not.
fn loses_its_opcode(opcodes: &[Opcode]) -> bool {
    (0..1 << 16).any(|word| {
        let Some(index) = find(opcodes, word) else { return false };
        let opcode = &opcodes[index];
        let canonical = word & opcode.significant();
        let lost = find_among(opcodes, canonical, |other| other.width <= opcode.width);
        opcode.is_legal(word) && lost != Some(index)
    })
}

/// Every combination of values of the open fields of an opcode encodes as a word of this opcode,
/// or is refused.
fn encodes_as_itself(isa: &Set, seen: &mut [usize; 3]) {
    let engine = isa.engine();
    for id in isa.opcode_ids() {
        let opcode = isa.opcode(id);
        let open: Vec<(NameId, u32)> = opcode
            .fields
            .iter()
            .filter(|field| !matches!(field.binding, Binding::Fixed(_)))
            .map(|field| (field.name, field.width()))
            .collect();
        let bits: u32 = open.iter().map(|(_, width)| width).sum();
        for all in 0u64..1 << bits {
            let mut rest = all;
            let values: Vec<(NameId, u64)> = open
                .iter()
                .map(|(name, width)| {
                    let raw = rest & ((1 << width) - 1);
                    rest >>= width;
                    (*name, raw)
                })
                .collect();
            match engine.encode(id, &values) {
                Ok(inst) => {
                    seen[0] += 1;
                    assert_eq!(engine.find(inst.word), Some(id), "{values:?}");
                    let bytes = &inst.word.to_le_bytes()[..opcode.width as usize / 8];
                    assert_eq!(engine.decode_bytes(bytes), Ok((inst, bytes.len())));
                    // Whatever follows.
                    for next in [0, 1, 0x55, 0xaa, 0xff] {
                        let longer = [bytes, &[next, next]].concat();
                        assert_eq!(engine.decode_bytes(&longer), Ok((inst, bytes.len())));
                    }
                }
                Err(EncodeError::SpecialCase(case)) => {
                    seen[1] += 1;
                    let mut word = opcode.value;
                    for (name, raw) in &values {
                        let field = opcode.field(*name).expect("the opcode has its fields");
                        word = field.insert(word, *raw);
                    }
                    // Which of several it is may depend on the bytes that follow, but it is not the
                    // opcode that was asked for.
                    let begun = opcode.special_cases.iter();
                    let begun = begun.filter(|case| case.begins_with(word, opcode.width_mask));
                    let begun: Vec<&String> = begun.map(|case| &case.name).collect();
                    assert!(begun.contains(&&opcode.special_cases[case].name));
                    let found = engine.find(word).map(|found| &isa.opcode(found).name);
                    assert!(found.is_some_and(|found| begun.contains(&found)), "{found:?}");
                }
                Err(_) => seen[2] += 1,
            }
        }
    }
}

#[test]
fn random_instruction_sets_agree_with_brute_force() {
    let tries = count("ISADL_SETS", 300);
    let mut random = Random::new(1205);
    let (mut refused, mut accepted) = ([0; 2], 0);
    let mut seen = [0; 3];
    for _ in 0..tries {
        let number = 2 + random.below(4) as usize;
        let mut opcodes: Vec<Opcode> = Vec::new();
        for _ in 0..number {
            let next = match random.below(opcodes.len() as u64 + 1) as usize {
                0 => Opcode::random(&mut random),
                earlier => Opcode::special(&mut random, &opcodes[earlier - 1]),
            };
            opcodes.push(next);
        }
        let text = specification(&opcodes);
        let (_, compilation) = compile(&[("r.isa", &text)]);
        let has = |code: Code| compilation.diagnostics.iter().any(|found| found.code == code);
        let errors = compilation.diagnostics.iter().filter(|d| d.code.as_str().starts_with('E'));
        let mut others = errors.filter(|d| ![Code::E0705, Code::E0706].contains(&d.code));
        if others.next().is_some() {
            continue;
        }
        let stream = is_ambiguous_stream(&opcodes);
        assert_eq!(has(Code::E0705), stream, "{text}");
        // If a stream is ambiguous, the word of an instruction is not well defined.
        if !stream {
            assert_eq!(has(Code::E0706), loses_its_opcode(&opcodes), "{text}");
        }
        refused[0] += usize::from(stream);
        refused[1] += usize::from(has(Code::E0706));
        let Some(family) = compilation.family else { continue };
        accepted += 1;
        let whole = Set::from(family.into_first());
        encodes_as_itself(&whole, &mut seen);
        for group in ["G0", "G1"] {
            let selection = Selection { groups: vec![group.to_string()], ..Selection::default() };
            let (_, again) = compile(&[("r.isa", &text)]);
            let part = again.family.expect("it compiles").select(&selection);
            let part = part.expect("the group is known").into_first();
            is_alone_what_it_is_in_the_whole(&whole, &part.into());
        }
    }
    assert!(refused.iter().all(|count| *count > tries / 50), "refused {refused:?}");
    assert!(accepted > tries / 20, "accepted {accepted}");
    assert!(seen.iter().all(|count| *count > tries), "encoded, special, illegal: {seen:?}");
}

/// In a part, every word has the same opcode as in the whole, or none if the part lacks it. For a word that is illegal
/// for several opcodes, the result depends on which of them exist.
fn is_alone_what_it_is_in_the_whole(whole: &Set, part: &Set) {
    let engines = [whole, part].map(|isa| (isa, isa.engine()));
    for word in 0..1 << 16 {
        let is_shared = oracle::candidates(whole, word).len() > 1;
        let [expected, found] = engines.each_ref().map(|(isa, engine)| {
            let id = match is_shared {
                true => engine.decode(word).ok().map(|inst| inst.opcode),
                false => engine.find(word),
            };
            id.map(|id| isa.opcode(id).name.as_str())
        });
        let expected = expected.filter(|name| part.find_opcode(name).is_some());
        assert_eq!(found, expected, "{word:04x}");
    }
}

fn case(name: &str) -> Set {
    let path = root().join("tests/fixtures/special").join(name);
    let text = std::fs::read_to_string(&path).expect("the fixture is readable");
    compile(&[(name, &text)]).1.into_isa().expect("the fixture has no errors").into()
}

#[test]
fn an_operand_is_never_lost() {
    let isa = case("lost_operand.isa");
    let error = isa.assemble("GEN 3, 7").expect_err("the word is that of SPEC");
    assert_eq!(error.message, "`GEN_X` with these values is `SPEC_X`");
    assert_eq!(isa.assemble("GEN 4, 7").map(|inst| inst.word), Ok(0x741));
    let isa = case("operands_of_special_case.isa");
    let error = isa.assemble("A 2, 5").expect_err("the word is that of B");
    assert_eq!(error.message, "`A_X` with these values is `B_X`");
}

isadl_macros::isa!(mod alone = "fixtures/special/group_alone.isa", groups = ["GA"]);
isadl_macros::isa!(mod whole = "fixtures/special/group_alone.isa");
isadl_macros::isa!(mod lost = "fixtures/special/lost_operand.isa");

#[test]
fn generated_code_of_a_group_decodes_as_that_of_the_whole() {
    let mut left_out = 0;
    for word in 0..=255 {
        let whole = whole::Inst::decode_word(word);
        let alone = alone::Inst::decode_word(word).map(|inst| inst.word());
        match whole.map(|inst| inst.opcode()) {
            Ok(whole::Opcode::GEN_X) => {
                assert_eq!(alone, whole.map(|i| i.word()).map_err(|_| alone::DecodeError::Unknown))
            }
            _ => assert_eq!(alone, Err(alone::DecodeError::Unknown), "{word:02x}"),
        }
        left_out += usize::from(whole.is_ok() && alone.is_err());
    }
    assert_eq!(left_out, 1);
    let special = [(alone::Field::sel, 3)];
    let built = alone::Inst::from_values(alone::Opcode::GEN_X, &special).expect("3 is legal");
    let refused = built.to_word().map_err(|error| error.to_string());
    assert_eq!(refused, Err("GEN_X with these values is SPEC_X".to_string()));
}

#[test]
fn generated_code_never_makes_the_word_of_another_opcode() {
    use lost::{Inst, U4};
    let value = |raw| U4::from_bits(raw).expect("4 bits");
    let built = Inst::gen_x(value(4), value(7));
    assert_eq!(built.to_word(), Ok(0x741));
    let special = built.with_sel(value(3)).expect("the opcode has the field");
    let refused = special.to_bytes().map_err(|error| error.to_string());
    assert_eq!(refused, Err("GEN_X with these values is SPEC_X".to_string()));
    assert_eq!(special.validate().map_err(|error| error.to_string()), refused.map(|_| ()));
    let parsed = "GEN 3, 7".parse::<Inst>().map_err(|error| error.kind);
    assert_eq!(parsed, Err(lost::ParseErrorKind::SpecialCase("SPEC_X")));
}

/// A literal whose surroundings must be zero: if they are not, the word without the literal is
/// illegal, not an instruction that assemblers could not produce.
#[test]
fn a_marker_without_its_literal_is_illegal() {
    let isa = case("literal_and_zeros.isa");
    assert_eq!(
        isa.engine().decode(0x0005_0f11).map(|inst| isa.engine().text(inst)),
        Ok("PUSH 5".to_string())
    );
    assert!(isa.engine().decode(0x0105_0f11).is_err());
    assert_eq!(
        isa.engine().decode(0x0105_0311).map(|inst| isa.engine().text(inst)),
        Ok("PUSH R3".to_string())
    );
}
