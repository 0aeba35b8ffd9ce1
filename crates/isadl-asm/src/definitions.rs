//! Definitions of symbols: values as expressions, chains of them, and symbols that are names of sections.

use std::collections::HashMap;

use crate::expr::{Evaluator, Expr, Op, Term, Unplaced, Value};
use crate::sections::Section;
use crate::symbols::{
    Binding, Definition, FragmentOffset, SymbolId, SymbolKind, Symbols, Version, Visibility,
};
use crate::text::Loc;

/// The expression of a value.
pub(crate) fn of_value(value: Value) -> Expr {
    let term = |term| match term {
        Term::Symbol(id) => Expr::Symbol(id),
        Term::FragmentOffset(place) => Expr::FragmentOffset(place),
    };
    let mut expr = match (value.add, value.number) {
        (Some(add), 0) => term(add),
        (Some(add), number) => Expr::Binary(Op::Add, Box::new((term(add), Expr::Number(number)))),
        (None, number) => Expr::Number(number),
    };
    if let Some(sub) = value.sub {
        expr = Expr::Binary(Op::Sub, Box::new((expr, term(sub))));
    }
    expr
}

/// Marks the symbols of an expression as used, and the symbols in their definitions.
pub(crate) fn mark_used(expr: &Expr, loc: Loc, symbols: &mut Symbols) {
    let mut found = Vec::new();
    symbols_of(expr, &mut found);
    while let Some(id) = found.pop() {
        let is_new = symbols.get(id).used.is_none();
        symbols.mark_used(id, loc);
        if let Definition::Value(value, _) = &symbols.get(id).definition
            && is_new
            && !symbols.get(id).is_weak_alias
        {
            symbols_of(value, &mut found);
        }
    }
}

/// The symbols that are named in an expression.
fn symbols_of(expr: &Expr, found: &mut Vec<SymbolId>) {
    match expr {
        Expr::Symbol(id) => found.push(*id),
        Expr::Unary(_, operand) => symbols_of(operand, found),
        Expr::Binary(_, operands) => {
            symbols_of(&operands.0, found);
            symbols_of(&operands.1, found);
        }
        Expr::Choice(operands) => {
            let (condition, yes, no) = &**operands;
            [condition, yes, no].into_iter().for_each(|one| symbols_of(one, found));
        }
        Expr::Call(_, arguments) => arguments.iter().for_each(|one| symbols_of(one, found)),
        Expr::Number(_) | Expr::Here | Expr::FragmentOffset(_) | Expr::Parameter(_) => {}
    }
}

/// Defines symbols that are called like sections: they are where these begin.
pub(crate) fn define_sections(sections: &[Section], symbols: &mut Symbols) {
    let mut by_name = HashMap::new();
    for (section, own) in (0..).zip(sections) {
        by_name.entry(own.name.as_str()).or_insert(section);
    }
    for id in symbols.ids() {
        let symbol = symbols.get_mut(id);
        if let Some(section) = by_name.get(&*symbol.name)
            && !symbol.is_defined()
            && symbol.binding.is_none()
        {
            let place = FragmentOffset { section: *section, fragment: 0, offset: 0 };
            (symbol.definition, symbol.kind) = (Definition::Label(place), SymbolKind::Section);
        }
    }
}

/// Replaces symbols in definitions by their own definitions, as far as these are known without layout. Symbols that
/// were named first are mostly defined by symbols that were named later.
pub(crate) fn shorten_chains(symbols: &mut Symbols) {
    let ids: Vec<SymbolId> = symbols.ids().collect();
    let evaluator = Evaluator::new(symbols, Unplaced, None);
    let values = ids.into_iter().rev().filter_map(|id| Some((id, evaluator.shortened(id)?)));
    let values: Vec<(SymbolId, Value)> = values.collect();
    for (id, value) in values {
        if let Definition::Value(expr, _) = &mut symbols.get_mut(id).definition {
            *expr = of_value(value);
        }
    }
}

/// Gives symbols their names with versions.
pub(crate) fn add_versions(symbols: &mut Symbols) {
    for (id, name, keeps) in std::mem::take(&mut symbols.versions) {
        let is_defined = symbols.get(id).is_defined();
        let chosen = match name.split_once("@@@") {
            Some((own, version)) if is_defined => format!("{own}@@{version}"),
            Some((own, version)) => format!("{own}@{version}"),
            None => name.to_string(),
        };
        if !is_defined || keeps == Version::Renamed || name.contains("@@@") {
            symbols.get_mut(id).name = chosen.into();
            continue;
        }
        let mut alias = symbols.get(id).clone();
        alias.name = chosen.into();
        alias.definition = Definition::Value(Expr::Symbol(id), false);
        symbols.push_whole(alias);
        let symbol = symbols.get_mut(id);
        match keeps {
            Version::Local => symbol.binding = Some(Binding::Local),
            Version::Hidden => symbol.visibility = Visibility::Hidden,
            Version::Alias | Version::Renamed => {}
        }
    }
}
