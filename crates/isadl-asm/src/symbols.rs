//! Symbols: names and their definitions.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;

use crate::text::Loc;
use crate::tree::{Expr, Function, FunctionId, Meaning};
pub(crate) use crate::tree::{FragmentOffset, SymbolId};

/// The definition of a symbol.
#[derive(Debug, Clone, Default)]
pub(crate) enum Definition {
    /// Nothing in this file.
    #[default]
    None,
    /// A place.
    Label(FragmentOffset),
    /// A value, which may be given again if it was given by `.set` or `=`.
    Value(Expr, bool),
    /// Memory that the linker provides: size and alignment.
    Common(u64, u64),
}

/// Who sees a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// This file.
    Local,
    /// All files.
    Global,
    /// All files, unless another file defines the symbol.
    Weak,
}

/// The kind of the item that a symbol names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolKind {
    /// Nothing in particular.
    None,
    /// Data.
    Object,
    /// A function.
    Function,
    /// Data of each thread.
    ThreadLocal,
    /// A function that returns the address of another function.
    Indirect,
    /// A section.
    Section,
}

impl SymbolKind {
    /// The kind of a symbol that is an alias of another: the more specific of both kinds.
    pub(crate) fn of_alias(self, other: SymbolKind) -> SymbolKind {
        let rank = |kind| match kind {
            SymbolKind::None | SymbolKind::Section => 0,
            SymbolKind::Object => 1,
            SymbolKind::Function => 2,
            SymbolKind::Indirect => 3,
            SymbolKind::ThreadLocal => 4,
        };
        match other {
            SymbolKind::Section => self,
            other if rank(other) > rank(self) => other,
            _ => self,
        }
    }
}

/// Who sees a symbol that is seen by other files, once the file is linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// All modules.
    Default,
    /// The linked module; processors may restrict it further.
    Internal,
    /// The linked module.
    Hidden,
    /// All modules, but the module that defines it uses its own symbol.
    Protected,
}

/// A symbol of a file.
#[derive(Debug, Clone)]
pub(crate) struct Symbol {
    pub(crate) name: Rc<str>,
    pub(crate) definition: Definition,
    /// Where it was defined.
    pub(crate) loc: Option<Loc>,
    pub(crate) binding: Option<Binding>,
    pub(crate) kind: SymbolKind,
    pub(crate) visibility: Visibility,
    pub(crate) size: Option<Expr>,
    /// Where it was used first.
    pub(crate) used: Option<Loc>,
    /// Whether it is another name for a symbol, given by `.weakref`.
    pub(crate) is_weak_alias: bool,
    /// What processors say of it in ELF files, besides its visibility.
    pub(crate) other: u8,
}

/// What becomes of a symbol that is given a name with a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// It keeps its own name, too.
    Alias,
    /// It has only the name with the version.
    Renamed,
    /// Its own name is local.
    Local,
    /// Its own name is hidden.
    Hidden,
}

impl Symbol {
    pub(crate) fn is_defined(&self) -> bool {
        !matches!(self.definition, Definition::None)
    }
}

/// The symbols of a file.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    all: Vec<Symbol>,
    ids: HashMap<Rc<str>, SymbolId, RandomState>,
    /// Local labels that are numbers: how many there were of each.
    numbers: HashMap<u32, u32>,
    local: HashMap<(u32, u32), SymbolId, RandomState>,
    /// Names with versions that symbols are given.
    pub(crate) versions: Vec<(SymbolId, Box<str>, Version)>,
    functions: Vec<Function>,
    function_ids: HashMap<Rc<str>, FunctionId, RandomState>,
    /// How often a name was looked up.
    uses: Cell<u64>,
}

impl Symbols {
    pub(crate) fn get(&self, id: SymbolId) -> &Symbol {
        &self.all[id.0 as usize]
    }

    pub(crate) fn get_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.all[id.0 as usize]
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = SymbolId> + use<> {
        (0..self.all.len() as u32).map(SymbolId)
    }

    /// The symbol with a name, if any.
    pub(crate) fn find(&self, name: &str) -> Option<SymbolId> {
        self.uses.set(self.uses.get() + 1);
        self.ids.get(name).copied()
    }

    /// Counts symbol lookups: a result computed without lookups depends on no symbol.
    pub(crate) fn uses(&self) -> u64 {
        self.uses.get()
    }

    /// The symbol of a name.
    pub(crate) fn intern(&mut self, name: &str) -> SymbolId {
        if let Some(id) = self.find(name) {
            return id;
        }
        let name: Rc<str> = name.into();
        let id = self.push(name.clone());
        self.ids.insert(name, id);
        id
    }

    /// Creates a new symbol with the name of another. The name no longer finds the old symbol.
    pub(crate) fn replace(&mut self, id: SymbolId) -> SymbolId {
        let before = &mut self.all[id.0 as usize];
        let new = before.clone();
        // As the names of labels that are numbers, this is none of the file.
        before.name = format!(".L{}\u{2}{}", new.name, id.0).into();
        (before.binding, before.size) = (None, None);
        let new_id = SymbolId(self.all.len() as u32);
        self.ids.insert(new.name.clone(), new_id);
        self.all.push(new);
        new_id
    }

    /// A symbol that no name finds.
    pub(crate) fn push(&mut self, name: Rc<str>) -> SymbolId {
        let id = SymbolId(self.all.len() as u32);
        self.all.push(Symbol {
            name,
            definition: Definition::None,
            loc: None,
            binding: None,
            kind: SymbolKind::None,
            visibility: Visibility::Default,
            size: None,
            used: None,
            is_weak_alias: false,
            other: 0,
        });
        id
    }

    /// Adds a symbol that no name finds.
    pub(crate) fn push_whole(&mut self, symbol: Symbol) {
        self.all.push(symbol);
    }

    /// Uses a symbol.
    pub(crate) fn mark_used(&mut self, id: SymbolId, loc: Loc) {
        self.get_mut(id).used.get_or_insert(loc);
    }

    /// The label that a number defines here.
    pub(crate) fn define_number(&mut self, number: u32) -> SymbolId {
        let count = self.numbers.entry(number).or_insert(0);
        *count += 1;
        let key = (number, *count);
        self.local_label(key)
    }

    /// The label before or after this place that a number names.
    pub(crate) fn number(&mut self, number: u32, is_after: bool) -> SymbolId {
        let count = self.numbers.get(&number).copied().unwrap_or(0);
        self.local_label((number, count + u32::from(is_after)))
    }

    fn local_label(&mut self, key: (u32, u32)) -> SymbolId {
        self.uses.set(self.uses.get() + 1);
        if let Some(id) = self.local.get(&key) {
            return *id;
        }
        // A number is not a name, so this name never occurs in the file.
        let id = self.push(format!(".L{}\u{2}{}", key.0, key.1).into());
        self.local.insert(key, id);
        id
    }

    pub(crate) fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// The function with a name, if any. In bodies of functions, it can also be defined later.
    pub(crate) fn called(&mut self, name: &str, is_body: bool) -> Option<FunctionId> {
        self.uses.set(self.uses.get() + 1);
        if let Some(id) = self.function_ids.get(name) {
            return Some(*id);
        }
        let meaning = Meaning::of_name(name);
        if !is_body && matches!(meaning, Meaning::None) {
            return None;
        }
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(Function { name: name.into(), parameters: 1, meaning });
        self.function_ids.insert(name.into(), id);
        Some(id)
    }

    /// Defines a function; `false` if it is defined.
    pub(crate) fn define_function(&mut self, name: &str, parameters: usize, body: Expr) -> bool {
        let Some(id) = self.called(name, true) else { return false };
        let function = &mut self.functions[id.0 as usize];
        let is_new = matches!(function.meaning, Meaning::None);
        if is_new {
            function.parameters = parameters;
            function.meaning = Meaning::Body(body);
        }
        is_new
    }

    /// Names to suggest for a misspelt name.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().filter(|symbol| symbol.is_defined()).map(|symbol| &*symbol.name)
    }
}
