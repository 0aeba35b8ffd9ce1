//! The contents of manual pages, and the manual as one file: its links lead to elements that exist, its ids are unique,
//! nothing of a specification is an element, an attribute or a script, and it loads nothing.

use std::collections::BTreeSet;

use isadl::isa::Isa;
use isadl_codegen::markdown::{Groups, Options, SourceLinks, generate, html};
use isadl_codegen::output::Output;
use isadl_test_support::{compile, compiled, prelude, random, root};

use super::manual::{MANUALS, NASTY, check, manual, page, small};

/// The file of a manual.
fn file(output: &Output) -> &str {
    assert_eq!(output.files().count(), 1, "it is one file");
    output.get("manual.html").expect("the file")
}

/// The values of an attribute, unescaped.
fn values<'t>(text: &'t str, start: &'t str) -> impl Iterator<Item = String> + 't {
    text.split(start).skip(1).map(|rest| {
        let value = rest.split('"').next().unwrap_or_default();
        let value = value.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
        value.replace("&#39;", "'").replace("&amp;", "&")
    })
}

/// The tags of a text without its styles and its script, each with its attributes.
fn tags(text: &str) -> Vec<&str> {
    let (head, rest) = text.split_once("<style>").expect("the styles");
    let (_, body) = rest.split_once("</style>").expect("their end");
    let (body, _) = body.split_once("<script>").expect("the script");
    let all = [head, body].into_iter().flat_map(|part| part.split('<').skip(1));
    all.map(|tag| tag.split('>').next().unwrap_or_default()).collect()
}

/// Checks the properties of every file, and returns the number of links within it.
fn check_file(text: &str) -> usize {
    let ids: Vec<String> = values(text, " id=\"").collect();
    let unique: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    assert_eq!(unique.len(), ids.len(), "an id is there twice");
    let mut links = 0;
    for target in values(text, " href=\"") {
        let Some(id) = target.strip_prefix('#') else {
            let is_site = ["http://", "https://", "mailto:"].iter().any(|s| target.starts_with(s));
            assert!(is_site || target.contains(".isa#L"), "{target} is not in the file");
            continue;
        };
        assert!(unique.contains(id), "{target} leads nowhere");
        links += 1;
    }
    let known = [
        "!doctype",
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "button",
        "b",
        "a",
        "input",
        "ul",
        "nav",
        "li",
        "details",
        "summary",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "main",
        "article",
        "p",
        "div",
        "span",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "code",
        "pre",
        "em",
        "strong",
        "del",
        "ol",
        "br",
        "hr",
        "blockquote",
        "img",
        "svg",
        "desc",
        "rect",
        "text",
        "footer",
        "sup",
        "!--",
    ];
    for tag in tags(text) {
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap_or_default();
        assert!(known.contains(&name), "<{tag}> is not an element of ours");
        let is_handler = |word: &str| word.starts_with("on") && word.contains('=');
        assert!(!tag.split([' ', '\n', '"', '\'']).any(is_handler), "<{tag}> runs code");
        let is_loaded = tag.contains(" src=") && !tag.contains(" src=\"data:image/svg+xml,");
        assert!(!is_loaded, "<{tag}> loads something");
    }
    assert_eq!(text.matches("<script").count(), 1, "there is one script");
    links
}

#[test]
fn files_are_whole() {
    for spec in MANUALS {
        let set = compiled(spec);
        let options = Options::new(&set.sources, &root().join("generated"));
        let output = html(&set.sets, &set.programs, &set.sources, &options);
        let text = file(&output);
        let links = check_file(text);
        assert!(links > 500, "{spec}: only {links} links");
        let lock = std::fs::read_to_string(root().join(spec).join("opcodes.lock"));
        let opcodes = lock.map_or(0, |lock| lock.lines().count());
        let most = 9_000_000.max(9_100 * opcodes);
        assert!(text.len() < most, "{spec}: {} bytes", text.len());
        if spec == "spec/simt" {
            let again = html(&set.sets, &set.programs, &set.sources, &options);
            assert_eq!(output, again, "the same input gives the same bytes");
        }
    }
}

#[test]
fn nothing_of_a_specification_is_an_element() {
    let (sources, compilation) = compile(&[("prelude.isa", prelude().as_str()), ("a.isa", NASTY)]);
    let family = compilation.family.expect("no errors");
    let output = html(&family, &[], &sources, &Options::default());
    let text = file(&output);
    check_file(text);
    assert!(text.contains("&lt;script&gt;alert(\"1\")&lt;/script&gt; First."), "{text}");
    assert!(!text.contains("href=\"javascript:"), "{text}");
}

#[test]
fn books_of_random_sets_are_whole() {
    let mut count = 0;
    for seed in 0..40 {
        let text = random::specification(seed).text;
        let (sources, compilation) = compile(&[("random.isa", &text)]);
        let Some(family) = compilation.family else { continue };
        for groups in [Groups::Documented, Groups::All] {
            let options = Options { groups, ..Options::default() };
            check(&generate(&family, &[], &sources, &options));
            check_file(file(&html(&family, &[], &sources, &options)));
        }
        count += 1;
    }
    assert!(count >= 10, "only {count} sets");
}

/// The index by encoding in the manual of an instruction set.
fn index(spec: &str) -> String {
    page(manual(spec), "encodings.md")
}

#[test]
fn every_form_is_in_the_index_by_encoding() {
    for spec in MANUALS {
        let index = index(spec);
        for isa in compiled(spec).sets.isas() {
            for opcode in isa.opcodes().iter().filter(|opcode| !opcode.has_literal()) {
                let row = index.lines().find(|line| line.contains(&format!("[{}](", opcode.name)));
                let row = row.unwrap_or_else(|| panic!("{spec}: {} is not listed", opcode.name));
                let pattern = row.split('`').nth(1).unwrap_or_default();
                assert!(!pattern.is_empty(), "{row}");
            }
        }
    }
    // The patterns show the fixed bits.
    let index = index("spec/riscv");
    assert!(index.contains("\n## 16 bits\n") && index.contains("\n## 32 bits\n"), "{index}");
    let row = "| `0000000. ........ .000.... .0110011` | [ADD](ops/ADD.md#form-add) | `add` |";
    assert!(index.contains(row), "{index}");
}

#[test]
fn diagrams_have_the_values_of_fixed_bits() {
    let set = compiled("spec/simt");
    let output = generate(&set.sets, &set.programs, &set.sources, &Options::default());
    let isa: &Isa = &set.sets.isas()[0];
    for opcode in isa.opcodes() {
        // Each form has its own diagram, with all digits of its fixed bits.
        let picture = page(&output, &format!("svg/{}.svg", opcode.name));
        let lines = picture.lines().filter(|line| line.contains("<text x=\""));
        let digits: usize = lines
            .flat_map(|line| line.split("<text x=\"").skip(1))
            .map(|text| text.split('>').nth(1).unwrap_or_default().trim_end_matches("</text"))
            .filter(|text| !text.is_empty() && text.chars().all(|c| c == '0' || c == '1'))
            .map(str::len)
            .sum();
        assert_eq!(digits as u32, opcode.mask.count_ones(), "{}: {picture}", opcode.name);
    }
}

#[test]
fn only_the_first_form_is_whole() {
    let set = compiled("spec/simt");
    let output = generate(&set.sets, &set.programs, &set.sources, &Options::default());
    let text = page(&output, "ops/IMAD_WIDE.md");
    let (_, second) = text.split_once("\n### Form IMAD_WIDE_RIR\n").expect("the second form");
    let (second, _) = second.split_once("\n### ").expect("another one");
    let says = "Fields that differ from [IMAD_WIDE_RRR](#form-imad_wide_rrr):";
    assert!(second.contains(says) && second.contains("| 63:32 | `vb` |"), "{second}");
    assert!(second.contains("Not here, of [IMAD_WIDE_RRR](#form-imad_wide_rrr): `rb`."));
    assert!(!second.contains("`sched`"), "{second}");
    assert!(!text.contains("in generated code"), "{text}");
}

#[test]
fn functions_are_described_and_summaries_differ() {
    let set = compiled("spec/gcn");
    let output = generate(&set.sets, &set.programs, &set.sources, &Options::default());
    let text = page(&output, "ops/V_ADD_F32.md");
    // The forms have functions of their own; the description says what they have in common.
    assert!(text.contains("<summary>V_ADD_F32_E32 with what surrounds it</summary>"), "{text}");
    assert!(text.contains("fn finish(x) {\n    y = keeps_subnormals"), "{text}");
    let notation = page(&output, "notation.md");
    assert!(notation.contains("### Function finish\n\n`finish(x)` multiplies"), "{notation}");
    let index = page(&output, "mnemonics.md");
    assert!(!index.is_empty());
    let groups = page(&output, "groups/VOP2.md");
    let of = |name: &str| {
        let row = groups.lines().find(|line| line.starts_with(&format!("| [{name}](")));
        row.and_then(|row| row.split(" | ").nth(1)).expect("a row").to_string()
    };
    assert_eq!(of("V_MUL_F32"), "Multiplies two binary32 numbers.");
    assert_ne!(of("V_MUL_F32"), of("V_MUL_LEGACY_F32"));
}

#[test]
fn source_links_are_what_is_asked_for() {
    let set = compiled("spec/simt");
    let with = |links: SourceLinks| {
        let options = Options { links, ..Options::new(&set.sources, &root().join("generated")) };
        page(&generate(&set.sets, &set.programs, &set.sources, &options), "ops/IADD.md")
    };
    assert!(!with(SourceLinks::Off).contains(".isa"));
    let url = with(SourceLinks::Url("https://example.org/x/".to_string()));
    assert!(url.contains("](<https://example.org/x/") && !url.contains("](<../"), "{url}");
}

#[test]
fn a_group_has_a_page_if_it_is_documented_or_asked_for() {
    let text = "
__DefGroup PLUMBING : [ALL]

__DefOptype A : [PLUMBING]

__DefOpcode A_X : [A]
  __Encoding
    field<0, 8> Code code == 1;
";
    assert!(small(text).get("docs/src/groups/PLUMBING.md").is_none());
    let (sources, compilation) = compile(&[("prelude.isa", prelude().as_str()), ("a.isa", text)]);
    let family = compilation.family.expect("no errors");
    let options = Options { groups: Groups::All, ..Options::default() };
    let output = generate(&family, &[], &sources, &options);
    check(&output);
    assert!(output.get("docs/src/groups/PLUMBING.md").is_some());
}

/// Types into the search field, follows the first result, and reports the shown page.
const TYPING: &str = "<script>addEventListener('load', () => {
  const field = document.getElementById('find');
  dispatchEvent(new KeyboardEvent('keydown', { key: '/' }));
  document.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }));
  const focused = document.activeElement === field;
  field.value = 'imad.wide rir';
  field.dispatchEvent(new Event('input'));
  const first = document.querySelector('#found li.on a').getAttribute('href');
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
  addEventListener('hashchange', () => {
    const shown = [...document.querySelectorAll('article.on')].map((page) => page.id).join();
    const visible = [...document.querySelectorAll('article')].filter((page) => page.offsetParent).length;
    document.body.dataset.said = [focused, first, shown, visible].join(' ');
  });
});</script></body>";

#[test]
fn the_search_works_in_a_browser() {
    let browser = ["chromium", "chromium-browser", "google-chrome"];
    let version = |name: &&str| std::process::Command::new(name).arg("--version").output().is_ok();
    let Some(browser) = browser.into_iter().find(version) else {
        println!("skipped: there is no chromium");
        return;
    };
    let set = compiled("spec/simt");
    let text = html(&set.sets, &set.programs, &set.sources, &Options::default());
    let text = file(&text).replacen("</body>", TYPING, 1);
    let folder = std::env::temp_dir().join(format!("isadl-browser-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("manual.html");
    std::fs::write(&path, text).expect("the file is written");
    let profile = format!("--user-data-dir={}", folder.join("profile").display());
    let run = std::process::Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"])
        .args([profile.as_str(), "--dump-dom", &format!("file://{}", path.display())])
        .output()
        .expect("the browser runs");
    let _ = std::fs::remove_dir_all(&folder);
    let dom = String::from_utf8_lossy(&run.stdout);
    let said = values(&dom, "data-said=\"").next().unwrap_or_default();
    let form = "#ops/IMAD_WIDE:form-imad_wide_rir";
    assert_eq!(said, format!("true {form} ops/IMAD_WIDE 1"));
}

#[test]
fn pages_have_aliases_and_operands_as_they_are_written() {
    let output = manual("tests/fixtures/tutorial");
    check(output);
    let addi = page(output, "ops/ADDI.md");
    let rows = "| `mov rd, ra` | `addi rd, ra, value` | `value` is `0` |\n\
                | `dec rd` | `addi rd, ra, value` | `value` is `-1`, `ra == rd` |\n";
    assert!(addi.contains(rows), "{addi}");
    let load = page(output, "ops/LOAD.md");
    assert!(load.contains("\nload rd, offset(base)\n"), "{load}");
    assert!(!load.contains("## Aliases"), "{load}");
}
