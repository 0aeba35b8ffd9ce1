//! Lines of source files: `.file` and `.loc`, and views of `.loc`: how many statements of the source were before at the
//! same address. Debuggers use these numbers, which gcc writes into its own tables, to distinguish locations at the
//! same address.

use isadl::diagnostic::Code;

use crate::assembler::Assembler;
use crate::expand::Statement;
use crate::expr::{Expr, Op};
use crate::lines::{Line, LineFile};
use crate::sections::Tail;
use crate::symbols::{Definition, FragmentOffset};
use crate::text::{blanks, name};

/// Most files of a table.
const MAX_FILES: i64 = 1 << 20;

impl Assembler<'_, '_> {
    /// `.file "name"` is the file of symbols; `.file number "folder" "name" md5 number` one of lines. Returns whether
    /// it is read.
    pub(crate) fn source_file(&mut self, statement: &Statement, start: usize) -> bool {
        let text = statement.as_str();
        let loc = statement.loc(start, text.len());
        if text[start..].starts_with('"') {
            if let Some((name, _)) = self.string(statement, start) {
                self.files.push(String::from_utf8_lossy(&name).into_owned());
            }
            return true;
        }
        let Some((number, at)) = self.expression(statement, start) else { return true };
        let Some(number) = self.number_of(&number, loc) else { return true };
        let mut at = at + blanks(&text[at..]);
        let mut names = Vec::new();
        while text[at..].starts_with('"') && names.len() < 2 {
            let Some((name, end)) = self.string(statement, at) else { return true };
            names.push(String::from_utf8_lossy(&name).into_owned());
            at = end + blanks(&text[end..]);
        }
        let Some(name) = names.pop().filter(|_| (0..MAX_FILES).contains(&number)) else {
            self.error(Code::E1102, loc, "expected the number of a file and its name");
            return true;
        };
        let md5 = text[at..].strip_prefix("md5").map(str::trim);
        let md5 = md5.and_then(|digits| u128::from_str_radix(digits.strip_prefix("0x")?, 16).ok());
        self.add_file(number as usize, (names.pop(), name), md5);
        true
    }

    fn add_file(
        &mut self,
        number: usize,
        (mut folder, name): (Option<String>, String),
        md5: Option<u128>,
    ) {
        let lines = &mut self.lines;
        if number == 0 {
            lines.has_first = true;
            lines.folders[0] = folder.take().unwrap_or_default();
        }
        let (folder, name) = match (folder, name.rsplit_once('/')) {
            (Some(folder), _) => (folder, name),
            (None, Some((folder, own))) if !own.is_empty() => {
                (if folder.is_empty() { "/" } else { folder }.to_string(), own.to_string())
            }
            (None, _) => (lines.folders[0].clone(), name),
        };
        let folder = lines.folder(&folder);
        if lines.files.len() <= number {
            lines.files.resize(number + 1, None);
        }
        lines.files[number] = Some(LineFile { folder, name, md5 });
    }

    /// The lines that a `.loc` says of the next instruction.
    fn line(&mut self, statement: &Statement, start: usize) {
        let here = self.here();
        // Two in a row are two places in the source.
        self.lines.put(here);
        let text = statement.as_str();
        let loc = statement.loc(start, text.len());
        let words: Vec<&str> = text[start..].split_whitespace().collect();
        let count = words.iter().take(3).take_while(|word| word.parse::<u64>().is_ok()).count();
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
        let (Some(file), Some(line)) = (number(0), number(1)) else {
            return self.error(Code::E1102, loc, "expected the number of a file and a line");
        };
        let column = if count > 2 { number(2).unwrap_or(0) } else { 0 };
        let mut row = Line {
            file,
            line,
            column,
            isa: 0,
            discriminator: 0,
            is_statement: self.lines.is_statement,
            begins_block: false,
            ends_prologue: false,
            begins_epilogue: false,
            is_new: false,
        };
        for at in count..words.len() {
            match words[at] {
                "basic_block" => row.begins_block = true,
                "prologue_end" => row.ends_prologue = true,
                "epilogue_begin" => row.begins_epilogue = true,
                "is_stmt" => row.is_statement = number(at + 1) != Some(0),
                "isa" => row.isa = number(at + 1).unwrap_or(0),
                "discriminator" => row.discriminator = number(at + 1).unwrap_or(0),
                "view" => row.is_new = words.get(at + 1) == Some(&"-0"),
                _ => {}
            }
        }
        self.lines.is_statement = row.is_statement;
        self.lines.next = Some((row, loc));
    }

    /// `.loc file line column … view symbol`
    pub(crate) fn loc(&mut self, statement: &Statement, start: usize) {
        let here = self.here();
        self.line(statement, start);
        let rest = &statement.as_str()[start..];
        let asked = rest.find("view ").map(|at| rest[at + "view ".len()..].trim());
        let before = match asked.is_some_and(|asked| asked.starts_with("-0")) {
            true => None,
            false => self.views.remove(&self.current),
        };
        let view = before.map_or(Expr::Number(0), |(place, view)| self.view(place, here, view));
        self.views.insert(self.current, (here, view.clone()));
        let word = name(asked.unwrap_or_default());
        if word.is_empty() || word.as_bytes()[0].is_ascii_digit() {
            return;
        }
        let mut symbols = self.symbols.borrow_mut();
        let id = symbols.intern(word);
        let symbol = symbols.get_mut(id);
        if symbol.is_defined() {
            let before = symbol.loc;
            drop(symbols);
            let loc = statement.loc(0, statement.as_str().len());
            self.defined_twice(word, loc, before);
            return;
        }
        symbol.definition = Definition::Value(view, false);
        symbol.loc = Some(statement.loc(0, statement.as_str().len()));
    }

    /// The view of a location, given the previous location and its view.
    fn view(&self, before: FragmentOffset, here: FragmentOffset, view: Expr) -> Expr {
        let next = match view {
            Expr::Number(number) => Expr::Number(number + 1),
            // It already depends on gaps; further views at the same address are not distinguished.
            _ => Expr::Number(1),
        };
        if before == here {
            return next;
        }
        let section = self.section();
        let between = before.fragment as usize..here.fragment as usize;
        let is_farther = |at: usize| {
            let has_bytes =
                section.length(at) > if at == between.start { before.offset.into() } else { 0 };
            has_bytes || matches!(section.fragments[at].tail, Tail::Relax(_) | Tail::Leb { .. })
        };
        if between.is_empty() || here.offset > 0 || between.clone().any(is_farther) {
            return Expr::Number(0);
        }
        // Alignment and space may have no bytes.
        let is_same = Expr::Binary(
            Op::Eq,
            Box::new((Expr::FragmentOffset(here), Expr::FragmentOffset(before))),
        );
        Expr::Binary(Op::Mul, Box::new((Expr::Unary(b'-', Box::new(is_same)), next)))
    }
}
