//! Names of a specification that generated code uses itself, or that Rust spells differently: the
//! crate compiles without warnings. Types keep their names if the item of generated code can be
//! reached by another path.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use isadl::source::SourceMap;
use isadl_codegen::rust::{Options, StandIn, Views, generate};
use isadl_test_support::{compile, root};

use crate::gcn_crate::assert_compiles;

/// A specification with these names for a register type, a composite and an operation.
fn specification(register: &str, place: &str, operation: &str) -> String {
    format!(
        "__DefIsa Names<32>\n\n__DefRegFile GPR<32, 8>\n\n__DefOperandType {register}<3>\n    \
         R[0..7] = 0 : GPR;\n\n__DefImmediate Offset<8>\n    Number = unsigned;\n\n\
         __DefComposite {place}<11>\n    field<0, 3> {register} base;\n    \
         field<3, 8> Offset offset;\n    Format = \"[{{base}} + {{offset}}]\";\n\n\
         __DefBitFieldType Operation<4>\n    LOAD;\n\n__DefGroup ALL : []\n\n\
         __DefOptype {operation} : [ALL]\n\n__DefOpcode {operation}_X : [{operation}]\n  \
         __Encoding\n    field<0, 4> Operation op == LOAD;\n    field<4, 3> {register} rd;\n    \
         field<8, 11> {place} place;\n  __OperandInfo\n    InList<place>;\n    OutList<rd>;\n    \
         Order<rd, place>;\n    Bitwidth<rd> = 32;\n    Bitwidth<place> = 32;\n"
    )
}

#[test]
fn names_that_generated_code_uses_give_no_warnings() {
    let names = [
        ("Register", "Memory", "Inst"),
        ("Resource", "Use", "Opcode"),
        ("reg_t", "mem_t", "load"),
        ("Reg", "Place", "View"),
    ];
    for (register, place, operation) in names {
        let text = specification(register, place, operation);
        let (_, compilation) = compile(&[("names.isa", &text)]);
        let found: Vec<&str> =
            compilation.diagnostics.iter().map(|found| found.message.as_str()).collect();
        let isa = compilation.family.unwrap_or_else(|| panic!("{found:#?}")).merged();
        let options = Options { views: Views::PerOptype, ..Options::default() };
        assert!(generate(&isa, &options).get("src/types.rs").is_some());
        assert_compiles(&isa, &options, &format!("names-{register}"));
    }
}

/// Operands that share names with methods of some instruction sets only.
#[test]
fn operands_may_be_called_like_methods_of_addresses() {
    let text = "__DefIsa Names<16>\n\n__DefImmediate Near<4>\n    Number = signed;\n    Relative = start;\n\n\
                __DefImmediate Kind<4>\n    Number = unsigned;\n\n__DefGroup ALL : []\n\n\
                __DefOpcode JUMP : [ALL]\n  __Encoding\n    field<0, 4> Kind kind == 1;\n    \
                field<4, 4> Near target;\n    field<8, 4> Near text_at;\n    field<12, 4> Kind flow_control;\n  \
                __OperandInfo\n    Operands<target, text_at, flow_control>;\n    Flow<branch>;\n";
    assert_compiles(&isa(text), &all(), "names-target");
}

/// An operand that shares its name with a method of instruction sets with name sets.
#[test]
fn operands_may_be_called_like_methods_of_sets_of_names() {
    let text = "__DefIsa Names<16>\n    NameSets<short, long>;\n\n__DefRegFile R<16, 8>\n\n\
                __DefOperandType Reg<3>\n    r[0..7] = 0 : R also reg[0..7];\n\n\
                __DefImmediate Kind<4>\n    Number = unsigned;\n\n__DefGroup ALL : []\n\n\
                __DefOpcode MOVE : [ALL]\n  __Encoding\n    field<0, 4> Kind kind == 1;\n    \
                field<4, 3> Reg text_with;\n    zero[15:7];\n  __OperandInfo\n    Operands<in text_with>;\n";
    assert_compiles(&isa(text), &all(), "names-text-with");
}

/// The options with everything that can be generated.
fn all() -> Options {
    Options { views: Views::PerOptype, ..Options::default() }
}

fn isa(text: &str) -> isadl::isa::Merged {
    let (_, compilation) = compile(&[("names.isa", text)]);
    let found: Vec<&str> =
        compilation.diagnostics.iter().map(|found| found.message.as_str()).collect();
    compilation.family.unwrap_or_else(|| panic!("{found:#?}")).merged()
}

/// The text of a generated file.
fn file(isa: &isadl::isa::Merged, path: &str) -> String {
    generate(isa, &all()).get(path).unwrap_or_else(|| panic!("{path} is generated")).to_string()
}

/// The names that the root of a crate exports, except names of types.
fn exported(lib: &str) -> BTreeSet<String> {
    let root = lib.lines().filter(|line| !line.starts_with("//")).collect::<Vec<_>>().join("\n");
    let statements = root.split(';').map(|statement| statement.trim_start());
    let mut names = BTreeSet::new();
    for statement in statements {
        let statement = &statement[statement.find("pub ").unwrap_or(0)..];
        if let Some(path) = statement.strip_prefix("pub use ") {
            let last =
                path.rsplit("::").next().unwrap_or_default().trim_matches(['{', '}', ' ', '\n']);
            let own = last.split(',').map(|name| name.trim().to_string());
            names.extend(own.filter(|name| !name.is_empty() && name != "*"));
        } else if let Some(rest) = statement.strip_prefix("pub const ") {
            names.extend(rest.split(':').next().map(str::to_string));
        }
    }
    names
}

/// Where a specification has errors, `isa!` makes a module with the same names.
#[test]
fn modules_of_wrong_specifications_have_the_names_of_right_ones() {
    let crates =
        ["generated/simt", "generated/gcn", "generated/riscv", "generated/a64", "tests/odd"];
    let simt = SourceMap::read(&[root().join("spec/simt")]).expect("readable");
    let [_, items] = StandIn::of(&simt).items();
    let has = |name: &str| {
        ["type", "const"].iter().any(|kind| {
            let item = format!("pub {kind} {name}");
            items.lines().any(|line| {
                line.strip_prefix(&item).is_some_and(|rest| rest.starts_with([' ', ':', '<']))
            })
        })
    };
    for krate in crates {
        let lib = std::fs::read_to_string(root().join(krate).join("src/lib.rs")).expect("readable");
        let names = exported(&lib);
        assert!(
            names.contains("Inst") && names.contains("WIDTH") && names.contains("Uses"),
            "{names:?}"
        );
        let absent: Vec<&String> = names.iter().filter(|name| !has(name)).collect();
        assert!(absent.is_empty(), "{krate}: {absent:?}");
    }
    let types =
        std::fs::read_to_string(root().join("generated/simt/src/types.rs")).expect("readable");
    let types = types.lines().filter_map(|line| {
        let item = line.strip_prefix("pub struct ").or(line.strip_prefix("pub enum "))?;
        item.split(['(', ' ', ';']).next()
    });
    let types: Vec<&str> = types.collect();
    assert!(types.contains(&"Reg") && types.len() > 30, "{types:?}");
    let absent: Vec<&&str> = types.iter().filter(|name| !has(name)).collect();
    assert!(absent.is_empty(), "{absent:?}");
    assert_eq!(StandIn::of(&simt).module(), Some("simt"));
}

#[test]
fn types_keep_the_names_of_items_with_a_module_of_their_own() {
    let modules = [
        ("Memory", "flow"),
        ("Uses", "flow"),
        ("View", "views"),
        ("Stream", "stream"),
        ("Text", "text"),
        ("ParseError", "parse"),
    ];
    for (place, module) in modules {
        let isa = isa(&specification("Reg", place, "LD"));
        assert!(file(&isa, "src/types.rs").contains(&format!("pub struct {place}(")), "{place}");
        let lib = file(&isa, "src/lib.rs");
        assert!(lib.contains(&format!("\npub mod {module};")), "{place}: {lib}");
    }
    // Types may have the names of items that are not generated.
    for place in ["Special", "Bytes", "Place"] {
        let isa = isa(&specification("Reg", place, "LD"));
        assert!(file(&isa, "src/types.rs").contains(&format!("pub struct {place}(")), "{place}");
        assert!(file(&isa, "src/lib.rs").contains("\nmod flow;"), "{place}");
    }
}

/// The identifiers of code, without comments and literals.
fn identifiers(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        // Text between quotes is not code.
        for code in line.split('"').step_by(2) {
            let words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            found.extend(words.map(str::to_string));
        }
    }
    found
}

#[test]
fn types_may_have_any_name_that_generated_code_uses() {
    let base = isa(&specification("Reg", "Place", "LD"));
    let mut names = BTreeSet::new();
    let output = generate(&base, &all());
    for (_, text) in output.files().filter(|(path, _)| path.extension() == Some("rs".as_ref())) {
        names.extend(identifiers(text));
    }
    // Types are named in camel case.
    let is_type = |name: &String| {
        name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains(char::is_lowercase)
    };
    let own = ["Reg", "Place", "Offset", "Operation", "Code"];
    names.retain(|name| is_type(name) && !own.contains(&name.as_str()));
    assert!(names.len() > 50 && names.contains("Iterator"), "{names:?}");
    let mut text =
        specification("Reg", "Place", "LD").replace("    LOAD;", "    LOAD;\n    NAMED;");
    text += "\n__DefImmediate Code<16>\n    Number = unsigned;\n";
    for (index, name) in names.iter().enumerate() {
        let code = index + 1;
        write!(
            text,
            "\n__DefBitFieldType {name}<1>\n    A;\n    B;\n\n__DefOpcode OP_{name} : [LD]\n  \
             __Encoding\n    field<0, 4> Operation op == NAMED;\n    field<4, 16> Code code == {code};\n    \
             field<20, 1> {name} x;\n"
        )
        .expect("a string takes it");
    }
    let isa = isa(&text);
    // A type that has the name of an item of the root would be hidden by it.
    let (root, types) = (identifiers(&file(&isa, "src/lib.rs")), file(&isa, "src/types.rs"));
    let is_hidden =
        |name: &&String| root.contains(*name) && types.contains(&format!("pub enum {name} {{"));
    let hidden: Vec<&String> = names.iter().filter(is_hidden).collect();
    assert!(hidden.is_empty(), "{hidden:?}");
    assert_compiles(&isa, &all(), "every-name");
}

/// Words with a meaning in every Rust program: words of the language and of its prelude, and primitive types.
const WORDS: &str = "abstract as async await become box break const continue crate do dyn else enum extern false final \
    fn for gen if impl in let loop macro match mod move mut override priv pub ref return self static struct super \
    trait true try type typeof unsafe unsized use virtual where while yield union auto raw default macro_rules \
    Self Some None Ok Err Option Result Vec String Box ToString ToOwned Clone Copy Send Sync Sized Drop Fn FnMut \
    FnOnce drop Iterator IntoIterator Extend DoubleEndedIterator ExactSizeIterator Default PartialEq PartialOrd Eq \
    Ord AsRef AsMut Into From TryFrom TryInto FromIterator Debug Hash u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 \
    isize f16 f32 f64 f128 bool char str core std alloc panic assert assert_eq matches write format unreachable \
    _x x_ a__b __ X_ x_1_";

/// These words, and the identifiers that generated code uses itself: identifiers that several crates have in common.
fn every_word() -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for folder in ["tests/odd", "generated/simt", "generated/riscv"] {
        let folder = isadl_test_support::root().join(folder).join("src");
        let files =
            std::fs::read_dir(folder).expect("readable").map(|file| file.expect("a file").path());
        let found: BTreeSet<String> = files
            .filter(|path| path.extension() == Some("rs".as_ref()))
            .flat_map(|path| identifiers(&std::fs::read_to_string(path).expect("readable")))
            .collect();
        found.into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
    }
    // In strings of bytes are no words.
    let is_word = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && !name
                .strip_prefix('x')
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_hexdigit()))
    };
    let common = counts.into_iter().filter(|(name, count)| *count > 2 && is_word(name));
    let mut words: BTreeSet<String> = common.map(|(name, _)| name).collect();
    words.extend(WORDS.split_whitespace().map(str::to_string));
    // The language reads these otherwise.
    for word in ["_", "const", "else", "in", "out", "inout", "text"] {
        words.remove(word);
    }
    assert!(words.len() > 300, "{}", words.len());
    words.into_iter().collect()
}

/// The beginning of a specification. Its own names have a digit that no other name ends in.
const HEAD: &str = "__DefIsa Names<64>\n\n__DefRegFile GPR9<32, 8>\n\n__DefOperandType Reg9<3>\n    R[0..7] = 0 : GPR9;\n\n\
    __DefImmediate Code9<12>\n    Number = unsigned;\n\n__DefBitFieldType Modifier9<1>\n    A9;\n    B9;\n\n\
    __DefGroup ALL9 : []\n\n__DefOptype o9 : [ALL9]\n\n";

/// A specification with definitions for each of some words, where `N` is the word, and `#` its number.
fn spelled_out(words: &[String], definitions: &str) -> isadl::isa::Merged {
    let mut text = HEAD.to_string();
    for (number, word) in words.iter().enumerate() {
        // `N` and `#` stand for themselves in no other word of the definitions.
        text += &definitions.replace('#', &number.to_string()).replace('@', word);
        text += "\n\n";
    }
    lenient(&text)
}

/// Compiles a specification, some of whose texts mean several instructions.
fn lenient(text: &str) -> isadl::isa::Merged {
    let (_, compilation) = compile(&[("names.isa", text)]);
    let errors =
        compilation.diagnostics.iter().filter(|found| found.code.as_str().starts_with('E'));
    let errors: Vec<&str> = errors.map(|found| found.message.as_str()).take(5).collect();
    compilation.family.unwrap_or_else(|| panic!("{errors:#?}")).merged()
}

/// Definitions that use a word as a name, with the name of the test.
const NAMED: [(&str, &str); 7] = [
    (
        "types-and-fields",
        "__DefBitFieldType @<1>\n    A9;\n    B9;\n\n__DefOpcode OP9_@ : [o9]\n  __Encoding\n    \
         field<0, 12> Code9 code9 == #;\n    field<12, 1> @ x9;\n    field<13, 3> Reg9 @;\n    \
         field<16, 1> Modifier9 @.m9;\n    zero<17, 47>;\n  __OperandInfo\n    Mnemonic<\"o#\">;\n    Operands<out @ : 32>;",
    ),
    (
        "registers",
        "__DefRegFile @<32, 8>\n\n__DefOperandType Run9_#<3>\n    @[0..7] = 0 : @;\n\n__DefOpcode OP9_@ : [o9]\n  \
         __Encoding\n    field<0, 12> Code9 code9 == #;\n    field<12, 3> Run9_# x9;\n    zero<15, 49>;\n  \
         __OperandInfo\n    Mnemonic<\"o#\">;\n    Operands<out x9 : 32>;",
    ),
    (
        "operand-types",
        "__DefOperandType @<3>\n    Q9[0..7] = 0 : GPR9;\n\n__DefOpcode OP9_@ : [o9]\n  __Encoding\n    \
         field<0, 12> Code9 code9 == #;\n    field<12, 3> @ x9;\n    zero<15, 49>;\n  __OperandInfo\n    \
         Mnemonic<\"o#\">;\n    Operands<out x9 : 32>;",
    ),
    (
        "immediates-and-opcodes",
        "__DefImmediate @<4>\n    Number = signed;\n    Relative = start;\n\n__DefOpcode OP_@ : [o9]\n  __Encoding\n    \
         field<0, 12> Code9 code9 == #;\n    field<12, 4> @ x9;\n    field<16, 12> Code9 @;\n    zero<28, 36>;\n  \
         __OperandInfo\n    Mnemonic<\"o#\">;\n    Operands<x9, @>;",
    ),
    (
        "composites-and-parts",
        "__DefComposite @<15>\n    field<0, 3> Reg9 @;\n    field<3, 12> Code9 off9;\n    Format = \"[{@}+{off9}]\";\n\n\
         __DefOpcode OP9_@ : [o9]\n  __Encoding\n    field<0, 12> Code9 code9 == #;\n    field<12, 15> @ x9;\n    \
         zero<27, 37>;\n  __OperandInfo\n    Mnemonic<\"o#\">;\n    Operands<in x9 : 32>;",
    ),
    (
        "opcodes",
        "__DefOpcode @ : [o9]\n  __Encoding\n    field<0, 12> Code9 code9 == #;\n    field<12, 3> Reg9 r9;\n    \
         zero<15, 49>;\n  __OperandInfo\n    Mnemonic<\"o#\">;\n    Operands<out r9 : 32>;",
    ),
    (
        "optypes-and-aliases",
        "__DefOptype @ : [ALL9]\n\n__DefOpcode OP9_@ : [@]\n  __Encoding\n    field<0, 12> Code9 code9 == #;\n    \
         field<12, 3> Reg9 r9;\n    zero<15, 49>;\n  __OperandInfo\n    Mnemonic<\"o#\">;\n    Operands<out r9 : 32>;\n\n\
         __DefAlias A9_@_ : [OP9_@]\n  __Encoding\n    fix r9 == R1;\n  __OperandInfo\n    Mnemonic<\"m#\">;\n    Operands<>;",
    ),
];

#[test]
fn everything_may_be_named_like_any_word_of_generated_code() {
    let words = every_word();
    for (name, definitions) in NAMED {
        assert_compiles(&spelled_out(&words, definitions), &all(), &format!("names-{name}"));
    }
}

#[test]
fn values_may_be_named_like_any_word_of_generated_code() {
    let words = every_word();
    let list =
        |words: &[String]| words.iter().map(|word| format!("    {word};\n")).collect::<String>();
    let numbered = |words: &[String]| {
        let rows =
            words.iter().enumerate().map(|(number, word)| format!("    {word} = {number};\n"));
        rows.collect::<String>()
    };
    // Types with very many names have a list of them; the others have a constant for each.
    let (few, others) = words.split_at(250);
    let (some, rest) = others.split_at(250);
    let types = format!(
        "__DefBitFieldType Value9<12>\n{all}\n__DefBitFieldType Open9<12>\n{open}    else Code9;\n\n\
         __DefOperandType Few9<12>\n{}\n__DefOperandType Some9<12>\n{}\n__DefOperandType Rest9<12>\n{}\n",
        numbered(few),
        numbered(some),
        numbered(rest),
        all = list(&words),
        open = words
            .iter()
            .enumerate()
            .map(|(at, word)| format!("    {word} as \"v{at}\";\n"))
            .collect::<String>(),
    );
    let opcodes = "__DefOpcode OP9 : [o9]\n  __Encoding\n    field<0, 12> Code9 code9 == 0;\n    \
         field<12, 12> Value9 x9;\n    field<24, 12> Open9 y9;\n    zero<36, 28>;\n  __OperandInfo\n    \
         Operands<y9>;\n\n__DefOpcode OPP9 : [o9]\n  __Encoding\n    field<0, 12> Code9 code9 == 1;\n    \
         field<12, 12> Few9 x9;\n    field<24, 12> Some9 y9;\n    field<36, 12> Rest9 z9;\n    zero<48, 16>;\n  \
         __OperandInfo\n    Mnemonic<\"p9\">;\n    Operands<in x9, in y9, in z9>;\n";
    assert_compiles(&lenient(&format!("{HEAD}{types}{opcodes}")), &all(), "names-values");
}

#[test]
fn groups_generations_and_extensions_may_be_named_like_any_word_of_generated_code() {
    let words = every_word();
    let names = |first: usize| words.iter().skip(first).step_by(words.len() / 30).take(30).cloned();
    let joined = |first: usize| names(first).collect::<Vec<_>>().join(", ");
    let mut text = HEAD.replace(
        "<64>\n",
        &format!("<64>\n    Generations<{}>;\n    Extensions<{}>;\n", joined(0), joined(1)),
    );
    for (number, (generation, extension)) in names(0).zip(names(1)).enumerate() {
        for (kind, word) in [generation, extension].iter().enumerate() {
            let code = 2 * number + kind;
            write!(
                text,
                "__DefOpcode OP9_{code} : [o9] @[{word}]\n  __Encoding\n    field<0, 12> Code9 code9 == {code};\n    \
                 zero<12, 52>;\n\n"
            )
            .expect("a string takes it");
        }
    }
    for (number, word) in words.iter().enumerate() {
        let code = number + 100;
        write!(
            text,
            "__DefGroup {word} : [ALL9]\n\n__DefOptype o9_{code} : [{word}]\n\n__DefOpcode OP9_{code} : [o9_{code}]\n  \
             __Encoding\n    field<0, 12> Code9 code9 == {code};\n    zero<12, 52>;\n\n"
        )
        .expect("a string takes it");
    }
    assert_compiles(&lenient(&text), &all(), "names-groups");
}

/// A type of a primitive's name, as in a specification for people who know C.
#[test]
fn types_begin_with_a_capital_in_rust() {
    let isa = isa(&specification("bool", "u8", "LD"));
    let types = file(&isa, "src/types.rs");
    assert!(
        types.contains("pub struct Bool(u8);") && types.contains("pub struct U8(u16);"),
        "{types}"
    );
    assert_compiles(&isa, &all(), "names-primitive");
}
