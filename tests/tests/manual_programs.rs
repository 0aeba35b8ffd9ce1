//! Programs in the manual: links to declarations, folded wrappers, and no other HTML.

use super::manual::{manual, page};

/// The text of a page without its programs, and the programs.
fn apart(page: &str) -> (String, Vec<String>) {
    let (mut text, mut programs) = (String::new(), Vec::new());
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("<pre><code class=\"nohighlight\">") {
        let (program, after) = after.split_once("</code></pre>").expect("programs end");
        text += before;
        programs.push(program.to_string());
        rest = after;
    }
    (text + rest, programs)
}

/// The addresses of the links in programs.
pub(crate) fn program_links(page: &str) -> Vec<String> {
    let programs = apart(page).1;
    let links = programs.iter().flat_map(|program| program.split("<a href=\"").skip(1));
    links.map(|link| link.split('"').next().unwrap_or_default().to_string()).collect()
}

/// Checks that programs have no elements but links; the result is the rest of the page.
pub(crate) fn check_programs(name: &str, page: &str) -> String {
    let (mut rest, programs) = apart(page);
    for program in &programs {
        let mut left = program.as_str();
        while let Some((before, after)) = left.split_once("<a href=\"") {
            assert!(!before.contains('<'), "{name}: {program}");
            let (name_of, after) = after.split_once("</a>").expect("links end");
            assert_eq!(name_of.matches(['<', '>']).count(), 1, "{name}: {program}");
            left = after;
        }
        assert!(!left.contains('<'), "{name}: {program}");
    }
    for element in ["<details>\n<summary>", "</summary>\n", "\n</details>\n"] {
        rest = rest.replace(element, "");
    }
    rest
}

#[test]
fn programs_link_to_what_they_name() {
    let output = manual("spec/riscv");
    let swap = page(output, "ops/AMOADD_W.md");
    let memory = "<a href=\"../groups/ALL.md#memory-memory\">memory</a>";
    let size = "<a href=\"../groups/AMO_OP.md#expression-size\">size</a>";
    let trap = "<a href=\"../groups/AMO.md#trap-addressmisaligned\">AddressMisaligned</a>";
    let shown = format!(
        "## Semantics\n\n<pre><code class=\"nohighlight\">old + rs2[31:0]</code></pre>\n\n\
         <details>\n<summary>With what surrounds it</summary>\n\n<pre><code class=\"nohighlight\">\
         if base &amp; ((1 &lt;&lt; funct3) - 1) != 0 {{ trap {trap}(base) }}\n\
         ordered(order) {{\n    atomic {{\n        old = {memory}[base][{size} - 1:0]\n        \
         {memory}[base][{size} - 1:0] = old + rs2[31:0]\n        rd = signed(old)\n    }}\n}}\
         </code></pre>\n\n</details>\n\n## Encoding"
    );
    assert!(swap.contains(&shown), "{swap}");
    let group = page(output, "groups/AMO_OP.md");
    assert!(group.contains("\n### Expression `size`\n"), "{group}");
    let memory = memory.replace("../groups/", "");
    assert!(group.contains(&format!("{memory}[base]")) && group.contains("= body\n"), "{group}");
    assert!(!group.contains("```isa"), "{group}");
    // Generations with other constants have a text each.
    let all = page(output, "groups/ALL.md");
    assert!(all.contains("### Constant `XLEN`\n\n*RV32:*\n\n"), "{all}");
}

/// Declarations of groups without a page are shown where they are used.
#[test]
fn a_reader_finds_every_declaration() {
    let output = manual("spec/a64");
    let load = page(output, "ops/LDR_X.md");
    for part in [
        "LDR_X_OFFSET with what surrounds it",
        "let index_shift = times\n",
        "base = base + offset</code>",
    ] {
        assert!(load.contains(part), "{part}\n{load}");
    }
}
