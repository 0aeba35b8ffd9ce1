//! Directives about sections and places in them.

use isadl::diagnostic::{Code, Diagnostic};

use crate::assembler::Assembler;
use crate::expand::Statement;
use crate::expr::Expr;
use crate::sections::{Attributes, Group, Section};
use crate::text::{blanks, name, parts};
use crate::words::element_size;

/// Limit on the sections of a file.
const MAX_SECTIONS: usize = 60_000;

/// The flag of sections whose order is that of the sections that they are linked to.
const SHF_LINK_ORDER: u64 = 0x80;

/// Largest power of 2 that sections are aligned to.
const MAX_ALIGN: u32 = 28;

impl Assembler<'_, '_> {
    /// Reads a directive about sections and locations; returns whether it is such a directive.
    pub(crate) fn place_directive(
        &mut self,
        statement: &Statement,
        word: &str,
        start: usize,
    ) -> bool {
        match word {
            ".text" | ".data" | ".bss" | ".rodata" => {
                let before = self.current;
                self.enter(word);
                if start < statement.as_str().len() {
                    self.part(statement, start);
                }
                self.previous = before;
            }
            ".subsection" => {
                let before = self.current;
                self.part(statement, start);
                self.previous = before;
            }
            ".section" => self.section_directive(statement, start),
            ".pushsection" => {
                self.stack.push((self.current, self.previous));
                self.section_directive(statement, start);
            }
            ".popsection" => match self.stack.pop() {
                Some((current, previous)) => (self.current, self.previous) = (current, previous),
                None => {
                    let loc = statement.loc(0, word.len());
                    self.error(Code::E1105, loc, "`.popsection` without `.pushsection`");
                }
            },
            ".previous" => std::mem::swap(&mut self.current, &mut self.previous),
            ".align" | ".p2align" => self.align_directive(statement, start, true, 1),
            ".p2alignw" => self.align_directive(statement, start, true, 2),
            ".p2alignl" => self.align_directive(statement, start, true, 4),
            ".balign" => self.align_directive(statement, start, false, 1),
            ".balignw" => self.align_directive(statement, start, false, 2),
            ".balignl" => self.align_directive(statement, start, false, 4),
            ".org" => {
                let Some(values) = self.expressions(statement, start) else { return true };
                let loc = statement.loc(start, statement.as_str().len());
                let mut values = values.into_iter();
                let (to, fill) = (values.next().flatten(), values.next().flatten());
                let fill = fill.and_then(|fill| self.number_of(&fill, loc)).unwrap_or(0);
                match to {
                    Some(to) => self.org(to, fill as u8, loc),
                    None => self.error(Code::E1102, loc, "expected an address"),
                }
            }
            ".space" | ".skip" | ".zero" => {
                let Some(values) = self.expressions(statement, start) else { return true };
                let loc = statement.loc(start, statement.as_str().len());
                let mut values = values.into_iter();
                let (count, fill) = (values.next().flatten(), values.next().flatten());
                let fill = fill.and_then(|fill| self.number_of(&fill, loc)).unwrap_or(0);
                match count {
                    Some(count) => self.space(count, (1, fill as u64 & 0xff), loc),
                    None => self.error(Code::E1102, loc, "expected a number of bytes"),
                }
            }
            ".fill" => self.fill(statement, start),
            word if word.starts_with(".ds") => match element_size(&word[3..]) {
                Some(size) => self.elements(statement, start, size),
                None => return false,
            },
            word if word.starts_with(".dcb") => match element_size(&word[4..]) {
                Some(size) => self.elements(statement, start, size),
                None => return false,
            },
            _ => return false,
        }
        true
    }

    /// Goes to a part of the section, which a number names.
    fn part(&mut self, statement: &Statement, start: usize) {
        let Some((number, end)) = self.expression(statement, start) else { return };
        let Some(number) = self.number_of(&number, statement.loc(start, end)) else { return };
        let of = self.section().part.map_or(self.current, |(of, _)| of);
        if number == 0 {
            self.current = of;
            return;
        }
        let key = Some((of, number));
        let known = self.sections.iter().position(|section| section.part == key);
        if known.is_none() && (self.sections.len() > MAX_SECTIONS || number < 0) {
            let message = "expected the number of a part";
            return self.error(Code::E1104, statement.loc(start, end), message);
        }
        let index = known.unwrap_or_else(|| {
            let of = &self.sections[of as usize];
            let mut part = Section::new(&of.name, of.attributes.clone());
            part.part = key;
            self.sections.push(part);
            self.sections.len() - 1
        });
        self.current = index as u32;
    }

    /// The expressions between commas; `None` for omitted expressions.
    fn expressions(&mut self, statement: &Statement, start: usize) -> Option<Vec<Option<Expr>>> {
        let mut found = Vec::new();
        for (at, part) in parts(&statement.as_str()[start..]) {
            if part.is_empty() {
                found.push(None);
                continue;
            }
            let (expr, end) = self.expression(statement, start + at)?;
            if end < start + at + part.len() {
                let message = "expected `,` or the end of the statement".to_string();
                self.malformed(statement, end, &crate::expr::Malformed { at: 0, message });
                return None;
            }
            found.push(Some(expr));
        }
        Some(found)
    }

    /// `.dcb.w count, value` and `.ds.w count`
    fn elements(&mut self, statement: &Statement, start: usize, size: u8) {
        let Some(values) = self.expressions(statement, start) else { return };
        let loc = statement.loc(start, statement.as_str().len());
        let mut values = values.into_iter().flatten();
        let (Some(count), value) = (values.next(), values.next()) else {
            return self.error(Code::E1102, loc, "expected a number");
        };
        let Some(value) = value.map_or(Some(0), |value| self.number_of(&value, loc)) else {
            return;
        };
        self.space(count, (size, value as u64), loc);
    }

    fn fill(&mut self, statement: &Statement, start: usize) {
        let Some(values) = self.expressions(statement, start) else { return };
        let loc = statement.loc(start, statement.as_str().len());
        let mut values = values.into_iter();
        let Some(count) = values.next().flatten() else {
            self.error(Code::E1102, loc, "expected a number");
            return;
        };
        let mut next = |default: i64| match values.next().flatten() {
            Some(value) => self.number_of(&value, loc),
            None => Some(default),
        };
        let (Some(size), Some(value)) = (next(1), next(0)) else { return };
        match u8::try_from(size) {
            Ok(size @ 0..=8) => {
                // Only 32 bits of the value count.
                self.space(count, (size, value as u64 & 0xffff_ffff), loc);
            }
            _ => self.error(Code::E1104, loc, format!("{size} bytes; at most 8 are possible")),
        }
    }

    fn align_directive(&mut self, statement: &Statement, start: usize, is_power: bool, size: u8) {
        let Some(values) = self.expressions(statement, start) else { return };
        let loc = statement.loc(start, statement.as_str().len());
        let mut values = values.into_iter();
        let Some(to) = values.next().flatten() else {
            self.error(Code::E1102, loc, "expected an alignment");
            return;
        };
        let Some(to) = self.number_of(&to, loc) else { return };
        let to = match u32::try_from(to) {
            Ok(power) if is_power && power <= MAX_ALIGN => 1 << power,
            Ok(0) => 1,
            Ok(to) if !is_power && to.is_power_of_two() && to <= 1 << MAX_ALIGN => u64::from(to),
            _ => {
                let most =
                    if is_power { MAX_ALIGN.to_string() } else { (1u32 << MAX_ALIGN).to_string() };
                let kind = if is_power { "an exponent" } else { "a power of 2" };
                let message = format!("expected {kind} of at most {most}, found {to}");
                self.error(Code::E1104, loc, message);
                return;
            }
        };
        let mut next = || match values.next().flatten() {
            Some(value) => self.number_of(&value, loc).map(Some),
            None => Some(None),
        };
        let (Some(fill), Some(most)) = (next(), next()) else { return };
        let fill = fill.map(|fill| (fill as u64, size));
        self.align(to, (fill, most.map(|most| u64::try_from(most).unwrap_or(0))), loc);
    }

    /// Goes to a section, which has the usual meaning of its name if it is new.
    pub(crate) fn enter(&mut self, name: &str) {
        let index = self.section_named(name, Attributes::of_name(name));
        self.previous = std::mem::replace(&mut self.current, index);
    }

    pub(crate) fn section_named(&mut self, name: &str, attributes: Attributes) -> u32 {
        let key = (name.to_string(), attributes.group.clone(), attributes.link.clone());
        if let Some(index) = self.by_name.get(&key) {
            return *index;
        }
        let index = self.sections.len() as u32;
        self.sections.push(Section::new(name, attributes));
        self.by_name.insert(key, index);
        index
    }

    /// `.section name, "flags", @type, size`
    fn section_directive(&mut self, statement: &Statement, start: usize) {
        let text = statement.as_str();
        let mut given = parts(&text[start..]);
        // `.pushsection name, number, "flags"`
        let is_part = |(_, part): &(usize, &str)| part.starts_with(|c: char| c.is_ascii_digit());
        let part = (given.len() > 1 && is_part(&given[1])).then(|| given.remove(1));
        let Some((at, first)) = given.first().copied() else {
            let loc = statement.loc(0, text.len());
            self.error(Code::E1102, loc, "expected the name of a section");
            return;
        };
        let own = match first.starts_with('"') {
            true => first.trim_matches('"'),
            false => first.split([' ', '\t']).next().unwrap_or(first),
        };
        let loc = statement.loc(start + at, start + at + first.len());
        if own.is_empty() || own.contains('\0') || self.sections.len() > MAX_SECTIONS {
            self.error(Code::E1102, loc, "expected the name of a section");
            return;
        }
        let own = own.to_string();
        let attributes = match given.get(1).filter(|(_, flags)| flags.starts_with('"')) {
            Some((at, flags)) => {
                let place = (start + at, *flags);
                match self.attributes(statement, place, &given[2..], &own) {
                    Some(attributes) => attributes,
                    None => return,
                }
            }
            None => Attributes::of_name(&own),
        };
        let is_given = given.len() > 1;
        let index = self.section_named(&own, attributes.clone());
        let known = &self.sections[index as usize].attributes;
        if is_given && *known != attributes {
            let message = format!("the section `{own}` had other flags before");
            self.error(Code::E1102, loc, message);
            return;
        }
        self.previous = std::mem::replace(&mut self.current, index);
        if let Some((at, _)) = part {
            self.part(statement, start + at);
        }
    }

    fn attributes(
        &mut self,
        statement: &Statement,
        (at, flags): (usize, &str),
        rest: &[(usize, &str)],
        own: &str,
    ) -> Option<Attributes> {
        let (mut found, mut is_grouped, mut is_linked) = (Attributes::NONE, false, false);
        let loc = statement.loc(at, at + flags.len());
        for letter in flags.trim_matches('"').chars() {
            match letter {
                'a' => found.is_allocated = true,
                'w' => found.is_writable = true,
                'x' => found.is_code = true,
                'T' => found.is_thread_local = true,
                'M' => found.merges = true,
                'S' => found.strings = true,
                'o' => is_linked = true,
                'G' => is_grouped = true,
                '?' => found.group = self.section().attributes.group.clone(),
                'R' => found.elf_flags |= 0x20_0000,
                'e' => found.elf_flags |= 0x8000_0000,
                _ => {
                    let message = format!("unknown flag `{letter}` of a section");
                    let diagnostic = Diagnostic::new(Code::E1102, message, loc.span)
                        .with_help("flags are `a`, `w`, `x`, `T`, `M`, `S`, `G`, `o`, `R` and `e`");
                    self.report(diagnostic, loc);
                    return None;
                }
            }
        }
        let usual = Attributes::of_name(own);
        found.elf_type = usual.elf_type;
        let mut rest = rest.iter();
        if let Some((at, kind)) = rest.next() {
            let word = kind.trim_start_matches(['@', '%', '#', '"']);
            match name(word) {
                "progbits" => {}
                "nobits" => found.is_empty = true,
                "note" => found.elf_type = 7,
                "init_array" => found.elf_type = 14,
                "fini_array" => found.elf_type = 15,
                "preinit_array" => found.elf_type = 16,
                "unwind" => {}
                other => {
                    let number = match word.strip_prefix("0x") {
                        Some(digits) => u32::from_str_radix(digits, 16).ok(),
                        None => word.parse().ok(),
                    };
                    let number = number.filter(|number| *number != 0);
                    let Some(number) = number else {
                        let first = statement.as_str().len().min(*at + blanks(kind));
                        let loc = statement.loc(first, first);
                        let message = format!("unknown type of sections `{other}`");
                        self.error(Code::E1102, loc, message);
                        return None;
                    };
                    found.elf_type = number;
                }
            }
        } else {
            found.is_empty = usual.is_empty;
        }
        if found.merges {
            let size = rest.next().and_then(|(_, size)| size.parse::<u64>().ok());
            found.entry_size = size.unwrap_or(1);
        }
        if is_linked {
            found.elf_flags |= SHF_LINK_ORDER;
            let Some((at, target)) = rest.next() else {
                let message = "expected a symbol of the section that it is linked to";
                self.error(Code::E1102, loc, message);
                return None;
            };
            let symbol = target.trim_matches('"');
            if symbol != "0" {
                let loc = statement.loc(*at, statement.as_str().len());
                let mut symbols = self.symbols.borrow_mut();
                let id = symbols.intern(symbol);
                symbols.mark_used(id, loc);
                found.link = Some(symbol.to_string());
            }
        }
        if is_grouped {
            let Some((_, signature)) = rest.next() else {
                self.error(Code::E1102, loc, "expected the name of the group after the type");
                return None;
            };
            let signature = signature.trim_matches('"').to_string();
            self.symbols.borrow_mut().intern(&signature);
            let is_unique = rest.next().is_some_and(|(_, word)| *word == "comdat");
            found.group = Some(Group { signature, is_unique });
        }
        Some(found)
    }
}
