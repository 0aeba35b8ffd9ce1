//! Directives that make items, and directives about symbols.

use isadl::diagnostic::{Code, Diagnostic};

use crate::assembler::Assembler;
use crate::expand::Statement;
use crate::expr::{Evaluator, Expr, Malformed, Reader, Unplaced, at_place};
use crate::functions::MAX_PARAMETERS;
use crate::sections::{Content, Fill, Fixup, FixupKind, MAX_BYTES, Tail};
use crate::symbols::{Binding, Definition, FragmentOffset, SymbolKind, Visibility};
use crate::text::{Loc, blanks, name, parts, symbol_word};
use crate::words::{NAMES, WITHOUT_EFFECT, data_size};

impl Assembler<'_, '_> {
    /// Reads a directive. In a structure it must not write anything.
    pub(crate) fn directive(
        &mut self,
        statement: &Statement,
        (at, word): (usize, &str),
        start: usize,
    ) {
        let before = self.structure.map(|_| self.here());
        self.any_directive(statement, (at, word), start);
        if let Some(before) = before {
            self.check_structure(before, statement.loc(at, statement.as_str().len()));
        }
    }

    fn any_directive(&mut self, statement: &Statement, (at, word): (usize, &str), start: usize) {
        // Directives that macros consist of come first.
        match word {
            ".exact" => return self.instruction(statement, start, true),
            ".plain" => return self.instruction(statement, start, self.options.exact),
            ".set" | ".equ" => return self.set(statement, start, true),
            _ if self.condition_directive(statement, word, start) => return,
            _ => self.effects += 1,
        }
        let loc = statement.loc(at, at + word.len());
        if self.block(statement, word, start)
            || self.structure_directive(statement, (at, word), start)
            || self.place_directive(statement, word, start)
        {
            return;
        }
        if let Some(size) = data_size(word) {
            self.data(statement, start, size);
            return;
        }
        match word {
            ".ascii" => self.strings(statement, start, (1, false)),
            ".asciz" | ".string" | ".string8" => self.strings(statement, start, (1, true)),
            ".string16" => self.strings(statement, start, (2, true)),
            ".string32" => self.strings(statement, start, (4, true)),
            ".string64" => self.strings(statement, start, (8, true)),
            ".equiv" | ".eqv" => self.set(statement, start, false),
            ".globl" | ".global" | ".local" | ".weak" => self.bind(statement, word, start),
            ".hidden" | ".internal" | ".protected" => self.hide(statement, word, start),
            ".type" => self.kind(statement, start),
            ".size" => self.size(statement, start),
            ".comm" | ".lcomm" => self.common(statement, start, word == ".lcomm"),
            ".float16" => self.floats(statement, start, (5, 10)),
            ".bfloat16" => self.floats(statement, start, (8, 7)),
            ".float" | ".single" | ".dc.s" => self.floats(statement, start, (8, 23)),
            ".double" | ".dc.d" => self.floats(statement, start, (11, 52)),
            ".uleb128" | ".sleb128" => self.leb128(statement, start, word == ".sleb128"),
            ".octa" | ".16byte" => self.octa(statement, start),
            ".incbin" => self.include_bytes(statement, start),
            ".function" => self.function(statement, start),
            ".literal" => self.literal(statement, start),
            ".ltorg" | ".pool" => self.put_pool(),
            ".reloc" => self.reloc(statement, start),
            ".alias" => self.alias(statement, start),
            ".patch" => self.patch(statement, start),
            ".with_base" => self.with_base(statement, start),
            ".extensions" => self.extensions(statement, start),
            ".loc" => self.loc(statement, start),
            ".error" | ".err" | ".warning" | ".print" => self.told(statement, word, start),
            ".end" => self.expander.stop(),
            ".file" => drop(self.source_file(statement, start)),
            // A symbol that is not defined here is in another file anyway.
            ".extern" => {}
            word if WITHOUT_EFFECT.contains(&word) => self.without_effect(word, loc),
            word if self.note_directive(statement, word, start) => {}
            word if self.name_directive(statement, word, start) => {}
            word if self.frame_directive(statement, word, start) => {}
            _ => {
                let message = format!("unknown directive `{word}`");
                let known = NAMES.iter().copied().chain(self.expander.macro_names());
                let diagnostic =
                    Diagnostic::new(Code::E1102, message, loc.span).with_suggestion(word, known);
                self.report(diagnostic, loc);
            }
        }
    }

    /// Appends copies of a value; an expression gives the count.
    pub(crate) fn space(&mut self, count: Expr, (size, value): (u8, u64), loc: Loc) {
        let here = self.here();
        let known = Evaluator::new(&self.symbols.borrow(), Unplaced, Some(here)).number(&count);
        self.note_line(loc);
        self.mark(Content::Data);
        match known {
            Ok(number) if number < 0 => {
                self.error(Code::E1104, loc, format!("{number} is negative"));
            }
            Ok(number) if number as u64 > MAX_BYTES / u64::from(size.max(1)) => {
                self.error(Code::E1106, loc, "a section has more than 1 GiB");
            }
            Ok(number) if number < 4096 && !self.section().attributes.is_empty => {
                let bytes = self.data_bytes(value, size);
                for _ in 0..number {
                    self.section_mut().bytes.extend_from_slice(&bytes[..size.into()]);
                }
                self.is_without_bytes(loc);
            }
            _ => {
                let count = at_place(count, here);
                self.mark_used(&count, loc);
                self.section_mut().end_fragment(Tail::Repeat { count, size, value, loc });
            }
        }
    }

    /// Goes to a place in the section.
    pub(crate) fn org(&mut self, to: Expr, fill: u8, loc: Loc) {
        let to = at_place(to, self.here());
        self.mark_used(&to, loc);
        self.section_mut().end_fragment(Tail::Org { to, fill, loc });
    }

    /// Fills up to a multiple of a power of 2.
    pub(crate) fn align(
        &mut self,
        to: u64,
        (fill, most): (Option<(u64, u8)>, Option<u64>),
        loc: Loc,
    ) {
        self.note_line(loc);
        let here = self.here();
        if self.section().attributes.is_code && fill.is_none() {
            // The filling is instructions, too.
            self.lines.put(here);
        }
        let set = self.engine.extensions();
        let section = self.section_mut();
        section.align = section.align.max(to);
        if to <= 1 {
            return;
        }
        let fill = match fill {
            Some((value, size)) => Fill::Value(value, size),
            None if section.attributes.is_code => Fill::Code(set),
            None => Fill::Value(0, 1),
        };
        section.end_fragment(Tail::Align { to, most: most.unwrap_or(u64::MAX), fill, loc });
    }

    fn set(&mut self, statement: &Statement, start: usize, may_change: bool) {
        let text = statement.as_str();
        let Some((word, length)) = self.symbol_name(statement, start) else { return };
        let word = word.to_string();
        let after = start + length;
        let after = after + blanks(&text[after..]);
        if !text[after..].starts_with(',') {
            let message = "expected `,`".to_string();
            self.malformed(statement, after, &Malformed { at: 0, message });
            return;
        }
        let value = after + 1;
        let value = value + blanks(&text[value..]);
        self.assign(statement, (start, &word), value, may_change);
    }

    /// `.function name(a, b) = expression`
    fn function(&mut self, statement: &Statement, start: usize) {
        let text = statement.as_str();
        let word = name(&text[start..]);
        if word.is_empty() || word.as_bytes()[0].is_ascii_digit() {
            let message = "expected the name of a function".to_string();
            return self.malformed(statement, start, &Malformed { at: 0, message });
        }
        let loc = statement.loc(start, start + word.len());
        let after = start + word.len();
        let head = text[after..].strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let body = head.and_then(|(_, rest)| rest.trim_start().strip_prefix('='));
        let (Some((head, _)), Some(body)) = (head, body) else {
            let message = "expected `(parameters) = expression`".to_string();
            self.malformed(statement, after, &Malformed { at: 0, message });
            return;
        };
        let parameters: Vec<&str> = head.split(',').map(str::trim).collect();
        let is_right = |one: &&str| !one.is_empty() && name(one) == *one;
        if parameters.len() > MAX_PARAMETERS || !parameters.iter().all(is_right) {
            let message = format!("expected names of 1 to {MAX_PARAMETERS} parameters");
            self.malformed(statement, after, &Malformed { at: 1, message });
            return;
        }
        let at = text.len() - body.len();
        let read = Reader::of_body(body, &mut self.symbols.borrow_mut(), &parameters).read();
        let (body, length) = match read {
            Ok(read) => read,
            Err(error) => return self.malformed(statement, at, &error),
        };
        if !text[at + length..].trim().is_empty() {
            let message = "expected the end of the statement".to_string();
            let end = at + length + blanks(&text[at + length..]);
            return self.malformed(statement, end, &Malformed { at: 0, message });
        }
        if !self.symbols.borrow_mut().define_function(word, parameters.len(), body) {
            self.error(Code::E1103, loc, format!("the function `{word}` is defined twice"));
        }
    }

    /// The name of a symbol at a byte, and the bytes that it takes; errors are reported.
    fn symbol_name<'t>(
        &mut self,
        statement: &'t Statement,
        start: usize,
    ) -> Option<(&'t str, usize)> {
        let (word, length) = symbol_word(&statement.as_str()[start..]);
        let is_number = length == word.len() && word.starts_with(|c: char| c.is_ascii_digit());
        if word.is_empty() || is_number || word == "." {
            let message = "expected the name of a symbol".to_string();
            self.malformed(statement, start, &Malformed { at: 0, message });
            return None;
        }
        Some((word, length))
    }

    fn bind(&mut self, statement: &Statement, word: &str, start: usize) {
        let binding = match word {
            ".weak" => Binding::Weak,
            ".local" => Binding::Local,
            _ => Binding::Global,
        };
        for (at, part) in parts(&statement.as_str()[start..]) {
            let Some((name, _)) = self.symbol_name(statement, start + at) else { return };
            let loc = statement.loc(start + at, start + at + part.len());
            let mut symbols = self.symbols.borrow_mut();
            let id = symbols.intern(name);
            symbols.get_mut(id).binding = Some(binding);
            if binding != Binding::Local {
                symbols.mark_used(id, loc);
            }
        }
    }

    fn hide(&mut self, statement: &Statement, word: &str, start: usize) {
        let visibility = match word {
            ".internal" => Visibility::Internal,
            ".protected" => Visibility::Protected,
            _ => Visibility::Hidden,
        };
        for (at, _) in parts(&statement.as_str()[start..]) {
            let Some((name, _)) = self.symbol_name(statement, start + at) else { return };
            let mut symbols = self.symbols.borrow_mut();
            let id = symbols.intern(name);
            symbols.get_mut(id).visibility = visibility;
        }
    }

    fn kind(&mut self, statement: &Statement, start: usize) {
        let Some((word, length)) = self.symbol_name(statement, start) else { return };
        let rest = &statement.as_str()[start + length..];
        let given = rest.trim_start_matches([',', ' ', '\t', '@', '%', '#', '"']);
        let kind = match name(given) {
            "function" | "STT_FUNC" => SymbolKind::Function,
            "object" | "STT_OBJECT" | "common" | "gnu_unique_object" => SymbolKind::Object,
            "tls_object" | "STT_TLS" => SymbolKind::ThreadLocal,
            "gnu_indirect_function" | "STT_GNU_IFUNC" => SymbolKind::Indirect,
            "notype" | "STT_NOTYPE" => SymbolKind::None,
            other => {
                let at = statement.as_str().len() - given.len();
                let loc = statement.loc(at, at + other.len());
                let message = format!("unknown kind of symbols `{other}`");
                let known = ["function", "object", "tls_object", "notype", "gnu_indirect_function"];
                let diagnostic =
                    Diagnostic::new(Code::E1102, message, loc.span).with_suggestion(other, known);
                self.report(diagnostic, loc);
                return;
            }
        };
        let mut symbols = self.symbols.borrow_mut();
        let id = symbols.intern(word);
        symbols.get_mut(id).kind = kind;
    }

    fn size(&mut self, statement: &Statement, start: usize) {
        let text = statement.as_str();
        let Some((word, length)) = self.symbol_name(statement, start) else { return };
        let after = start + length;
        let comma = after + blanks(&text[after..]);
        if !text[comma..].starts_with(',') {
            let message = "expected `,`".to_string();
            self.malformed(statement, comma, &Malformed { at: 0, message });
            return;
        }
        let value = comma + 1;
        let value = value + blanks(&text[value..]);
        let Some((expr, _)) = self.whole_expression(statement, value) else { return };
        let expr = at_place(expr, self.here());
        let mut symbols = self.symbols.borrow_mut();
        let id = symbols.intern(word);
        symbols.get_mut(id).size = Some(expr);
    }

    /// `.comm name, size, alignment`
    fn common(&mut self, statement: &Statement, start: usize, is_local: bool) {
        let text = statement.as_str();
        let Some((word, length)) = self.symbol_name(statement, start) else { return };
        let loc = statement.loc(start, start + length);
        let mut numbers = Vec::new();
        for (at, part) in parts(&text[start..]).into_iter().skip(1) {
            let Some((expr, _)) = self.expression(statement, start + at) else { return };
            let loc = statement.loc(start + at, start + at + part.len());
            let Some(number) = self.number_of(&expr, loc) else { return };
            numbers.push(u64::try_from(number).unwrap_or(u64::MAX));
        }
        let (size, align) = match numbers.as_slice() {
            [size] => (*size, 1),
            [size, align] => (*size, *align),
            _ => {
                self.error(Code::E1102, loc, "expected the size after the name");
                return;
            }
        };
        if !align.is_power_of_two() || size > MAX_BYTES {
            self.error(
                Code::E1104,
                loc,
                "the alignment must be a power of 2, the size at most 1 GiB",
            );
            return;
        }
        let mut symbols = self.symbols.borrow_mut();
        let id = symbols.intern(word);
        let symbol = symbols.get_mut(id);
        if symbol.is_defined() {
            return;
        }
        symbol.loc = Some(loc);
        symbol.kind = SymbolKind::Object;
        // Without a linker nobody else provides it.
        if is_local || symbol.binding == Some(Binding::Local) || !self.for_linker {
            symbol.size = Some(Expr::Number(size as i64));
            drop(symbols);
            self.local_common(id, (size, align), loc);
            return;
        }
        symbol.definition = Definition::Common(size, align);
        symbol.binding.get_or_insert(Binding::Global);
        symbols.mark_used(id, loc);
    }

    /// Memory of a local symbol.
    fn local_common(&mut self, id: crate::symbols::SymbolId, (size, align): (u64, u64), loc: Loc) {
        let before = (self.current, self.previous);
        self.enter(".bss");
        self.align(align, (None, None), loc);
        let here = self.here();
        self.symbols.borrow_mut().get_mut(id).definition = Definition::Label(here);
        self.space(Expr::Number(size as i64), (1, 0), loc);
        (self.current, self.previous) = before;
    }

    /// `.reloc place, number, expression`
    fn reloc(&mut self, statement: &Statement, start: usize) {
        let text = statement.as_str();
        let given = parts(&text[start..]);
        let loc = statement.loc(start, text.len());
        let [place, number, value @ ..] = given.as_slice() else {
            self.error(Code::E1102, loc, "expected a place and the number of a relocation");
            return;
        };
        let here = self.here();
        let Some((expr, _)) = self.expression(statement, start + place.0) else { return };
        let expr = at_place(expr, here);
        let found = {
            let symbols = self.symbols.borrow();
            let evaluator = Evaluator::new(&symbols, Unplaced, Some(here));
            let value = evaluator.value(&expr).ok();
            value.filter(|value| value.sub.is_none()).and_then(|value| {
                let start = FragmentOffset { section: here.section, fragment: 0, offset: 0 };
                let mut place = value.add.map_or(Some(start), |add| evaluator.place(add))?;
                place.offset = u32::try_from(i64::from(place.offset) + value.number).ok()?;
                Some(place)
            })
        };
        let Some(found) = found.filter(|found| found.section == here.section) else {
            self.error(Code::E1102, loc, "a relocation must be placed in the current section");
            return;
        };
        let Some(number) = self.relocation_number(statement, (start + number.0, number.1)) else {
            return;
        };
        let Some(value) = value.first() else {
            let kind = FixupKind::Reloc(number, Expr::Number(0));
            self.section_mut().fixups.push(Fixup { place: found, kind, loc });
            return;
        };
        // The number of the relocation implies the use of the symbol: `%tprel_add(x)`, `x@plt`.
        let symbol = value.1.strip_prefix('%').and_then(|rest| Some(rest.find('(')? + 1));
        let Some((expr, _)) = self.expression(statement, start + value.0 + symbol.unwrap_or(0))
        else {
            return;
        };
        let expr = at_place(expr, here);
        self.mark_used(&expr, loc);
        let kind = FixupKind::Reloc(number, expr);
        self.section_mut().fixups.push(Fixup { place: found, kind, loc });
    }
}
