//! The statements of `__DefIsa` about extensions.

use pest::iterators::Pair;

use super::build::{Parts, refuse_second};
use super::guard::condition;
use super::{Context, Rule};
use crate::ast::{ExtensionSet, Implication, Isa, Requirement};
use crate::diagnostic::Diagnostic;

/// Adds a statement.
pub(super) fn statement<'s>(
    isa: &mut Isa<'s>,
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
) -> Result<(), Diagnostic> {
    let (rule, span) = (pair.as_rule(), context.span(&pair));
    let mut parts = Parts::of(context, pair);
    let keyword = parts.ident()?;
    match rule {
        Rule::extensions => {
            refuse_second(!isa.extensions.is_empty(), keyword)?;
            isa.extensions.extend(parts.map(|pair| context.ident(&pair)));
        }
        Rule::implies => {
            let when = condition(context, parts.take_one()?)?;
            let added = parts.map(|pair| context.ident(&pair)).collect();
            isa.implies.push(Implication { span, when, added });
        }
        Rule::requires => {
            let when = condition(context, parts.take_one()?)?;
            let then = condition(context, parts.take_one()?)?;
            isa.requires.push(Requirement { span, when, condition: then });
        }
        Rule::extension_set => {
            let name = parts.ident()?;
            let members = parts.map(|pair| context.ident(&pair)).collect();
            isa.sets.push(ExtensionSet { name, members });
        }
        _ => {
            refuse_second(isa.default_set.is_some(), keyword)?;
            isa.default_set = Some(parts.ident()?);
        }
    }
    Ok(())
}
