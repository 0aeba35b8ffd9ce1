//! Diagnostics: the findings that all stages report, and the catalogue of their codes.
//!
//! Invariant: a code has one meaning for ever, one page (`codes/CODE.md`, which `isadl explain`
//! prints), and at least one fixture in `tests/diagnostics`.

use std::fmt;
use std::str::FromStr;

use crate::span::Span;

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The specification cannot be compiled.
    Error,
    /// Probably a mistake; the specification compiles.
    Warning,
}

impl Severity {
    /// The word that is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

macro_rules! codes {
    ($($code:ident $severity:ident $title:literal;)*) => {
        /// The kind of a problem, as a code that never changes its meaning.
        ///
        /// Blocks: 00 sources, 01 syntax, 02 names, 03 types, 04 fields, 05 operands,
        /// 06 expressions and rules, 07 encodings, 08 opcode numbers, 09 text, 10 generations,
        /// 11 assembly files, 12 programs.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code { $(#[doc = $title] $code,)* }

        impl Code {
            /// Every code, in order.
            pub const ALL: &[Code] = &[$(Code::$code),*];

            /// The code as it is written, such as `E0401`.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$code => stringify!($code),)* }
            }

            /// One line that names the problem.
            pub fn title(self) -> &'static str {
                match self { $(Code::$code => $title,)* }
            }

            /// The severity unless the user chooses another.
            pub fn severity(self) -> Severity {
                match self { $(Code::$code => Severity::$severity,)* }
            }

            /// The page of the code in Markdown: meaning, failing example, fixed example.
            pub fn page(self) -> &'static str {
                match self { $(Code::$code => include_str!(concat!("codes/", stringify!($code), ".md")),)* }
            }
        }
    };
}

codes! {
    E0001 Error "file is not UTF-8";
    E0002 Error "file is empty";
    E0003 Error "file is too large";
    E0004 Error "malformed isadl.toml";
    E0101 Error "syntax error";
    E0102 Error "statement without `;`";
    E0103 Error "unknown definition keyword";
    E0104 Error "unknown section";
    E0105 Error "unknown statement";
    E0106 Error "code fence not closed";
    E0107 Error "text outside a definition";
    E0108 Error "malformed definition header";
    E0109 Error "nested too deeply";
    E0110 Error "number too large";
    W0111 Warning "prose that looks like a misspelt statement";
    E0112 Error "misplaced statement or section";
    W0113 Warning "section given twice";
    W0114 Warning "malformed comment for the compiler";
    W0115 Warning "comment that accepts nothing";
    E0201 Error "duplicate definition";
    E0202 Error "undefined type";
    E0203 Error "undefined parent";
    E0204 Error "parent of the wrong kind";
    E0205 Error "inheritance cycle";
    E0206 Error "no instruction set is defined";
    E0207 Error "second instruction set";
    E0208 Error "undefined register file";
    E0209 Error "undefined field";
    E0210 Error "undefined function";
    W0211 Warning "unused type";
    W0212 Warning "definition without opcodes";
    W0213 Warning "unused register file";
    W0214 Warning "unused field of a placeholder";
    E0301 Error "too many enumerators";
    E0302 Error "value does not fit its type";
    W0303 Warning "value used twice";
    E0304 Error "duplicate name in a type";
    E0305 Error "width out of range";
    E0306 Error "invalid range of registers or constants";
    E0307 Error "incomplete type";
    E0308 Error "number format does not fit";
    E0309 Error "value with two meanings";
    E0310 Error "composite whose parts do not fit together";
    E0311 Error "include of a type that is not an operand type";
    W0312 Warning "value that no word has";
    E0313 Error "scale, bias, digits or prefix that does not fit";
    E0314 Error "condition on values that cannot be used";
    E0315 Error "values without a name that cannot be written";
    E0316 Error "address that numbers cannot be relative to";
    W0317 Warning "set of names without names of its own";
    E0318 Error "values that cannot be computed";
    E0319 Error "encodings of one number";
    E0320 Error "relocation that cannot be used";
    E0321 Error "number that ELF files cannot have";
    E0322 Error "environment with registers or calls that cannot be";
    E0401 Error "fields overlap";
    E0402 Error "field exceeds the instruction word";
    E0403 Error "field of zero width";
    E0404 Error "field and type widths differ";
    E0405 Error "value that the type does not define";
    E0406 Error "value does not fit the field";
    E0407 Error "duplicate field";
    W0408 Warning "field redeclared";
    E0409 Error "field redeclared differently";
    E0410 Error "attribute of an operand that does not exist";
    E0411 Error "attribute without a bit-field type";
    E0412 Error "control field without default";
    E0413 Error "instruction with two widths";
    E0414 Error "field value given twice";
    E0415 Error "operand does not accept a literal";
    W0416 Warning "default that is never legal";
    W0417 Warning "defaults that are never legal together";
    E0418 Error "bits in the wrong order, or given twice";
    E0420 Error "alias that is more than a text";
    E0501 Error "list entry is not an operand";
    E0502 Error "required operand missing from Order";
    E0503 Error "operand lists disagree";
    W0504 Warning "operand without Bitwidth";
    E0505 Error "statement given twice";
    E0506 Error "operand listed twice";
    E0507 Error "impossible indirect operand";
    E0508 Error "opcode without Order";
    E0509 Error "wrong arguments of a function";
    E0510 Error "modifier expected";
    E0511 Error "invalid mnemonic";
    E0512 Error "mask that does not fit its register file";
    E0513 Error "partial write of an operand that is not written";
    E0514 Error "output operand that cannot be written";
    E0515 Error "width exceeds the register file";
    W0516 Warning "semantics read an operand that is only written";
    E0517 Error "width that is not positive";
    E0518 Error "statement repeats Operands";
    E0519 Error "operand or modifier that cannot be made of these fields";
    E0520 Error "shorter encoding that does not fit";
    E0521 Error "`Flow` statement that never applies";
    E0522 Error "unknown class of flow of control";
    E0523 Error "mnemonic that cannot have these fields";
    W0524 Warning "read or write with a constant condition";
    E0525 Error "relaxation that does not reach the target";
    E0601 Error "ill-typed expression";
    E0602 Error "comparison with an undefined value";
    E0603 Error "division by zero";
    W0604 Warning "rule that never holds";
    E0605 Error "rule that always holds";
    E0606 Error "undefined class";
    W0607 Warning "rule that follows from others";
    W0608 Warning "rule for words of special cases only";
    E0701 Error "two opcodes share a word";
    E0702 Error "opcode without fixed bits";
    W0703 Warning "bits that no opcode of a group uses";
    E0704 Error "opcode that can never be decoded";
    E0705 Error "byte stream with two readings";
    E0706 Error "instruction that encodes as another opcode";
    W0707 Warning "bits that no statement mentions";
    W0708 Warning "question that is not decided";
    W0709 Warning "value of an operand that cannot be encoded";
    E0801 Error "malformed opcode numbers";
    W0802 Warning "opcode without a pinned number";
    W0901 Warning "example that does not assemble";
    W0902 Warning "example that prints as another instruction";
    W0903 Warning "template shows something that is not encoded";
    W0904 Warning "template lists an undefined value";
    W0905 Warning "unknown operand in a template";
    W0906 Warning "template and encoding disagree on defaults";
    W0907 Warning "unknown control field";
    W0908 Warning "form that no opcode implements";
    W0909 Warning "opcode that no template shows";
    W0910 Warning "malformed template";
    W0911 Warning "two opcodes with the same text";
    W0912 Warning "field that cannot be recovered from the text";
    W0913 Warning "example of another operation";
    W0914 Warning "broken link";
    W0915 Warning "table row with more cells than the header";
    W0916 Warning "text that cannot be read back";
    W0917 Warning "alias that is never used";
    E1001 Error "unknown generation";
    E1002 Error "empty range of generations";
    E1003 Error "opcode does not exist in any generation";
    E1004 Error "too many generations";
    W1005 Warning "generation without opcodes";
    E1006 Error "unknown extension";
    E1007 Error "guard by extension where only generations can differ";
    E1008 Error "extensions that imply each other";
    E1009 Error "opcode that no set of extensions has";
    E1010 Error "set of extensions that is not allowed";
    E1011 Error "too many extensions";
    E1012 Error "default that some sets of extensions lack";
    E1101 Error "line that is not an instruction";
    E1102 Error "malformed statement of an assembly file";
    E1103 Error "symbol without a value, or with two";
    E1104 Error "number that does not fit";
    E1105 Error "block of an assembly file that is not closed";
    E1106 Error "assembly file that becomes too large";
    E1107 Error "relocation that cannot be made";
    E1108 Error "statement whose size depends on itself";
    W1109 Warning "directive without effect";
    W1110 Warning "message of an assembly file";
    E1201 Error "program that cannot be read";
    E1202 Error "name without a meaning in a program";
    E1203 Error "name with a meaning already";
    E1204 Error "value that does not fit where it is stored";
    E1205 Error "sign that comes from operators alone";
    E1206 Error "comparison of more bits than the parts have";
    E1207 Error "unsigned number compared with one that may be negative";
    E1208 Error "number of bits that is not known";
    E1209 Error "bit, register or address that may not exist";
    E1210 Error "shift by a number that may be negative or too large";
    E1211 Error "divisor that may be 0";
    E1212 Error "condition that is not 0 or 1";
    E1213 Error "wrong arguments";
    E1214 Error "match that does not cover every value";
    E1215 Error "arm that is never taken";
    E1216 Error "name that is no place or no value";
    E1217 Error "value of an enumeration in the place of a number";
    E1218 Error "text and wrapper that do not fit";
    E1219 Error "program beyond the limits of the language";
    E1221 Error "read or write that no list declares";
    E1222 Error "declared read or write that never happens";
    E1223 Error "access to memory unlike its declaration";
    E1224 Error "flow of control unlike its declaration";
    W1225 Warning "declared read or write that happens in some words only";
    W1226 Warning "register read after it was written";
    E1227 Error "name that is never read";
    E1228 Error "statement in the wrong place";
    E1229 Error "result with fewer bits than its register";
    E1230 Error "elements of operands";
    E1231 Error "floating-point numbers and other values";
    E1232 Error "lanes";
    E1233 Error "environment that names what no program declares";
    E1234 Error "example that does something else";
    E1235 Error "law that does not hold";
    E1236 Error "example or law that cannot be tried";
    W1237 Warning "more registers in an operand than its program reads";
    W1238 Warning "program of a group that no opcode has";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Code {
    type Err = ();

    /// Reads a code, in either case.
    fn from_str(text: &str) -> Result<Code, ()> {
        Code::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(text)).ok_or(())
    }
}

/// A location with a remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// A remark on the text there; may be empty.
    pub text: String,
}

/// How to fix a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Help {
    /// The action, in words.
    pub text: String,
    /// The action as a replacement of text, if possible.
    pub fix: Option<Fix>,
}

/// A replacement of text; where that is exactly, [`crate::fix::place`] knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The text to replace.
    pub old: Old,
    /// The text that replaces it.
    pub new: String,
    /// Whether the fix is certainly what the user meant.
    pub certainty: Certainty,
}

/// The text that a fix replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Old {
    /// A text that is in the primary span once.
    Text(String),
    /// The text of a span.
    Span(Span),
    /// The statement that contains a span, with its semicolon. Includes its lines if nothing else is on them.
    Statement(Span),
    /// The text of a span, and its line if nothing else is on it.
    Line(Span),
    /// An entry of a list, with a comma beside it.
    Entry(Span),
    /// The definition whose name is the span.
    Definition(Span),
    /// The end of the line with a heading, in the definition whose name is the span.
    Section(Span, &'static str),
}

/// How certain it is that a fix is what the user meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// It certainly is; a tool may apply it without asking.
    Certain,
    /// It may be.
    Guess,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of finding.
    pub code: Code,
    /// The severity, according to the user's choice.
    pub severity: Severity,
    /// The error message.
    pub message: String,
    /// Where.
    pub primary: Label,
    /// Related locations.
    pub related: Vec<Label>,
    /// Why.
    pub notes: Vec<String>,
    /// How to fix it.
    pub helps: Vec<Help>,
    /// Whether the specification requests the lint. It is a warning then, even if its code is allowed by default.
    pub is_requested: bool,
}

impl Diagnostic {
    /// A finding at `span`, with the severity of its code.
    pub fn new(code: Code, message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic {
            code,
            severity: code.severity(),
            message: message.into(),
            primary: Label { span, text: String::new() },
            related: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
            is_requested: false,
        }
    }

    /// Adds a remark at the primary span.
    pub fn with_label(mut self, text: impl Into<String>) -> Diagnostic {
        self.primary.text = text.into();
        self
    }

    /// Adds a related location.
    pub fn with_related(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        add(&mut self.related, Label { span, text: text.into() });
        self
    }

    /// Says why.
    pub fn with_note(mut self, text: impl Into<String>) -> Diagnostic {
        add(&mut self.notes, text.into());
        self
    }

    /// Says how to fix it.
    pub fn with_help(mut self, text: impl Into<String>) -> Diagnostic {
        add(&mut self.helps, Help { text: text.into(), fix: None });
        self
    }

    /// Adds a help that replaces text.
    pub fn with_fix(mut self, text: impl Into<String>, fix: Fix) -> Diagnostic {
        add(&mut self.helps, Help { text: text.into(), fix: Some(fix) });
        self
    }

    /// Adds a help that suggests removing something, as a guess.
    pub fn with_removal(self, text: impl Into<String>, old: Old) -> Diagnostic {
        self.with_fix(text, Fix { old, new: String::new(), certainty: Certainty::Guess })
    }

    /// Adds a help that suggests replacing or adding text, as a guess.
    pub fn with_change(
        self,
        text: impl Into<String>,
        old: Old,
        new: impl Into<String>,
    ) -> Diagnostic {
        self.with_fix(text, Fix { old, new: new.into(), certainty: Certainty::Guess })
    }

    /// Marks the last help as certain.
    pub fn certainly(mut self) -> Diagnostic {
        if let Some(fix) = self.helps.last_mut().and_then(|help| help.fix.as_mut()) {
            fix.certainty = Certainty::Certain;
        }
        self
    }

    /// Adds "did you mean": `near` instead of `name`.
    pub fn with_guess(self, name: &str, near: &str) -> Diagnostic {
        self.with_change(format!("did you mean `{near}`?"), Old::Text(name.to_string()), near)
    }

    /// Adds "did you mean" if a similar name is known.
    pub fn with_suggestion(
        self,
        name: &str,
        known: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Diagnostic {
        match crate::suggest::nearest(name, known) {
            Some(near) => self.with_guess(name, &near),
            None => self,
        }
    }

    /// Marks the suggested keyword for a misspelt word as certain if no other known word qualifies.
    pub fn certain_if_only(self, word: &str, known: &[&str]) -> Diagnostic {
        if crate::suggest::is_only(word, known) { self.certainly() } else { self }
    }
}

/// Adds to a list that rarely has more than one element, without spare capacity: there may be tens
/// of thousands of findings.
fn add<T>(list: &mut Vec<T>, element: T) {
    list.reserve_exact(1);
    list.push(element);
}

/// A number of bits in words.
pub fn bits(count: u64) -> String {
    if count == 1 { "1 bit".to_string() } else { format!("{count} bits") }
}

/// Several names in words: in backticks, with `and` before the last.
pub fn names(names: &[impl fmt::Display]) -> String {
    match names {
        [] => String::new(),
        [name] => format!("`{name}`"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|name| format!("`{name}`")).collect();
            format!("{} and `{last}`", first.join(", "))
        }
    }
}

/// The findings of a run.
#[derive(Debug, Clone, Default)]
pub struct Diagnostics {
    pub(crate) list: Vec<Diagnostic>,
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl Diagnostics {
    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Keeps only some findings.
    pub fn retain(&mut self, keep: impl FnMut(&Diagnostic) -> bool) {
        self.list.retain(keep);
    }

    /// Adds findings.
    pub fn extend(&mut self, others: impl IntoIterator<Item = Diagnostic>) {
        self.list.extend(others);
    }

    /// Sorts the findings by location and drops duplicates: a statement
    /// inherited by many opcodes is checked for each of them.
    pub fn finish(&mut self) {
        self.finish_with(|_| false);
    }

    /// Does the same; where several items share a place, findings with different messages are
    /// different.
    pub fn finish_with(&mut self, is_shared: impl Fn(Span) -> bool) {
        self.list.sort_by(|a, b| {
            (a.primary.span, a.code, &a.message).cmp(&(b.primary.span, b.code, &b.message))
        });
        self.list.dedup_by(|a, b| {
            let span = a.primary.span;
            let is_same = a.code == b.code && span == b.primary.span;
            is_same && (a.message == b.message || !is_shared(span))
        });
    }

    /// The findings.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Whether there are no findings.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The number of findings of one severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.list.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }

    /// Whether a finding prevents further compilation.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}
