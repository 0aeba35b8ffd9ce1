//! The layout of programs: only white space changes, the syntax tree stays, and the previous layout does not matter. Prose, and programs
//! with errors, stay as they are.

use isadl::diagnostic::Diagnostics;
use isadl::format::Formatter;
use isadl::semantics::syntax::{Line, layout, parse};
use isadl::source::{SourceMap, Span};
use isadl_test_support::{Random, source_map};

use crate::format::{format, texts};

/// The lines of the texts that may be programs: runs of `///=` lines, and fences.
fn candidates(text: &str) -> Vec<Vec<String>> {
    let (mut found, mut open): (Vec<Vec<String>>, Option<Vec<String>>) = (Vec::new(), None);
    let mut is_pseudo_code = false;
    for line in text.lines().map(str::trim) {
        if let Some(program) = &mut open {
            if line.starts_with("```") {
                found.extend(open.take());
            } else if !line.is_empty() && !line.starts_with("//") {
                program.push(line.to_string());
            }
            continue;
        }
        let was_pseudo_code = std::mem::replace(&mut is_pseudo_code, line.starts_with("///="));
        if line == "```isa" {
            open = Some(Vec::new());
        } else if let Some(line) = line.strip_prefix("///=") {
            match found.last_mut().filter(|_| was_pseudo_code) {
                Some(program) => program.push(line.trim().to_string()),
                None => found.push(vec![line.trim().to_string()]),
            }
        }
    }
    found
}

/// The syntax tree of a program without locations; `None` if it has errors.
fn tree(lines: &[String]) -> Option<String> {
    with_lines(lines, |lines| {
        let mut found = Diagnostics::default();
        let program = format!("{:?}", parse(lines, &mut found));
        let mut tree = String::new();
        for part in program.split("Span {") {
            let rest =
                if tree.is_empty() { part } else { part.split_once('}').map_or("", |of| of.1) };
            tree += rest;
        }
        (!found.has_errors()).then_some(tree)
    })
}

/// The lines in the usual layout, with their indentation.
fn laid(lines: &[String]) -> Option<Vec<String>> {
    let laid = with_lines(lines, layout)?.into_iter();
    Some(laid.map(|line| "    ".repeat(line.indent) + &line.text).collect())
}

fn with_lines<T>(lines: &[String], step: impl FnOnce(&[Line<'_>]) -> T) -> T {
    let mut sources = SourceMap::new();
    let file = sources.add("program", lines.join("\n").into_bytes());
    let mut start = 0;
    let lines: Vec<Line<'_>> = sources
        .file(file)
        .text()
        .lines()
        .map(|text| {
            let span = Span { file, start, end: start + text.len() as u32 };
            start = span.end + 1;
            Line { text, span }
        })
        .collect();
    step(&lines)
}

/// The words and signs of a line.
fn words(line: &str) -> Vec<&str> {
    const SIGNS: [&str; 9] = ["<<", ">>", "==", "!=", "<=", ">=", "..", "+:", "@["];
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut found, mut rest) = (Vec::new(), line.trim());
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            '/' if rest.starts_with("//") => rest.len(),
            first if is_word(first) => word_length(rest),
            _ if SIGNS.iter().any(|sign| rest.starts_with(sign)) => 2,
            first => first.len_utf8(),
        };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    found
}

/// The length of the word or number, which may have a point, at the beginning of a text.
fn word_length(text: &str) -> usize {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length = text.find(|c| !is_word(c)).unwrap_or(text.len());
    let fraction =
        text[length..].strip_prefix('.').filter(|_| text.starts_with(|c: char| c.is_ascii_digit()));
    let digits =
        fraction.map_or(0, |rest| rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
    if digits == 0 {
        return length;
    }
    let end = length + 1 + digits;
    let Some(exponent) = text[end..].strip_prefix('e') else { return end };
    let digits = exponent.trim_start_matches(['+', '-']);
    let digits = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    text.len() - digits.len()
}

/// A line with other spaces between its tokens.
fn shaken(line: &str, random: &mut Random) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut made = " ".repeat(random.below(6) as usize);
    for word in words(line) {
        let is_needed = made.ends_with(is_word) && word.starts_with(is_word);
        made += &" ".repeat(random.below(3) as usize + usize::from(is_needed));
        made += word;
    }
    made + &" ".repeat(random.below(2) as usize)
}

#[test]
fn syntax_trees_stay_and_the_layout_before_does_not_matter() {
    let mut random = Random::new(11);
    let mut count = 0;
    for (name, text) in texts() {
        for program in candidates(&text) {
            let Some(before) = tree(&program) else {
                assert_eq!(laid(&program), None, "{name}: {program:?}");
                continue;
            };
            let made = laid(&program).expect("no errors");
            assert_eq!(tree(&made).as_deref(), Some(before.as_str()), "{name}: {program:?}");
            assert_eq!(laid(&made), Some(made.clone()), "{name}: {program:?}");
            let other: Vec<String> = program.iter().map(|line| shaken(line, &mut random)).collect();
            assert_eq!(laid(&other), Some(made), "{name}: {other:?}");
            count += 1;
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn operators_brackets_and_blocks_are_spaced() {
    for (crooked, straight) in [
        ("rd=ra+ - rb", "rd = ra + -rb"),
        ("rd = -ra-( rb )", "rd = -ra - (rb)"),
        ("rd=~ x [ 7:0 ]", "rd = ~x[7:0]"),
        ("rd = x[ 8*i+:8 ] ; t=y", "rd = x[8 * i +: 8]; t = y"),
        ("{rd , flag}={ a,b , c }", "{rd, flag} = {a, b, c}"),
        ("rd={ x[i] for i in 0..31 }", "rd = {x[i] for i in 0 .. 31}"),
        ("rd = c?a:b", "rd = c ? a : b"),
        ("t = x[c?1:0 : 0]", "t = x[c ? 1 : 0:0]"),
        (
            "if not(c){rd=a}else if d{ }else{commit ;}",
            "if not (c) { rd = a } else if d {} else { commit; }",
        ),
        ("match m{A|B:rd=a;_:{rd={a,b}}}", "match m { A | B: rd = a; _: { rd = {a, b} } }"),
        ("rd=match m{-1:{a,b};_:c?d:e}", "rd = match m { -1: {a, b}; _: c ? d : e }"),
        (
            "rd=and( x[i]for i in 0..3 if(i!=2) )and or(y for y in 1..2)",
            "rd = and(x[i] for i in 0 .. 3 if (i != 2)) and or(y for y in 1 .. 2)",
        ),
        ("var x:bits( 8 )=- 1", "var x : bits(8) = -1"),
        (
            "fn f( x:bits(n),c )={x,c}@[ A and(B,C) ]",
            "fn f(x : bits(n), c) = {x, c} @[A and (B, C)]",
        ),
        (
            "extern fn g( x:bits(4) ):bit pure , may trap",
            "extern fn g(x : bits(4)) : bit pure, may trap",
        ),
        ("extern memory m [bits(8)]", "extern memory m[bits(8)]"),
        ("let w:8|16=v else trap T( 1 )", "let w : 8 | 16 = v else trap T(1)"),
        ("rd=base . part@ 3", "rd = base.part@3"),
        ("rd = body [ 7:0 ]-1   //  as  it is", "rd = body[7:0] - 1 //  as  it is"),
        ("rd=rd==\"A  B\"", "rd = rd == \"A  B\""),
    ] {
        assert_eq!(
            laid(&[crooked.to_string()]).map(|lines| lines.concat()).as_deref(),
            Some(straight)
        );
    }
}

#[test]
fn blocks_and_statements_that_go_on_are_indented() {
    let crooked = "fn f(x) {\nt = {\nx,\n  x\n}\nreturn t +\nx\n- 1\n}\nif a {\nrd = max(\na,\nb)\n} else {\nmatch m {\nA:\nrd = a\n}}\natomic { ordered(a) {\nrd = f(g(\na))\n} }";
    let straight = "fn f(x) {\n    t = {\n        x,\n        x\n    }\n    return t +\n        x\n        - 1\n}\nif a {\n    rd = max(\n        \
                    a,\n        b)\n} else {\n    match m {\n        A:\n            rd = a\n} }\natomic { ordered(a) {\n    rd = f(g(\n        a))\n} }";
    let lines: Vec<String> = crooked.lines().map(str::to_string).collect();
    assert_eq!(laid(&lines).map(|lines| lines.join("\n")).as_deref(), Some(straight));
}

/// A file after the formatter that knows both files.
fn together(first: &str, second: &str) -> String {
    let sources = source_map(&[("a.isa", first), ("b.isa", second)]);
    let id = sources.specification().nth(1).expect("two files");
    Formatter::new(&sources).file(&sources, id).expect("no errors of syntax")
}

#[test]
fn prose_and_broken_programs_stay() {
    let table = |parent: &str| {
        format!(
            "__DefInstructions : [{parent}]\n    /// A.\n    ///=rd=ra+1\n    A [7:0] == 1;\n    ///= rd=ra+\n    B [7:0] == 2;\n"
        )
    };
    let straight = |parent: &str| table(parent).replace("///=rd=ra+1", "///= rd = ra + 1");
    let groups = "__DefIsa X<8>\n    Semantics<checked>;\n__DefGroup ALL : []\n__DefGroup PROSE : [ALL]\n  __OperandInfo\n    \
                  Semantics<prose>;\n__DefGroup AGAIN : [PROSE]\n  __OperandInfo\n    Semantics<checked>;\n__DefGroup BELOW : [PROSE]\n";
    for (parent, is_checked) in
        [("ALL", true), ("PROSE", false), ("AGAIN", true), ("BELOW", false), ("UNKNOWN", true)]
    {
        let wanted = if is_checked { straight(parent) } else { table(parent) };
        assert_eq!(together(groups, &table(parent)), wanted);
    }
    // Without a statement, pseudo code is prose; so are aliases, which have no program.
    assert_eq!(format(&table("ALL")), Some(table("ALL")));
    let aliases = "__DefAliases : [A]\n    ///=rd=ra+1\n    C [7:0] == 1;\n";
    assert_eq!(together(groups, aliases), aliases);
}

#[test]
fn fences_are_indented_with_their_comments() {
    let text = "__DefGroup ALL : []\n  __Semantics\nProse  =x.\n```c\nrd=x\n```\n  ````isa\n// One.\n\n \t \nif c{  \n// Two.\nrd=a\r\n  }\n//Three.\n  ````\n```isa\nrd=\n```\n";
    let made = "__DefGroup ALL : []\n  __Semantics\nProse  =x.\n```c\nrd=x\n```\n  ````isa\n  // One.\n\n\n  if c {\n      // Two.\n      rd = a\r\n  }\n  //Three.\n  ````\n```isa\nrd=\n```\n";
    assert_eq!(format(text).as_deref(), Some(made));
    assert_eq!(format(made).as_deref(), Some(made));
}
