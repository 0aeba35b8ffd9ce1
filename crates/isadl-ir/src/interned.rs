//! Names of fields and expressions, each once, by number.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::isa::{Expr, ExprId, NameId};

/// Field names by number.
#[derive(Debug, Default)]
pub struct Names<'a> {
    list: Vec<Cow<'a, str>>,
    by_text: HashMap<Cow<'a, str>, NameId>,
}

impl<'a> Names<'a> {
    /// The number of a name, new or known.
    pub fn intern(&mut self, text: impl Into<Cow<'a, str>>) -> NameId {
        let (next, text) = (NameId(self.list.len() as u32), text.into());
        *self.by_text.entry(text).or_insert_with_key(|text| {
            self.list.push(text.clone());
            next
        })
    }

    /// The number of a known name.
    pub fn get(&self, text: &str) -> Option<NameId> {
        self.by_text.get(text).copied()
    }

    /// The name of a number.
    pub fn text(&self, id: NameId) -> &str {
        &self.list[id.index()]
    }

    /// All names in order of first appearance.
    pub fn all(&self) -> &[Cow<'a, str>] {
        &self.list
    }
}

/// Expressions, each once.
#[derive(Debug, Clone, Default)]
pub struct Exprs {
    list: Vec<Expr>,
    by_value: HashMap<Expr, ExprId>,
}

impl Exprs {
    /// The number of an expression, new or known.
    pub fn intern(&mut self, expr: Expr) -> ExprId {
        if let Some(id) = self.by_value.get(&expr) {
            return *id;
        }
        let id = ExprId(self.list.len() as u32);
        self.list.push(expr.clone());
        self.by_value.insert(expr, id);
        id
    }

    /// The expression of a number.
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.list[id.index()]
    }

    /// All expressions.
    pub fn all(&self) -> &[Expr] {
        &self.list
    }
}
