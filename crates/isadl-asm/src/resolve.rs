//! Resolution: fixups to bytes, where everything is known, and to relocations for linkers.

use std::collections::{HashMap, HashSet};

use isadl::diagnostic::{Code, Diagnostic, Diagnostics};
use isadl::engine::{self, Engine, RelocateError};
use isadl::isa::{ExtensionSet, Inst};
use isadl::source::Span;

use crate::assembler::{Unit, with_site};
use crate::data::{data_bytes, fits, leb128};
use crate::expr::{Evaluator, Expr, Term, Value};
use crate::layout::is_local;
use crate::names::{Deferred, DeferredNames};
use crate::no_values::no_value;
use crate::nops::Padding;
use crate::object::ObjectSection;
use crate::offsets::Layout;
use crate::sections::{Encoded, Fill, Fixup, FixupKind, MAX_BYTES, Section, Tail};
use crate::symbols::{FragmentOffset, SymbolId};
use crate::text::Loc;

/// The addresses of sections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Bases {
    /// A linker assigns them.
    Linker,
    /// The address of each section.
    Fixed(Vec<u64>),
}

pub(crate) struct Resolver<'e, 'u> {
    pub(crate) engine: &'u Engine<'e>,
    pub(crate) unit: &'u Unit,
    pub(crate) layout: &'u Layout,
    pub(crate) bases: Bases,
    /// Instructions that do nothing, the longest first.
    pub(crate) padding: HashMap<ExtensionSet, Padding>,
    pub(crate) diagnostics: &'u mut Diagnostics,
    pub(crate) relocations: Vec<Wanted>,
    /// Fixups that stay relocations, since others refer to them.
    kept: HashSet<(u32, u64)>,
    /// Instructions that others refer to.
    pairs: HashMap<(u32, u64), &'u Encoded>,
    unknown: HashSet<SymbolId>,
}

/// A relocation before symbols have numbers.
pub(crate) struct Wanted {
    pub(crate) section: usize,
    pub(crate) offset: u64,
    pub(crate) number: u32,
    pub(crate) symbol: Option<Term>,
    pub(crate) addend: i64,
}

impl<'e, 'u> Resolver<'e, 'u> {
    pub(crate) fn new(
        engine: &'u Engine<'e>,
        (unit, layout): (&'u Unit, &'u Layout),
        bases: Bases,
        diagnostics: &'u mut Diagnostics,
    ) -> Resolver<'e, 'u> {
        Resolver {
            engine,
            unit,
            layout,
            bases,
            padding: HashMap::new(),
            diagnostics,
            relocations: Vec::new(),
            kept: HashSet::new(),
            pairs: HashMap::new(),
            unknown: HashSet::new(),
        }
    }

    /// Writes all sections.
    pub(crate) fn resolve(&mut self) -> Vec<ObjectSection> {
        self.keep_pairs();
        (0..self.unit.sections.len()).map(|index| self.section(index)).collect()
    }

    pub(crate) fn evaluator(&self, place: Option<FragmentOffset>) -> Evaluator<'u, &'u Layout> {
        Evaluator::new(&self.unit.symbols, self.layout, place)
    }

    pub(crate) fn error(&mut self, code: Code, message: impl Into<String>, loc: Loc) {
        self.report(Diagnostic::new(code, message, loc.span), loc);
    }

    fn report(&mut self, diagnostic: Diagnostic, loc: Loc) {
        self.diagnostics.push(with_site(diagnostic, loc));
    }

    /// All instructions with fields that were not known, with their places.
    fn instructions(&self) -> impl Iterator<Item = (u32, u64, &'u Encoded)> {
        let (unit, layout) = (self.unit, self.layout);
        unit.sections.iter().zip(0u32..).flat_map(move |(section, index)| {
            let own = section.fixups.iter().filter_map(move |fixup| match &fixup.kind {
                FixupKind::Inst(encoded) => Some((index, layout.offset(fixup.place), encoded)),
                _ => None,
            });
            let relaxed = section.fragments.iter().zip(0u32..).filter_map(move |(fragment, at)| {
                let Tail::Relax(relaxed) = &fragment.tail else { return None };
                let offset = section.length(at as usize) as u32;
                let place = FragmentOffset { section: index, fragment: at, offset };
                let over = relaxed.over.map_or(0, |over| self.engine.bytes_of(over));
                Some((index, layout.offset(place) + over as u64, &relaxed.chosen))
            });
            own.chain(relaxed)
        })
    }

    /// Finds the instructions that relocations refer to, and determines which of these instructions also keep their own
    /// relocations.
    fn keep_pairs(&mut self) {
        let evaluator = self.evaluator(None);
        let mut referred: HashMap<(u32, u64), bool> = HashMap::new();
        for (section, _, encoded) in self.instructions() {
            let inst = encoded.assembled.inst;
            let fixups = self.engine.fixups(&encoded.assembled).zip(&encoded.values);
            for (fixup, expr) in fixups.filter(|(fixup, _)| !fixup.is_known) {
                let value = evaluator.value(expr).ok();
                let place = value.and_then(|value| evaluator.place(value.add?));
                if let Some(place) = place {
                    let has_pair = self.engine.pair_of(inst, &fixup).is_some();
                    let has_pair = has_pair && place.section == section;
                    let key = (place.section, self.layout.offset(place));
                    *referred.entry(key).or_insert(true) &= has_pair;
                }
            }
        }
        if referred.is_empty() {
            return;
        }
        let all =
            self.instructions().map(|(section, offset, encoded)| ((section, offset), encoded));
        self.pairs = all.filter(|(key, _)| referred.contains_key(key)).collect();
        let kept = referred.into_iter().filter(|(_, has_pair)| !has_pair);
        self.kept = kept.map(|(key, _)| key).collect();
    }

    /// The instruction at a location, its fixup with a relocation of this name, and the fixup's value.
    fn pair(&self, key: (u32, u64), name: &str) -> Option<(&'u Encoded, engine::Fixup, Value)> {
        let encoded = *self.pairs.get(&key)?;
        let mut fixups = self.engine.fixups(&encoded.assembled).zip(&encoded.values);
        let (fixup, expr) = fixups.find(|(fixup, _)| self.engine.name_of(fixup) == name)?;
        Some((encoded, fixup, self.evaluator(None).value(expr).ok()?))
    }

    /// The pair of a fixup at the place of a value.
    fn pair_at(
        &self,
        inst: Inst,
        (fixup, value): (&engine::Fixup, Value),
    ) -> Option<((u32, u64), &'u Encoded, engine::Fixup, Value)> {
        let name = self.engine.pair_of(inst, fixup)?;
        let place = self.evaluator(None).place(value.add.filter(|_| value.sub.is_none())?)?;
        let offset = self.layout.offset(place).wrapping_add(value.number as u64);
        let key = (place.section, offset);
        let (encoded, fixup, value) = self.pair(key, name)?;
        Some((key, encoded, fixup, value))
    }

    fn section(&mut self, index: usize) -> ObjectSection {
        let section = &self.unit.sections[index];
        let size = self.layout.size(index);
        let mut bytes = Vec::new();
        if !section.attributes.is_empty && size <= MAX_BYTES {
            bytes.reserve(size as usize);
            for at in 0..section.fragments.len() {
                let start = section.fragments[at].start as usize;
                bytes.extend_from_slice(&section.bytes[start..start + section.length(at) as usize]);
                let end = bytes.len() + self.layout.tail(&self.unit.sections, index, at) as usize;
                self.tail(section, (index, at), &mut bytes);
                // An item without a value was reported, but still takes its space.
                bytes.resize(end, 0);
            }
            for fixup in &section.fixups {
                self.fixup(index, fixup, &mut bytes);
            }
        }
        let lines = section.lines.iter();
        let lines = lines
            .map(|(place, loc)| (self.layout.offset(*place), loc.site.unwrap_or(loc.span)))
            .collect();
        ObjectSection {
            name: section.name.clone(),
            attributes: section.attributes.clone(),
            link: self.link(section),
            align: section.align,
            address: self.base(index),
            size,
            bytes,
            relocations: Vec::new(),
            lines,
        }
    }

    fn base(&self, section: usize) -> u64 {
        match &self.bases {
            Bases::Linker => 0,
            Bases::Fixed(bases) => bases[section],
        }
    }

    /// Writes the variable part after a fragment.
    fn tail(&mut self, section: &'u Section, (index, at): (usize, usize), bytes: &mut Vec<u8>) {
        let size = self.layout.tail(&self.unit.sections, index, at) as usize;
        match &section.fragments[at].tail {
            Tail::None => {}
            Tail::Org { fill, .. } => bytes.resize(bytes.len() + size, *fill),
            Tail::Align { fill: Fill::Code(set), .. } => self.pad(size, *set, bytes),
            Tail::Align { fill: Fill::Value(value, width), .. } => {
                self.copies(size, (*value, *width), bytes);
            }
            Tail::Repeat { size: width, value, .. } => self.copies(size, (*value, *width), bytes),
            Tail::Leb { value, is_signed, length, loc } => {
                let Some(number) = self.value(value, *loc).and_then(|own| self.known(own, *loc))
                else {
                    return;
                };
                bytes.extend_from_slice(&leb128(number, *is_signed, *length));
            }
            Tail::Relax(relaxed) => {
                let end = bytes.len() + size;
                if let Some(over) = relaxed.over {
                    let length = self.engine.bytes_of(over);
                    bytes.extend_from_slice(&self.engine.bytes(over)[..length]);
                }
                let place = (index, bytes.len());
                bytes.resize(end, 0);
                self.instruction(place, &relaxed.chosen, relaxed.loc, bytes);
            }
        }
    }

    fn fixup(&mut self, index: usize, fixup: &Fixup, bytes: &mut [u8]) {
        let offset = self.layout.offset(fixup.place) as usize;
        match &fixup.kind {
            FixupKind::Inst(encoded) => {
                self.instruction((index, offset), encoded, fixup.loc, bytes);
            }
            FixupKind::Data(size, expr) => {
                let Some(value) = self.value(expr, fixup.loc) else { return };
                self.data((index, offset), (value, *size), fixup.loc, bytes);
            }
            FixupKind::Line(deferred) => self.deferred(offset, deferred, fixup.loc, bytes),
            FixupKind::Reloc(number, expr) => {
                let Some(value) = self.value(expr, fixup.loc) else { return };
                self.asked((index, offset), *number, value, fixup.loc);
            }
        }
    }

    /// Writes an instruction whose numbers are known now.
    fn deferred(&mut self, offset: usize, deferred: &Deferred, loc: Loc, bytes: &mut [u8]) {
        for reading in &deferred.readings {
            if self.value(&reading.expr, loc).is_none() {
                return;
            }
        }
        let is_fixed = self.bases != Bases::Linker;
        let evaluator = self.evaluator(None);
        let address = |term| {
            let place: FragmentOffset = evaluator.place(term)?;
            Some(self.base(place.section as usize).wrapping_add(self.layout.offset(place)) as i64)
        };
        let value = |expr: &Expr| match evaluator.value(expr).ok()? {
            Value { add: None, sub: None, number } => Some(number),
            Value { add, sub, number } if is_fixed => {
                let add = add.map_or(Some(0), address)?;
                Some(add.wrapping_sub(sub.map_or(Some(0), address)?).wrapping_add(number))
            }
            _ => None,
        };
        let engine = self.engine.clone().with_extensions(deferred.set);
        let names = DeferredNames { deferred, value };
        match engine.assemble_named(&deferred.line, &names) {
            Ok(found) if engine.bytes_of(found.inst) == deferred.size && !found.has_fixups() => {
                let own = engine.bytes(found.inst);
                bytes[offset..offset + deferred.size].copy_from_slice(&own[..deferred.size]);
            }
            Ok(_) => {
                let message =
                    "the size of this instruction depends on a number that is defined later";
                self.error(Code::E1104, message, loc);
            }
            Err(error) => {
                let place = error.column.saturating_sub(1);
                let at = deferred.line.char_indices().nth(place).map_or(0, |(at, _)| at) as u32;
                let is_written = (loc.span.end - loc.span.start) as usize == deferred.line.len();
                let span = match is_written {
                    true => Span { start: (loc.span.start + at).min(loc.span.end), ..loc.span },
                    false => loc.span,
                };
                self.error(Code::E1101, error.message.clone(), Loc { span, ..loc });
            }
        }
    }

    fn asked(&mut self, place: (usize, usize), number: u32, value: Value, loc: Loc) {
        if value.sub.is_some() {
            self.error(Code::E1107, "a relocation can refer to only one symbol", loc);
        } else if self.bases == Bases::Linker {
            self.want(place, number, (value.add, value.number));
        } else {
            self.error(Code::E1107, "only object files can have relocations", loc);
        }
    }

    fn value(&mut self, expr: &Expr, loc: Loc) -> Option<Value> {
        match self.evaluator(None).value(expr) {
            Ok(value) => {
                let mut terms = value.add.into_iter().chain(value.sub);
                match terms.find(|term| self.is_lost(*term)) {
                    Some(term) => self.address(term, loc).map(|_| value),
                    None => Some(value),
                }
            }
            Err(error) => {
                let diagnostic = no_value(error, loc, &self.unit.symbols);
                self.report(diagnostic, loc);
                None
            }
        }
    }

    /// Whether a symbol is not defined that no other file can define.
    fn is_lost(&self, term: Term) -> bool {
        let Term::Symbol(id) = term else { return false };
        let symbol = self.unit.symbols.get(id);
        symbol.name.starts_with(".L") && !symbol.is_defined()
    }

    /// The address of a term; reports a term that other files define.
    fn address(&mut self, term: Term, loc: Loc) -> Option<u64> {
        let place = self.evaluator(None).place(term);
        if let Some(place) = place {
            let base = self.base(place.section as usize);
            return Some(base.wrapping_add(self.layout.offset(place)));
        }
        if let Term::Symbol(id) = term
            && self.unknown.insert(id)
        {
            let symbols = &self.unit.symbols;
            let name = &symbols.get(id).name;
            let shown = name.strip_prefix(".L").and_then(|rest| rest.split_once('\u{2}'));
            let shown = shown.map_or(&**name, |(number, _)| number).to_string();
            let message = format!("the symbol `{shown}` is not defined");
            let known = symbols.names().filter(|name| !name.contains('\u{2}'));
            let diagnostic =
                Diagnostic::new(Code::E1103, message, loc.span).with_suggestion(&shown, known);
            self.report(diagnostic, loc);
        }
        None
    }

    /// The number that a value has once addresses are known; reports an unknown value.
    fn known(&mut self, value: Value, loc: Loc) -> Option<i64> {
        let add = value.add.map_or(Some(0), |term| self.address(term, loc));
        let sub = value.sub.map_or(Some(0), |term| self.address(term, loc));
        let distance = add?.wrapping_sub(sub?) as i64;
        Some(distance.wrapping_add(value.number))
    }

    fn want(
        &mut self,
        (section, offset): (usize, usize),
        number: u32,
        (symbol, addend): (Option<Term>, i64),
    ) {
        let offset = offset as u64;
        self.relocations.push(Wanted { section, offset, number, symbol, addend });
    }

    fn data(
        &mut self,
        (index, offset): (usize, usize),
        (value, size): (Value, u8),
        loc: Loc,
        bytes: &mut [u8],
    ) {
        let is_number = value.add.is_none() && value.sub.is_none();
        if !is_number && self.bases == Bases::Linker {
            self.data_relocation((index, offset), (value, size), loc);
            return;
        }
        let Some(number) = self.known(value, loc) else { return };
        if !fits(number, size) {
            let bits = u32::from(size) * 8;
            self.error(Code::E1104, format!("{number} does not fit into {bits} bits"), loc);
            return;
        }
        let own = data_bytes(self.engine.isa(), number as u64, size);
        bytes[offset..offset + usize::from(size)].copy_from_slice(&own[..size.into()]);
    }

    /// Adds the relocations of a number of `size` bytes.
    fn data_relocation(&mut self, place: (usize, usize), (value, size): (Value, u8), loc: Loc) {
        let bits = u32::from(size) * 8;
        let elf = self.engine.isa().elf().clone();
        let number = |name: &str| elf.relocation(&format!("{name}{bits}"));
        let absolute = number("abs").filter(|_| value.sub.is_none());
        if let Some(number) = absolute {
            self.want(place, number, (value.add, value.number));
            return;
        }
        let from = value.sub.and_then(|sub| self.evaluator(None).place(sub));
        let from = from.filter(|from| from.section as usize == place.0);
        if let (Some(number), Some(from)) = (number("rel"), from) {
            // The distance from here is the distance from the other location, plus the distance from there to here.
            let here = place.1 as i64 - self.layout.offset(from) as i64;
            self.want(place, number, (value.add, value.number.wrapping_add(here)));
            return;
        }
        if let (Some(add), Some(sub), Some(_)) = (number("add"), number("sub"), value.sub) {
            self.want(place, add, (value.add, value.number));
            self.want(place, sub, (value.sub, 0));
            return;
        }
        let message =
            format!("the specification names no relocation for this number of {bits} bits");
        self.error(Code::E1107, message, loc);
    }

    /// Writes an instruction over zeros.
    fn instruction(
        &mut self,
        (index, offset): (usize, usize),
        encoded: &Encoded,
        loc: Loc,
        bytes: &mut [u8],
    ) {
        let mut inst = encoded.assembled.inst;
        let engine = self.engine;
        let mut is_known = true;
        for (fixup, expr) in engine.fixups(&encoded.assembled).zip(&encoded.values) {
            let value = self.value(expr, loc);
            let filled =
                value.and_then(|value| self.filled((index, offset), inst, (&fixup, value), loc));
            is_known &= filled.is_some();
            inst = filled.unwrap_or(inst);
        }
        // Rules only judge known values; values left to a linker are unknown.
        if let Err(message) = engine.judge(inst)
            && is_known
        {
            self.error(Code::E1101, message, loc);
        }
        let length = self.engine.bytes_of(inst);
        bytes[offset..offset + length].copy_from_slice(&self.engine.bytes(inst)[..length]);
        if let Some(patch) = encoded.patch {
            let is_big = self.engine.isa().word_layout().is_big();
            patch.apply(&mut bytes[offset..offset + length], is_big);
        }
    }

    /// The instruction with a field, unless a linker fills it in or it cannot be.
    fn filled(
        &mut self,
        (index, offset): (usize, usize),
        inst: Inst,
        (fixup, value): (&engine::Fixup, Value),
        loc: Loc,
    ) -> Option<Inst> {
        if self.bases == Bases::Linker && !self.is_final((index, offset), inst, (fixup, value)) {
            match fixup.relocation {
                _ if value.sub.is_some() => {
                    self.error(Code::E1107, "a relocation can refer to only one symbol", loc);
                }
                Some(number) => {
                    let place = (index, offset + fixup.offset as usize);
                    let addend = value.number.wrapping_add(fixup.addend);
                    self.want(place, number, (value.add, addend));
                }
                None => {
                    let message = "the specification names no relocation for this distance";
                    self.error(Code::E1107, message, loc);
                }
            }
            return None;
        }
        if !fixup.is_known {
            return self.filled_by_pair(inst, (fixup, value), loc);
        }
        let address = self.base(index).wrapping_add(offset as u64);
        let target = self.known(value, loc)? as u64;
        match self.engine.fill(inst, fixup, target, address) {
            Ok(inst) => Some(inst),
            Err(error) => {
                self.not_filled(inst, fixup, (target, address), (error, loc));
                None
            }
        }
    }

    /// The instruction with a field whose value is made of the relocation of another instruction.
    fn filled_by_pair(
        &mut self,
        inst: Inst,
        (fixup, value): (&engine::Fixup, Value),
        loc: Loc,
    ) -> Option<Inst> {
        let Some((key, _, _, of)) = self.pair_at(inst, (fixup, value)) else {
            let message = match self.engine.pair_of(inst, fixup) {
                Some(name) => format!("there is no instruction with `{name}` at this address"),
                None => "only linkers know the value of this relocation".to_string(),
            };
            self.error(Code::E1107, message, loc);
            return None;
        };
        let start = self.base(key.0 as usize).wrapping_add(key.1);
        let target = self.known(of, loc)? as u64;
        match self.engine.fill_paired(inst, fixup, target, start) {
            Ok(inst) => Some(inst),
            Err(error) => {
                self.error(Code::E1104, error.to_string(), loc);
                None
            }
        }
    }

    /// Whether linking does not change the value of a field.
    fn is_final(
        &self,
        (index, offset): (usize, usize),
        inst: Inst,
        (fixup, value): (&engine::Fixup, Value),
    ) -> bool {
        let Value { add, sub: None, number } = value else { return false };
        if let Some((key, encoded, other, of)) = self.pair_at(inst, (fixup, value)) {
            let place = (key.0 as usize, key.1 as usize);
            return key.0 as usize == index
                && self.is_final(place, encoded.assembled.inst, (&other, of));
        }
        let Some(add) = add else { return fixup.is_known && !fixup.is_relative };
        let is_own = match add {
            Term::FragmentOffset(_) => true,
            Term::Symbol(id) => is_local(&self.unit.symbols, id),
        };
        let place = self.evaluator(None).place(add);
        let place = place.filter(|place| is_own && place.section as usize == index);
        let Some(place) = place.filter(|_| fixup.is_relative && fixup.is_known) else {
            return false;
        };
        if self.kept.contains(&(index as u32, offset as u64)) {
            return false;
        }
        // The section's address determines page boundaries: one can lie at the target, or at the instruction.
        let target = self.layout.offset(place).wrapping_add(number as u64);
        let page = 1u64 << 32;
        let moves = [0x804, page.wrapping_sub(target), page.wrapping_sub(offset as u64)];
        let filled = |by: u64| {
            let address = (offset as u64).wrapping_add(by);
            self.engine.fill(inst, fixup, target.wrapping_add(by), address)
        };
        let first = filled(0);
        moves.into_iter().all(|by| filled(by) == first)
    }

    fn not_filled(
        &mut self,
        inst: Inst,
        fixup: &engine::Fixup,
        (target, address): (u64, u64),
        (error, loc): (RelocateError, Loc),
    ) {
        let distance = target.wrapping_sub(address) as i64;
        let message = match (error, self.engine.reach(inst, fixup)) {
            (RelocateError::OutOfRange { .. }, Some((low, high))) => {
                let reach = i128::from(distance);
                if reach < low || reach > high {
                    format!(
                        "the target is {distance} bytes away; the instruction reaches from {low} to {high}"
                    )
                } else {
                    format!(
                        "the target is {distance} bytes away, which the instruction cannot encode"
                    )
                }
            }
            (error, _) => error.to_string(),
        };
        self.error(Code::E1104, message, loc);
    }
}
