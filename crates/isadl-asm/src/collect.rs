//! Builds objects from resolved sections: symbols get their numbers.

use std::collections::{BTreeSet, HashMap, HashSet};

use isadl::diagnostic::Code;

use crate::expr::{Expr, Term, Value};
use crate::object::{Object, ObjectSection, ObjectSymbol, Relocation, SymbolPlace};
use crate::resolve::{Bases, Resolver, Wanted};
use crate::sections::{Content, Section};
use crate::symbols::{Binding, Definition, SymbolId, SymbolKind, Symbols};

impl Resolver<'_, '_> {
    /// The file with its symbols.
    pub(crate) fn object(self, mut sections: Vec<ObjectSection>) -> Object {
        let (mut symbols, mut numbers) = (Vec::new(), HashMap::new());
        let all = &self.unit.symbols;
        let is_wanted: HashSet<SymbolId> = (self.relocations.iter())
            .filter_map(|wanted| match wanted.symbol {
                Some(Term::Symbol(id)) => Some(id),
                _ => None,
            })
            .collect();
        for id in all.ids() {
            if let Some(symbol) = self.symbol(all, id, is_wanted.contains(&id)) {
                numbers.insert(id, symbols.len());
                symbols.push(symbol);
            }
        }
        self.signatures(&mut symbols);
        self.thread_local(&mut symbols, &numbers);
        let mut places: HashMap<(u32, u64), usize> = HashMap::new();
        let mut count = 0;
        for wanted in &self.relocations {
            let symbol = wanted.symbol.and_then(|term| match term {
                Term::Symbol(id) => numbers.get(&id).copied(),
                Term::FragmentOffset(place) => {
                    let offset = self.layout.offset(place);
                    let index = *places.entry((place.section, offset)).or_insert_with(|| {
                        let name = loop {
                            let name = format!(".Ltmp{count}");
                            count += 1;
                            if all.find(&name).is_none() {
                                break name;
                            }
                        };
                        let place = SymbolPlace::Section(place.section as usize, offset);
                        let kind = self.kind(place, SymbolKind::None);
                        symbols.push(ObjectSymbol::label(name, (place, kind)));
                        symbols.len() - 1
                    });
                    Some(index)
                }
            });
            let Wanted { offset, number, addend, .. } = *wanted;
            let relocation = Relocation { offset, number, symbol, addend };
            sections[wanted.section].relocations.push(relocation);
        }
        self.marks(&mut symbols);
        for section in &mut sections {
            section.relocations.sort_by_key(|relocation| relocation.offset);
        }
        let (files, inputs) = (self.unit.files.clone(), self.unit.inputs.clone());
        Object { sections, symbols, files, inputs }
    }

    /// The section that a section is linked to: the one of a symbol; errors are reported.
    pub(crate) fn link(&mut self, section: &Section) -> Option<usize> {
        let name = section.attributes.link.as_deref()?;
        let id = self.unit.symbols.find(name)?;
        let symbol = self.unit.symbols.get(id);
        let evaluator = self.evaluator(None);
        let value = evaluator.value(&Expr::Symbol(id)).ok();
        let place = value.and_then(|value| evaluator.place(value.add?));
        if let (None, Some(loc)) = (place, symbol.used) {
            let message = format!("the symbol `{name}` is in no section of this file");
            self.error(Code::E1103, message, loc);
        }
        Some(place?.section as usize)
    }

    /// Symbols of other files are thread-local if their relocations say so.
    fn thread_local(&self, symbols: &mut [ObjectSymbol], numbers: &HashMap<SymbolId, usize>) {
        for wanted in &self.relocations {
            let Some(Term::Symbol(id)) = wanted.symbol else { continue };
            let Some(symbol) = numbers.get(&id).map(|index| &mut symbols[*index]) else { continue };
            let is_theirs = self.unit.thread_local.iter().any(|own| own.contains(&wanted.number));
            if is_theirs && symbol.place == SymbolPlace::Undefined {
                symbol.kind = SymbolKind::ThreadLocal;
            }
        }
    }

    /// The symbols of groups that nothing else defines.
    fn signatures(&self, symbols: &mut Vec<ObjectSymbol>) {
        let groups = self.unit.sections.iter().filter_map(|own| own.attributes.group.as_ref());
        let names: BTreeSet<&str> = groups.map(|group| group.signature.as_str()).collect();
        for name in names {
            if symbols.iter().all(|symbol| symbol.name != name) {
                let place = (SymbolPlace::Absolute(0), SymbolKind::None);
                symbols.push(ObjectSymbol::label(name.to_string(), place));
            }
        }
    }

    /// Symbols where code begins and where data does.
    fn marks(&self, symbols: &mut Vec<ObjectSymbol>) {
        let Some([code, data]) = &self.engine.isa().elf().marks else { return };
        if self.bases != Bases::Linker {
            return;
        }
        for section in &self.unit.sections {
            for (place, content) in &section.marks {
                let name = if *content == Content::Code { code } else { data };
                let place =
                    SymbolPlace::Section(place.section as usize, self.layout.offset(*place));
                symbols.push(ObjectSymbol::label(name.clone(), (place, SymbolKind::None)));
            }
        }
    }

    /// The kind of a symbol at a location. In thread-local sections, symbols are thread-local.
    fn kind(&self, place: SymbolPlace, kind: SymbolKind) -> SymbolKind {
        let SymbolPlace::Section(section, _) = place else { return kind };
        match self.unit.sections[section].attributes.is_thread_local {
            true if kind != SymbolKind::Section => SymbolKind::ThreadLocal,
            _ => kind,
        }
    }

    /// A symbol, unless nobody asks for it.
    fn symbol(&self, all: &Symbols, id: SymbolId, is_wanted: bool) -> Option<ObjectSymbol> {
        let symbol = all.get(id);
        let evaluator = self.evaluator(None);
        let is_temporary = symbol.name.starts_with(".L") && symbol.binding.is_none();
        if symbol.is_weak_alias {
            return None;
        }
        if is_temporary && !is_wanted || !symbol.is_defined() && symbol.used.is_none() && !is_wanted
        {
            return None;
        }
        let mut base = None;
        let place = match &symbol.definition {
            Definition::None => SymbolPlace::Undefined,
            Definition::Label(place) => {
                SymbolPlace::Section(place.section as usize, self.layout.offset(*place))
            }
            Definition::Common(size, align) => SymbolPlace::Common(*size, *align),
            Definition::Value(expr, _) => match evaluator.definition(expr).ok()? {
                Value { add: None, sub: None, number } => SymbolPlace::Absolute(number as u64),
                Value { add: Some(add), sub: None, number } => {
                    let place = evaluator.place(add)?;
                    base = match add {
                        Term::Symbol(id) => Some(all.get(id)),
                        Term::FragmentOffset(_) => None,
                    };
                    let offset = self.layout.offset(place).wrapping_add(number as u64);
                    SymbolPlace::Section(place.section as usize, offset)
                }
                _ => return None,
            },
        };
        let is_undefined = place == SymbolPlace::Undefined;
        let name = match symbol.name.split_once('\u{2}') {
            Some((number, count)) => format!(".Ltmp{}_{count}", &number[2..]),
            None => symbol.name.to_string(),
        };
        // An alias of another symbol takes that symbol's size and kind.
        let size = symbol.size.as_ref().or_else(|| base?.size.as_ref());
        let size = size.and_then(|size| evaluator.number(size).ok());
        let kind = base.map_or(symbol.kind, |base| symbol.kind.of_alias(base.kind));
        let usual = match is_undefined {
            // It only occurs through aliases of `.weakref`.
            true if symbol.used.is_none() => Binding::Weak,
            true => Binding::Global,
            false => Binding::Local,
        };
        Some(ObjectSymbol {
            name,
            place,
            size: size.unwrap_or(0) as u64,
            binding: symbol.binding.unwrap_or(usual),
            kind: self.kind(place, kind),
            visibility: symbol.visibility,
            other: symbol.other,
        })
    }
}
