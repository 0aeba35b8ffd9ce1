//! The manual: its links have targets, its tables are complete, and a renderer never takes text of a specification for
//! HTML. The bytes of examples equal the assembler's.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use isadl::isa::{Isa, Prose, SectionKind, Selection};
use isadl_codegen::markdown::{Options, generate};
use isadl_codegen::output::Output;
use isadl_codegen::space::State;
use isadl_test_support::{Compiled, Once, compile, compiled, family, prelude, root, seed_texts};

use super::manual_programs::{check_programs, program_links};

/// The manual of an instruction set in `spec`, made once for all tests.
pub(crate) fn manual(spec: &str) -> &'static Output {
    static KNOWN: Once<Output> = Once::new();
    KNOWN.get(spec, || of(compiled(spec), spec))
}

/// The manual of a specification, with the links of the committed one.
fn of(set: &Compiled, spec: &str) -> Output {
    let options = Options::new(&set.sources, &folder(spec));
    generate(&set.sets, &set.programs, &set.sources, &options)
}

/// The folder of what is generated from a specification.
pub(crate) fn folder(spec: &str) -> PathBuf {
    root().join("generated").join(spec.trim_start_matches("spec/"))
}

pub(crate) fn page(output: &Output, path: &str) -> String {
    let text = output.get(&format!("docs/src/{path}"));
    text.unwrap_or_else(|| panic!("there is no page {path}")).to_string()
}

/// The specifications. Only the manual of SIMT is committed.
pub(crate) const MANUALS: [&str; 4] = ["spec/simt", "spec/gcn", "spec/riscv", "spec/a64"];

#[test]
fn the_committed_manual_is_fresh() {
    let folder = folder(MANUALS[0]);
    let differences = manual(MANUALS[0]).diff(&folder).expect("the folder is readable");
    let folder = folder.display();
    assert!(differences.is_empty(), "{folder} is not fresh, run `isadl gen`: {differences:?}");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let spec = "spec/gcn";
    assert_eq!(*manual(spec), of(&Compiled::of(spec), spec));
}

#[test]
fn the_committed_manuals_are_whole() {
    for spec in MANUALS {
        let output = manual(spec);
        check(output);
        let size: usize = output.files().map(|(_, text)| text.len()).sum();
        let lock =
            std::fs::read_to_string(isadl_test_support::root().join(spec).join("opcodes.lock"));
        let opcodes = lock.map_or(0, |lock| lock.lines().count());
        assert!(size < 7_500_000.max(7_400 * opcodes), "{spec}: {size} bytes");
    }
}

#[test]
fn the_manual_of_a_selection_has_nothing_else() {
    let all = compiled("spec/gcn");
    let selection = Selection {
        groups: vec!["VOP3B".to_string()],
        generations: vec!["GCN1_4".to_string()],
        ..Selection::default()
    };
    let selected = family("spec/gcn").select(&selection).expect("the names are known");
    let options = Options::new(&all.sources, &folder("spec/gcn"));
    let output = generate(&selected, &all.programs, &all.sources, &options);
    check(&output);
    let [whole, part] = [all.sets.merged(), selected.merged()].map(|isa| names(isa.items()));
    // It is not known which values of a part are free.
    let map = page(&output, "groups/ALL.md");
    assert!(map.contains("\n6 of 64 values are used here;") && !map.contains("free"), "{map}");
    assert!(part.contains("VOP3B") && part.contains("V_ADD_CO_U32_E64"), "{part:?}");
    for (path, text) in output.files() {
        let path = path.to_string_lossy();
        // A type keeps all of its values; the set and register files keep their prose.
        let is_prose = ["docs/src/README.md", "docs/src/registers.md"].contains(&&*path);
        if path.starts_with("docs/src/types/") || is_prose {
            continue;
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        for word in format!("{path} {text}").split(|c| !is_part(c)) {
            // `CLAMP` is a value of `Clamp` too.
            let is_outside = whole.contains(word) && !part.contains(word) && word != "CLAMP";
            assert!(!is_outside, "{path} names {word}");
        }
    }
}

/// The names of all groups, operations and opcodes.
fn names(isa: &Isa) -> BTreeSet<String> {
    let groups = isa.groups().iter().map(|group| group.name.clone());
    let optypes = isa.optypes().iter().map(|optype| optype.name.clone());
    let opcodes = isa.opcodes().iter().map(|opcode| opcode.name.clone());
    groups.chain(optypes).chain(opcodes).collect()
}

#[test]
fn source_links_lead_to_the_definition() {
    let output = manual("spec/simt");
    let iadd = page(output, "ops/IADD.md");
    let (_, link) = iadd.split_once("](<").expect("a link to the source");
    let (path, line) = link.split_once("#L").expect("a line");
    let line: usize = line.split('>').next().unwrap_or_default().parse().expect("a number");
    let path = root().join("generated/simt/docs/src/ops").join(path);
    let text = std::fs::read_to_string(path).expect("the source file");
    assert_eq!(text.lines().nth(line - 1), Some("__DefOptype IADD : [IALU]"));
}

/// Checks the properties of every book.
pub(crate) fn check(output: &Output) {
    for (path, text) in output.files() {
        let name = path.to_string_lossy().into_owned();
        assert!(text.ends_with('\n') || text.is_empty(), "{name} does not end with its last line");
        if name.ends_with(".md") {
            check_tables(&name, text);
            check_links(output, &name, text);
            check_html(&name, text);
        } else if name.ends_with(".svg") {
            assert!(!text.contains("<script"), "{name} has a script");
            assert!(text.contains("<title") && text.contains("prefers-color-scheme:dark"));
        } else if name.ends_with(".json") {
            check_wavedrom(&name, text);
        }
    }
    check_contents(output);
}

fn check_wavedrom(name: &str, text: &str) {
    let json: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let parts = json["reg"].as_array().expect("parts");
    let bits: u64 = parts.iter().map(|part| part["bits"].as_u64().expect("bits")).sum();
    assert_eq!(Some(bits), json["config"]["bits"].as_u64(), "{name}");
}

/// Every page is in the table of contents once; otherwise it would be missing from the book.
fn check_contents(output: &Output) {
    let summary = page(output, "SUMMARY.md");
    let listed: Vec<&str> =
        summary.lines().filter_map(|line| line.rsplit_once("](")?.1.strip_suffix(')')).collect();
    let unique: BTreeSet<&str> = listed.iter().copied().collect();
    assert_eq!(unique.len(), listed.len(), "a page is listed twice");
    for (path, _) in output.files().filter(|(path, _)| path.extension().is_some_and(|e| e == "md"))
    {
        let path = path.strip_prefix("docs/src").expect("pages are in docs/src").to_string_lossy();
        assert!(path == "SUMMARY.md" || unique.contains(&*path), "{path} is not listed");
    }
}

/// The lines outside fences.
fn text_lines(text: &str) -> Vec<&str> {
    let mut fence: Option<usize> = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        let content = line.trim_start();
        let ticks = content.bytes().take_while(|byte| *byte == b'`').count();
        match fence {
            Some(open) if ticks >= open && ticks == content.trim_end().len() => fence = None,
            None if ticks >= 3 => fence = Some(ticks),
            None => lines.push(line),
            Some(_) => {}
        }
    }
    assert!(fence.is_none(), "a fence is not closed");
    lines
}

/// The cells of a row: bars end them, unless a backslash is before.
fn cells(row: &str) -> usize {
    let mut bars = 0;
    let mut escaped = false;
    for c in row.trim().chars() {
        bars += usize::from(c == '|' && !escaped);
        escaped = c == '\\' && !escaped;
    }
    bars.saturating_sub(1)
}

fn check_tables(name: &str, text: &str) {
    let mut width: Option<usize> = None;
    for line in text_lines(text) {
        if !line.starts_with('|') {
            width = None;
            continue;
        }
        let expected = *width.get_or_insert(cells(line));
        assert_eq!(cells(line), expected, "{name}: {line}");
    }
}

fn check_links(output: &Output, name: &str, text: &str) {
    let folder = PathBuf::from(name).parent().map(PathBuf::from).unwrap_or_default();
    for line in text_lines(text) {
        let pieces: Vec<&str> = line.split("](").collect();
        for (before, piece) in pieces.iter().zip(pieces.iter().skip(1)) {
            let open = before.rfind('[').map_or("", |at| &before[..at]);
            let target = piece.split(')').next().unwrap_or_default();
            if target.starts_with('<')
                || target.starts_with("http")
                || target.contains(':')
                || open.ends_with('\\')
            {
                continue;
            }
            check_link(output, name, &folder, target);
        }
    }
    program_links(text).iter().for_each(|target| check_link(output, name, &folder, target));
}

fn check_link(output: &Output, name: &str, folder: &Path, target: &str) {
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = if path.is_empty() { PathBuf::from(name) } else { tidy(&folder.join(path)) };
    let text = output.get(&file.to_string_lossy());
    let text = text.unwrap_or_else(|| panic!("{name}: no file {target}"));
    assert!(anchor.is_empty() || anchors(text).contains(anchor), "{name}: no heading {target}");
}

/// A path without `..`.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                tidy.pop();
            }
            part => tidy.push(part),
        }
    }
    tidy
}

/// The anchors of a page's headings, as forges and mdBook generate them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for line in text_lines(text).into_iter().filter(|line| line.starts_with('#')) {
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-'));
        let base: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let mut anchor = base.clone();
        let mut number = 0;
        while !anchors.insert(anchor.clone()) {
            number += 1;
            anchor = format!("{base}-{number}");
        }
    }
    anchors
}

/// Checks that no `<` outside code begins a tag, except in links `](<…>)` and in programs, which have no other elements than links.
fn check_html(name: &str, text: &str) {
    for line in text_lines(&check_programs(name, text)) {
        let mut code = false;
        let mut before = ' ';
        for (at, c) in line.char_indices() {
            code ^= c == '`';
            let next = line[at + c.len_utf8()..].chars().next().unwrap_or(' ');
            let is_tag =
                c == '<' && (next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'));
            let is_known = before == '(' || line[at..].starts_with("<http");
            assert!(!is_tag || code || is_known, "{name}: raw HTML in {line}");
            before = c;
        }
    }
}

/// The book of a small specification after the prelude.
pub(crate) fn small(text: &str) -> Output {
    let (sources, compilation) = compile(&[("prelude.isa", prelude().as_str()), ("a.isa", text)]);
    let found: Vec<_> = compilation.diagnostics.iter().map(|d| d.message.clone()).collect();
    let family = compilation.family.unwrap_or_else(|| panic!("errors: {found:?}"));
    generate(&family, &compilation.semantics, &sources, &Options::default())
}

#[test]
fn opcode_maps_tell_what_is_free() {
    let output = manual("spec/gcn");
    let map = page(output, "groups/VOP2_WORD.md");
    assert!(map.contains("\n### GCN1_4\n"), "{map}");
    assert!(map.contains("| **0x34** | [V_ADD_NC_U32](../ops/V_ADD_NC_U32.md) |"), "{map}");
    // The maps agree with the encoding space, and each map has its picture.
    for space in isadl_codegen::space::spaces(isadl_test_support::gcn()) {
        let map = match space.group.as_str() {
            "VOP2_WORD" | "VOP3" => page(output, &format!("groups/{}.md", space.group)),
            _ => continue,
        };
        let count = |state: State| space.cells.iter().filter(|cell| cell.state == state).count();
        let taken = format!("Of 64 values {} are taken.", count(State::Taken));
        let reserved = match count(State::Reserved) {
            0 => " None is reserved.".to_string(),
            count => format!(" {count} are reserved: named, but"),
        };
        assert!(map.contains(&taken) && map.contains(&reserved), "{map}");
        assert!(map.contains(&format!(" {} are free: ", count(State::Free))), "{map}");
    }
    let mut pictures = map.split("](../svg/map-").skip(1).map(|rest| rest.split(')').next());
    assert_eq!(pictures.clone().count(), map.matches("\n### GCN").count(), "{map}");
    assert!(pictures.all(|name| {
        let picture = page(output, &format!("svg/map-{}", name.expect("a name")));
        picture.contains("class=\"taken\"") && picture.contains("class=\"free\"")
    }));
}

#[test]
fn groups_that_repeat_a_map_link_to_it() {
    let output = manual("spec/gcn");
    let index = page(output, "groups.md");
    let (maps, _) = index.split_once("\n## Groups\n").expect("the groups stand behind the maps");
    assert_eq!(maps.matches(".md#opcode-map").count(), 2, "{maps}");
    let row = "| [VOP3](groups/VOP3.md#opcode-map) | `op` 22:17 (GCN1_0, GCN1_1), `op` 21:16 ";
    assert!(maps.contains(row), "{maps}");
    let part = page(output, "groups/VOP2.md");
    assert!(part.contains("| Opcode map | [VOP2_WORD](VOP2_WORD.md#opcode-map) |"), "{part}");
    assert!(!part.contains("## Opcode map"), "{part}");
}

const SIDES: &str = "
__DefGroup LEFT : [ALL]
  __Encoding
    field<8, 1> Flag side == False;
  __Description
The left side.

__DefGroup BETWEEN : [LEFT]

__DefGroup INNER : [BETWEEN]
  __Description
The inner side.

__DefGroup RIGHT : [ALL]
  __Encoding
    field<8, 1> Flag side == True;
  __Description
The right side.

__DefOptype A : [INNER]

__DefOpcode A_X : [A]
  __Encoding
    field<0, 8> Code code == 1;

__DefOptype B : [INNER]

__DefOpcode B_X : [B]
  __Encoding
    field<0, 8> Code code == 2;

__DefOptype C : [RIGHT]

__DefOpcode C_X : [C]
  __Encoding
    field<0, 8> Code code == 1;

__DefOptype D : [RIGHT]

__DefOpcode D_X : [D]
  __Encoding
    field<0, 8> Code code == 3;
";

#[test]
fn groups_of_a_part_of_the_words_have_maps() {
    let output = small(SIDES);
    check(&output);
    // A value used on one side is free on the other; a value used on both is taken in each.
    let left = page(&output, "groups/LEFT.md");
    assert!(left.contains("| *[BASE](../ops/BASE.md)* | [A](../ops/A.md) | [B]"), "{left}");
    let says =
        "Of 256 values 3 are taken. None is reserved. 253 are free: 0x03 to 0xff. Operations in";
    assert!(left.contains(says), "{left}");
    assert!(page(&output, "groups/RIGHT.md").contains(" are free: 0x02, 0x04 to 0xff."));
    let inner = page(&output, "groups/INNER.md");
    assert!(inner.contains("[LEFT](LEFT.md#opcode-map)"), "{inner}");
    assert!(!inner.contains("## Opcode map"), "{inner}");
    // A group without a description has no page, and is left out of relations.
    assert!(output.get("docs/src/groups/BETWEEN.md").is_none());
    assert!(inner.contains("| Belongs to | [LEFT](LEFT.md) |"), "{inner}");
    assert!(left.contains("| Groups below | [INNER](INNER.md) |"), "{left}");
    let a = page(&output, "ops/A.md");
    assert!(a.contains("| Groups | [INNER](../groups/INNER.md) |"), "{a}");
}

#[test]
fn differences_between_generations_are_computed() {
    let output = manual("spec/gcn");
    let text = page(output, "ops/V_ADD_F32.md");
    assert!(text.contains("| `clamp`: bits | 11 | 11 | 15 | 15 |"), "{text}");
    assert!(text.contains("always `V_ADD_F32` = 3 (GCN1_0, GCN1_1)"), "{text}");
    let added = page(output, "ops/V_ADD_NC_U32.md");
    assert!(added.contains("| `V_ADD_NC_U32_E32` | — | — | — | yes |"), "{added}");
}

#[test]
fn forms_are_written_as_the_assembler_reads_them() {
    let output = manual("spec/gcn");
    let text = page(output, "ops/V_ADD_F32.md");
    let line = "`v_add_f32_e64 vdst, {-}{\\|}src0{\\|}, {-}{\\|}src1{\\|} {clamp} {omod}` |";
    assert!(text.contains(&format!("| [V_ADD_F32_E64](#form-v_add_f32_e64) | {line}")), "{text}");
    let output = manual("spec/simt");
    let line = "IADD{.X} rd{, pu}, {-/~}ra, {-/~}rb{, {!}pp} {$sched} {$req} {$wsb}";
    assert!(page(output, "ops/IADD.md").contains(&format!("{{@{{!}}pg}} {line}")));
    assert!(page(output, "ops/SETGPR.md").contains("SETGPR R[urb{+ridx}], ra"));
}

pub(crate) const NASTY: &str = r#"
__DefBitFieldType Odd<2>
    /// <img src=x onerror=alert(1)> a | b `c | d` ``` [[NASTY]] \
    ONE;
    /// # no heading | ~~~
    TWO;
  __Description
<script>alert(1)</script> | [x](javascript:alert(2)) [[Odd]]

__DefGroup GRP : [ALL]
  __Encoding
    field<24, 2> Odd odd = ONE;
  __Description
| a | b |
|---|---|
| `x \| y` | <b>bold</b> |

~~~
is no fence

__DefOptype NASTY : [GRP]
  __Syntax
```asm
NASTY{.odd} Rd
```
  __Description
<script>alert("1")</script> First. [[NASTY]] and [[NASTY_X]], not `[[NASTY]]`.

# Heading
Words
-----

<div>

```html
<script>alert("in a fence")</script>
    ```

* item

  <!-- comment
  --> ![i](data:text/html,x) <javascript:x> ~Ra and ~Rb
  {{#include /etc/passwd}}
  __Examples
```asm
NASTY R1
NASTY.TWO R2 // <script> | ```
```

__DefOpcode NASTY_X : [NASTY]
  __Encoding
    field<0, 8> Code code == 1;
    field<8, 4> Reg rd;
  __OperandInfo
    OutList<rd>;
    Order<rd>;
    Bitwidth<rd> = 32;
  __Exception
    EncodingError<Bad, "<b>|`x`|</b> *not* [a](javascript:b) _c_"> = rd == "R3";

__DefOptype README : [GRP]

__DefOpcode README_X : [README]
  __Encoding
    field<0, 8> Code code == 2;

__DefOptype nasty : [GRP]

__DefOpcode nasty_x : [nasty]
  __Encoding
    field<0, 8> Code code == 3;
"#;

#[test]
fn nothing_of_a_specification_is_html() {
    let output = small(NASTY);
    check(&output);
    let nasty = page(&output, "ops/NASTY.md");
    assert!(nasty.contains("&lt;script>alert(\"1\")&lt;/script>"), "{nasty}");
    assert!(nasty.contains("\n### Heading\n"), "{nasty}");
    assert!(nasty.contains("\n#### Words\n"), "{nasty}");
    assert!(nasty.contains("```html\n<script>alert(\"in a fence\")</script>\n```\n"), "{nasty}");
    assert!(nasty.contains("[NASTY_X](#form-nasty_x)"), "{nasty}");
    assert!(nasty.contains("`[[NASTY]]`"), "{nasty}");
    // A renderer does not find HTML or links that run code.
    for (path, text) in
        output.files().filter(|(path, _)| path.extension().is_some_and(|e| e == "md"))
    {
        let text = text.to_lowercase();
        for (at, _) in text.match_indices("](javascript:").chain(text.match_indices("](data:")) {
            let open = text[..at].rfind('[').expect("a bracket opens it");
            assert!(text[..open].ends_with('\\'), "{}: {}", path.display(), &text[open..]);
        }
    }
    // Names that are special to a renderer or a file system get other file names.
    assert!(output.get("docs/src/ops/README.md").is_none());
    page(&output, "ops/README-2.md");
    page(&output, "ops/nasty-2.md");
}

#[test]
fn examples_have_the_bytes_of_the_assembler() {
    for spec in MANUALS {
        let output = manual(spec);
        let mut count = 0;
        for isa in compiled(spec).sets.isas() {
            for optype in isa.optypes() {
                let text = page(output, &format!("ops/{}.md", optype.name));
                // A line may be the syntax of the operation, too.
                let text = text.split_once("## Examples").map_or(&*text, |(_, examples)| examples);
                for line in example_lines(&optype.prose) {
                    let Ok(inst) = isa.assemble(&line) else { continue };
                    // The same line may be a different operation in another generation.
                    if !optype.opcodes.contains(&inst.opcode) {
                        continue;
                    }
                    let bytes = isa.opcode(inst.opcode).width as usize / 8;
                    let hex = isadl::hex::write_bytes(&inst.word.to_le_bytes()[..bytes]);
                    let (_, below) = text
                        .split_once(&format!("\n{line}"))
                        .unwrap_or_else(|| panic!("{}: `{line}` is not shown", optype.name));
                    let end = below.find("```").unwrap_or(below.len());
                    let shown = below[..end].lines().skip(1);
                    let mut shown = shown.take_while(|line| line.starts_with("    "));
                    assert!(
                        shown.any(|line| line.contains(&hex)),
                        "{}: {line}: {hex}",
                        optype.name
                    );
                    count += 1;
                }
            }
        }
        // A64 has none: its texts are held against LLVM's.
        assert!(count > 80 || spec == "spec/a64", "{spec}: only {count} examples");
    }
}

/// The instructions in the fences of examples.
pub(crate) fn example_lines(prose: &[Prose]) -> Vec<String> {
    let mut lines = Vec::new();
    for section in prose.iter().filter(|section| section.kind == SectionKind::Examples) {
        let (mut open, mut law) = (false, false);
        for line in section.text.lines() {
            if line.starts_with("```") {
                open = !open;
                law = open && line == "```law";
            } else if open && !law && !line.trim().is_empty() && !line.trim().starts_with("//") {
                // Claims are below the example.
                let line = line.split("//=").next().unwrap_or_default();
                lines.push(line.trim_end().to_string());
            }
        }
    }
    lines
}

#[test]
fn chinese_sources_keep_their_text() {
    let Some(texts) = seed_texts() else { return };
    let (sources, compilation) = compile(&texts);
    let family = compilation.family.expect("the source files have no errors");
    let output = generate(&family, &[], &sources, &Options::default());
    check(&output);
    let mut lines = 0;
    for optype in family.first().optypes() {
        let text = page(&output, &format!("ops/{}.md", optype.name)).replace("&lt;", "<");
        let text = text.replace("\\[", "[").replace("\\~", "~");
        for section in &optype.prose {
            for line in section.text.lines().filter(|line| !line.trim().starts_with("```")) {
                // Links show as their names.
                let line = line.trim_end().replace("[[", "]]");
                for part in line.split("]]") {
                    assert!(text.contains(part), "{}: {part}", optype.name);
                }
                lines += 1;
            }
        }
    }
    assert!(lines > 1000, "only {lines} lines");
}
