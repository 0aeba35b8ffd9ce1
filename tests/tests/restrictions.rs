//! Checks every example of a page of the manual against every restriction on the page.

use isadl::engine::Inst;
use isadl::isa::Rule;
use isadl_test_support::{Random, Set, compiled, simt};

use crate::manual::{MANUALS, example_lines, manual, page};

/// A restriction as printed on a page: its message, and the forms that it applies to (all if none is
/// named).
fn restrictions(text: &str) -> Vec<(String, Vec<String>)> {
    let Some((_, rest)) = text.split_once("\n## Restrictions\n") else { return Vec::new() };
    let section = rest.split("\n## ").next().unwrap_or_default();
    let items = section.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let restriction = |line: &str| {
        let (_, line) = line.split_once(". ").expect("a number is before a restriction");
        let who = [" Illegal if ", " Refused by the assembler if "];
        let at = who.iter().filter_map(|who| line.find(who)).min().expect("who refuses is said");
        let forms = line.rsplit_once(" Only `").map_or("", |(_, forms)| forms);
        let forms = forms.split('`').step_by(2).filter(|form| !form.is_empty());
        let forms = forms.take_while(|form| !form.starts_with('.')).map(str::to_string);
        (line[..at].replace('\\', ""), forms.collect())
    };
    items.map(restriction).collect()
}

/// Whether a rule holds for an instruction: its message would be reported.
fn holds(isa: &Set, inst: Inst, rule: &Rule) -> bool {
    let value = |name, reading| isa.value(inst, name, reading).unwrap_or(0);
    isa.expr(rule.condition).eval(&value) != 0
}

/// Restrictions that contradict an example, by the forms of an instruction with its name. A word of a form with a
/// literal is also checked against the restrictions of the form without a literal.
fn contradicted(isa: &Set, line: &str, inst: Inst, text: &str) -> Vec<String> {
    let name = &isa.opcode(inst.opcode).name;
    let mut found = Vec::new();
    for (message, forms) in restrictions(text) {
        if !forms.is_empty() && !forms.contains(name) {
            continue;
        }
        let alike = isa.opcodes().iter().filter(|opcode| opcode.name == *name);
        let rules = alike.flat_map(|opcode| &opcode.rules).map(|id| isa.rule(*id));
        let mut rules = rules.filter(|rule| plain(&rule.message) == plain(&message));
        if rules.any(|rule| holds(isa, inst, rule)) {
            found.push(format!("`{line}` is against: {message}"));
        }
    }
    found
}

/// A message without Markdown.
fn plain(message: &str) -> String {
    let message = message.trim().trim_end_matches('.');
    message.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").replace(['`', '\\'], "")
}

#[test]
fn examples_are_against_no_restriction_of_their_page() {
    for spec in MANUALS {
        let output = manual(spec);
        let mut count = 0;
        let mut found = Vec::new();
        for isa in compiled(spec).sets.isas() {
            for optype in isa.optypes() {
                let text = page(output, &format!("ops/{}.md", optype.name));
                for line in example_lines(&optype.prose) {
                    let Ok(inst) = isa.assemble(&line) else { continue };
                    if optype.opcodes.contains(&inst.opcode) {
                        found.extend(contradicted(isa, &line, inst, &text));
                        count += restrictions(&text).len();
                    }
                }
            }
        }
        // A64 has few examples and few rules.
        assert!(count > 40 || spec == "spec/a64", "{spec}: only {count} restrictions");
        assert!(found.is_empty(), "{spec}: {found:#?}");
    }
}

#[test]
fn an_example_against_a_restriction_is_found() {
    let isa = simt();
    let inst = isa.assemble("MOV R0, R1").expect("an instruction");
    assert!(!isa.opcode(inst.opcode).rules.iter().any(|rule| holds(isa, inst, isa.rule(*rule))));
    let mut broken = None;
    for id in isa.opcode_ids().filter(|id| isa.opcode(*id).rules.len() > 1) {
        let mut random = Random::new(3);
        let words = std::iter::repeat_with(|| random.next_u128()).take(2000);
        let opcode = isa.opcode(id);
        broken = words
            .map(|word| word & !opcode.mask | opcode.value)
            .map(|word| Inst { opcode: id, word })
            .find(|inst| opcode.rules.iter().any(|rule| holds(isa, *inst, isa.rule(*rule))));
        if broken.is_some() {
            break;
        }
    }
    let broken = broken.expect("random words break rules");
    let opcode = isa.opcode(broken.opcode);
    let optype = &isa.optypes()[opcode.optypes[0].index()].name;
    let text = page(manual("spec/simt"), &format!("ops/{optype}.md"));
    assert!(!contradicted(isa, "it", broken, &text).is_empty(), "{}", opcode.name);
}
