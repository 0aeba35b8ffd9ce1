//! From pest's pairs to nodes of the syntax tree. This knows only the shape of the language: names
//! are not looked up, and values are not compared.

use pest::iterators::{Pair, Pairs};

use super::encoding::{bits, condition, fix, reserved, unstated};
use super::entries::operand_entry;
use super::expr::expr;
use super::guard::Guarded;
use super::numbers::{self, number_format};
use super::operands::{
    memory, never, operand_list, operands, short, template, texts, use_list, width,
};
use super::{Context, Keyword, Rule};
use crate::ast::*;
use crate::diagnostic::{Code, Diagnostic, Old};
use crate::source::Span;

/// The pairs of a rule that carry information: all except punctuation and the end of input.
pub(super) struct Parts<'c, 's> {
    context: &'c Context<'s>,
    pub(super) span: Span,
    pairs: Pairs<'s, Rule>,
}

impl<'s> Iterator for Parts<'_, 's> {
    type Item = Pair<'s, Rule>;

    fn next(&mut self) -> Option<Pair<'s, Rule>> {
        self.pairs.find(|pair| {
            !matches!(
                pair.as_rule(),
                Rule::open_angle
                    | Rule::close_angle
                    | Rule::open_bracket
                    | Rule::close_bracket
                    | Rule::open_paren
                    | Rule::close_paren
                    | Rule::comma
                    | Rule::colon
                    | Rule::equals
                    | Rule::dots
                    | Rule::at
                    | Rule::is
                    | Rule::EOI
            )
        })
    }
}

impl<'c, 's> Parts<'c, 's> {
    pub(super) fn of(context: &'c Context<'s>, pair: Pair<'s, Rule>) -> Parts<'c, 's> {
        Parts { context, span: context.span(&pair), pairs: pair.into_inner() }
    }

    /// The next part. The grammar guarantees it; should the grammar and this file ever disagree, the
    /// statement is reported instead of causing a panic.
    pub(super) fn take_one(&mut self) -> Result<Pair<'s, Rule>, Diagnostic> {
        let span = self.span;
        self.next().ok_or_else(|| Diagnostic::new(Code::E0101, "the statement is incomplete", span))
    }

    /// Whether a rule comes next, including rules that carry no information.
    pub(super) fn is_next(&self, rule: Rule) -> bool {
        self.pairs.peek().is_some_and(|pair| pair.as_rule() == rule)
    }

    pub(super) fn ident(&mut self) -> Result<Ident<'s>, Diagnostic> {
        let pair = self.take_one()?;
        Ok(self.context.ident(&pair))
    }

    pub(super) fn int(&mut self) -> Result<Int, Diagnostic> {
        let pair = self.take_one()?;
        self.context.int(&pair)
    }
}

/// The definition that a header opens, without its body.
pub(super) fn definition<'s>(
    context: &Context<'s>,
    keyword: Keyword,
    (header, guard): (Span, Guarded<'s>),
    pair: Pair<'s, Rule>,
) -> Result<Definition<'s>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    parts.take_one()?;
    let name = parts.ident()?;
    let kind = match keyword {
        Keyword::Isa => DefinitionKind::Isa(Isa {
            width: parts.int()?,
            generations: Vec::new(),
            extensions: Vec::new(),
            implies: Vec::new(),
            requires: Vec::new(),
            sets: Vec::new(),
            default_set: None,
            name_sets: Vec::new(),
            modifiers: None,
            byte_order: None,
            unit: None,
            bits: None,
            case: None,
            ranges: None,
            semantics: None,
            placeholders: Vec::new(),
            comments: Vec::new(),
            separators: Vec::new(),
            padding: None,
            elf: Vec::new(),
            elf_marks: Vec::new(),
            detours: Vec::new(),
        }),
        Keyword::RegFile => {
            DefinitionKind::RegFile(RegFile { width: parts.int()?, count: parts.int()? })
        }
        Keyword::BitFieldType => DefinitionKind::BitFieldType(BitFieldType {
            width: parts.int()?,
            enumerators: Vec::new(),
            others: Vec::new(),
        }),
        Keyword::OperandType => DefinitionKind::OperandType(OperandType {
            width: parts.int()?,
            entries: Vec::new(),
            includes: Vec::new(),
            others: Vec::new(),
        }),
        Keyword::Immediate => DefinitionKind::Immediate(numbers::immediate(parts.int()?)),
        Keyword::Composite => DefinitionKind::Composite(Composite {
            width: parts.int()?,
            parts: Vec::new(),
            format: None,
        }),
        Keyword::Environment => DefinitionKind::Environment(Environment::default()),
        Keyword::Group => DefinitionKind::Group(layer(context, parts)?),
        Keyword::Optype => DefinitionKind::Optype(layer(context, parts)?),
        Keyword::Alias => DefinitionKind::Alias(layer(context, parts)?),
        // The other definitions are separate, and have files of their own.
        Keyword::Opcode
        | Keyword::Optypes
        | Keyword::Instructions
        | Keyword::Aliases
        | Keyword::Forms => DefinitionKind::Opcode(layer(context, parts)?),
    };
    Ok(Definition { header, name, guard, kind, prose: Vec::new(), broken: Broken::default() })
}

fn layer<'s>(context: &Context<'s>, parts: Parts<'_, 's>) -> Result<Layer<'s>, Diagnostic> {
    let mut layer = Layer::default();
    for pair in parts {
        match pair.as_rule() {
            Rule::int => layer.width = Some(context.int(&pair)?),
            _ => layer.parents.push(context.ident(&pair)),
        }
    }
    Ok(layer)
}

/// Adds a statement to the body of a type or of the instruction set.
pub(super) fn body_statement<'s>(
    context: &Context<'s>,
    kind: &mut DefinitionKind<'s>,
    pair: Pair<'s, Rule>,
    doc: Vec<&'s str>,
    guard: Guarded<'s>,
) -> Result<(), Diagnostic> {
    let span = context.span(&pair);
    let takes_guard = pair.as_rule() == Rule::elf
        || matches!(
            kind,
            DefinitionKind::BitFieldType(_)
                | DefinitionKind::OperandType(_)
                | DefinitionKind::Environment(_)
        );
    if let Some(guard) = guard.as_ref().filter(|_| !takes_guard) {
        return Err(Diagnostic::new(Code::E0101, "a guard is not allowed here", guard.span)
            .with_help("guard the whole definition, and write it once for each case"));
    }
    match kind {
        DefinitionKind::BitFieldType(ty) if pair.as_rule() == Rule::include => {
            let mut parts = Parts::of(context, pair);
            parts.take_one()?;
            ty.others.push(Include { name: parts.ident()?, guard });
        }
        DefinitionKind::BitFieldType(ty) => {
            ty.enumerators.extend(enumerators(context, pair, doc, guard)?);
        }
        DefinitionKind::OperandType(ty) if pair.as_rule() == Rule::include => {
            let mut parts = Parts::of(context, pair);
            let keyword = parts.ident()?;
            let list = if keyword.text == "else" { &mut ty.others } else { &mut ty.includes };
            list.push(Include { name: parts.ident()?, guard });
        }
        DefinitionKind::OperandType(ty) => {
            ty.entries.push(OperandEntry { guard, ..operand_entry(context, span, pair)? });
        }
        DefinitionKind::Isa(isa) if matches!(pair.as_rule(), Rule::setting | Rule::unit) => {
            super::settings::setting(isa, context, pair)?;
        }
        DefinitionKind::Isa(isa) if pair.as_rule() == Rule::guard_field => {
            let keyword = Parts::of(context, pair.clone()).ident()?;
            refuse_second(isa.semantics.is_some(), keyword)?;
            isa.semantics = Some(super::settings::semantics(context, pair)?);
        }
        DefinitionKind::Isa(isa) if pair.as_rule() == Rule::elf => {
            super::settings::elf(isa, context, pair, guard)?;
        }
        DefinitionKind::Isa(isa) if pair.as_rule() == Rule::detour => {
            isa.detours.push(super::settings::detour(context, pair)?);
        }
        DefinitionKind::Isa(isa) if pair.as_rule() == Rule::format => {
            let mut parts = Parts::of(context, pair);
            refuse_second(isa.padding.is_some(), parts.ident()?)?;
            isa.padding = Some(string(context, parts.take_one()?));
        }
        DefinitionKind::Isa(isa) if pair.as_rule() == Rule::placeholder => {
            let mut parts = Parts::of(context, pair);
            parts.take_one()?;
            let name = parts.ident()?;
            let fields = parts.map(|pair| context.ident(&pair)).collect();
            isa.placeholders.push(Placeholder { name, fields });
        }
        DefinitionKind::Isa(isa) if pair.as_rule() == Rule::signs => {
            let mut parts = Parts::of(context, pair);
            let keyword = parts.ident()?;
            let signs = match keyword.text {
                word if word.starts_with('C') => &mut isa.comments,
                _ => &mut isa.separators,
            };
            refuse_second(!signs.is_empty(), keyword)?;
            *signs = parts.map(|pair| sign(context, pair)).collect::<Result<_, _>>()?;
        }
        DefinitionKind::Isa(isa) if pair.as_rule() != Rule::generations => {
            super::extensions::statement(isa, context, pair)?;
        }
        DefinitionKind::Isa(isa) => {
            let mut parts = Parts::of(context, pair);
            let keyword = parts.ident()?;
            let list = match keyword.text {
                "NameSets" => &mut isa.name_sets,
                _ => &mut isa.generations,
            };
            refuse_second(!list.is_empty(), keyword)?;
            list.extend(parts.map(|pair| context.ident(&pair)));
        }
        DefinitionKind::Immediate(ty) => numbers::statement(context, ty, pair)?,
        DefinitionKind::Composite(ty) if pair.as_rule() == Rule::field => {
            ty.parts.push(field(context, pair)?)
        }
        DefinitionKind::Environment(environment) => {
            environment.statements.push(super::environment::statement(context, pair, guard)?);
        }
        DefinitionKind::Composite(ty) => {
            let mut parts = Parts::of(context, pair);
            let keyword = parts.ident()?;
            refuse_second(ty.format.is_some(), keyword)?;
            ty.format = Some(string(context, parts.take_one()?));
        }
        _ => {}
    }
    Ok(())
}

/// A sign of assembly lines. It is no part of a word, so that a line has the same words with it
/// and without.
fn sign<'s>(context: &Context<'s>, pair: Pair<'s, Rule>) -> Result<Ident<'s>, Diagnostic> {
    let sign = string(context, pair);
    let is_apart = |c: char| c.is_ascii_punctuation() && c != '_';
    if !sign.text.is_empty() && sign.text.chars().all(is_apart) {
        return Ok(sign);
    }
    let message = match sign.text {
        "" => "the text that begins comments or separates instructions is empty".to_string(),
        text => format!("`{text}` cannot begin comments or separate instructions"),
    };
    Err(Diagnostic::new(Code::E0101, message, sign.span)
        .with_note("use ASCII punctuation other than `_`"))
}

pub(super) fn refuse_second(given: bool, keyword: Ident<'_>) -> Result<(), Diagnostic> {
    if !given {
        return Ok(());
    }
    Err(Diagnostic::new(Code::E0505, format!("`{}` is given twice", keyword.text), keyword.span)
        .with_removal("keep one of the two", Old::Statement(keyword.span)))
}

/// The values of a name: a single value, or a value for each of several guards.
fn enumerators<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
    doc: Vec<&'s str>,
    guard: Guarded<'s>,
) -> Result<Vec<Enumerator<'s>>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    let name = parts.ident()?;
    let doc = doc.into_iter().map(str::trim).collect();
    let mut enumerator = Enumerator {
        name,
        value: None,
        spelling: None,
        also: Vec::new(),
        format: None,
        doc,
        guard: None,
    };
    let mut codes: Vec<(Int, Guarded<'s>)> = Vec::new();
    for pair in parts {
        match pair.as_rule() {
            Rule::code => {
                let mut parts = Parts::of(context, pair);
                let value = parts.int()?;
                let given = parts
                    .next()
                    .map(|pair| super::guard::guard(context, context.span(&pair), pair));
                codes.push((value, given.transpose()?.map(Box::new)));
            }
            Rule::string => enumerator.spelling = Some(string(context, pair)),
            Rule::also_words => {
                enumerator.also =
                    Parts::of(context, pair).map(|pair| context.ident(&pair)).collect();
            }
            _ => enumerator.format = Some(number_format(context, pair)?),
        }
    }
    let Some((_, last)) = codes.last_mut() else {
        return Ok(vec![Enumerator { guard, ..enumerator }]);
    };
    if let (Some(first), Some(second)) = (last.as_deref(), guard.as_deref()) {
        return Err(Diagnostic::new(Code::E0101, "second guard of one value", second.span)
            .with_related(first.span, "the first is here")
            .with_removal("keep one of the two", Old::Line(second.span)));
    }
    *last = last.take().or(guard);
    let open = codes.iter().find(|(_, guard)| guard.is_none()).map(|(value, _)| *value);
    if let Some(value) = open.filter(|_| codes.len() > 1) {
        let message = "one of several values does not have a guard";
        return Err(Diagnostic::new(Code::E0101, message, value.span)
            .with_help("write `@[…]` after each, with the generations that have it"));
    }
    let values = codes.into_iter();
    Ok(values
        .map(|(value, guard)| Enumerator { value: Some(value), guard, ..enumerator.clone() })
        .collect())
}

/// The text between the quotes.
pub(super) fn string<'s>(context: &Context<'s>, pair: Pair<'s, Rule>) -> Ident<'s> {
    let text = pair.as_str();
    let inner = &text[1..text.len() - 1];
    Ident { text: inner, span: context.locate(inner) }
}

fn field<'s>(context: &Context<'s>, pair: Pair<'s, Rule>) -> Result<Field<'s>, Diagnostic> {
    let span = context.locate(pair.as_str().trim_end());
    let mut parts = Parts::of(context, pair);
    let keyword = parts.ident()?;
    let mut field = Field {
        span,
        control: Some(keyword.span).filter(|_| is_control(keyword.text)),
        bits: bits(context, &mut parts)?,
        type_name: parts.ident()?,
        name: parts.ident()?,
        binding: None,
        literal_of: Vec::new(),
        guard: None,
    };
    for pair in parts {
        match pair.as_rule() {
            Rule::binding => field.binding = Some(binding(context, pair)?),
            _ => field.literal_of.push(context.ident(&pair)),
        }
    }
    Ok(field)
}

/// Whether a keyword means `control`. It may be misspelt, which was reported: the nearer word counts.
fn is_control(keyword: &str) -> bool {
    crate::suggest::nearest(keyword, ["field", "control"]).as_deref() == Some("control")
}

fn binding<'s>(context: &Context<'s>, pair: Pair<'s, Rule>) -> Result<Binding<'s>, Diagnostic> {
    let mut parts = Parts::of(context, pair);
    let fixed = if parts.take_one()?.as_rule() == Rule::fixed { Fixed::Yes } else { Fixed::No };
    let value = value(context, parts.take_one()?)?;
    Ok(Binding { fixed, value })
}

pub(super) fn value<'s>(
    context: &Context<'s>,
    pair: Pair<'s, Rule>,
) -> Result<Value<'s>, Diagnostic> {
    Ok(match pair.as_rule() {
        Rule::signed_int if pair.as_str().bytes().all(|b| b.is_ascii_digit()) => {
            Value::Name(context.ident(&pair), Some(context.int(&pair)?))
        }
        Rule::signed_int => Value::Int(context.int(&pair)?),
        // The name of a value, or the text of a floating-point constant.
        _ => Value::Name(context.ident(&pair), None),
    })
}

/// Adds a statement to a layer as if it began with `keyword`.
pub(super) fn layer_statement<'s>(
    context: &Context<'s>,
    layer: &mut Layer<'s>,
    (keyword, guard): (&str, Guarded<'s>),
    pair: Pair<'s, Rule>,
) -> Result<(), Diagnostic> {
    let span = context.locate(pair.as_str().trim_end());
    let rule = pair.as_rule();
    let kind = match rule {
        Rule::field | Rule::literal_field => {
            layer.fields.push(Field { guard, ..field(context, pair)? });
            return Ok(());
        }
        Rule::reserved | Rule::fixed_bits | Rule::ignored_bits => {
            layer.reserved.push(reserved(context, pair, guard)?);
            return Ok(());
        }
        Rule::unstated => {
            let next = unstated(context, pair, guard)?;
            layer.unstated.push(next);
            return Ok(());
        }
        Rule::guard_field if keyword == "Semantics" => {
            if let Some(guard) = guard {
                return Err(Diagnostic::new(
                    Code::E0101,
                    "a guard is not allowed here",
                    guard.span,
                )
                .with_help("guard the statements of the program"));
            }
            let mut parts = Parts::of(context, pair.clone());
            refuse_second(layer.semantics.is_some(), parts.ident()?)?;
            layer.semantics = Some(super::settings::semantics(context, pair)?);
            return Ok(());
        }
        Rule::fix => {
            layer.fixes.push(fix(context, pair, guard)?);
            return Ok(());
        }
        Rule::match_cond => {
            layer.matches.push(condition(context, pair, guard)?);
            return Ok(());
        }
        Rule::guard_field if keyword == "Print" => {
            layer.silent = Some(never(context, pair)?);
            return Ok(());
        }
        Rule::encoding_rule => {
            layer.rules.push(super::encoding::rule(context, keyword, pair, guard)?);
            return Ok(());
        }
        Rule::operand_list => operand_list(context, keyword, pair)?,
        Rule::use_list => use_list(context, keyword, pair)?,
        Rule::operands => {
            let kinds = operands(context, pair)?.into_iter();
            let statement =
                |kind| OperandStatement { span, kind, guard: guard.clone(), is_short: true };
            layer.operand_info.extend(kinds.map(statement));
            return Ok(());
        }
        Rule::texts => texts(context, keyword, pair)?,
        Rule::modi_order => {
            let mut parts = Parts::of(context, pair);
            parts.take_one()?;
            OperandStatementKind::ModiOrder(parts.map(|pair| context.ident(&pair)).collect())
        }
        Rule::guard_field => {
            let mut parts = Parts::of(context, pair);
            parts.take_one()?;
            OperandStatementKind::Guard(parts.ident()?)
        }
        Rule::mask => {
            let mut parts = Parts::of(context, pair);
            parts.take_one()?;
            OperandStatementKind::Mask(parts.ident()?, parts.ident()?)
        }
        Rule::flow => {
            let mut parts = Parts::of(context, pair);
            parts.take_one()?;
            let class = parts.ident()?;
            let condition = parts.next().map(|pair| expr(pair, context)).transpose()?;
            OperandStatementKind::Flow { class, condition }
        }
        Rule::bitwidth => width(context, pair)?,
        Rule::memory => memory(context, keyword, pair)?,
        Rule::template => template(context, keyword, pair)?,
        Rule::short => short(context, pair)?,
        _ => {
            let mut parts = Parts::of(context, pair);
            parts.take_one()?;
            OperandStatementKind::AsmFormat {
                field: parts.ident()?,
                function: parts.ident()?,
                arguments: parts.map(|pair| context.ident(&pair)).collect(),
            }
        }
    };
    layer.operand_info.push(OperandStatement { span, kind, guard, is_short: false });
    Ok(())
}
