//! Syntax trees as text: one line per definition or statement, with its position. Statements are
//! written as they were parsed: numbers in decimal, expressions with all parentheses.

use std::fmt::Write;

use crate::ast::{
    Access, Binding, Condition, Definition, DefinitionKind, Enumerator, Environment, Expr,
    ExprKind, Field, File, Fixed, FixedTo, Guard, GuardRange, Ident, Immediate, Include, Isa,
    Layer, Made, Number, NumberFormat, OperandEntry, OperandMeaning, OperandRef, OperandStatement,
    OperandStatementKind, OperandType, Placeholder, RegisterRole, ReservedKind, RuleScope,
    Treatment, Value,
};
use crate::source::{SourceMap, Span};

/// The syntax trees.
pub fn ast(sources: &SourceMap, files: &[File<'_>]) -> String {
    let mut out = Dump { sources, text: String::new() };
    for file in files {
        let _ = writeln!(out.text, "file {}", sources.file(file.id).name());
        file.definitions.iter().for_each(|definition| out.definition(definition));
        for broken in &file.broken {
            if let Some(name) = broken.name {
                out.line(1, name.span, format_args!("broken definition of {}", name.text));
            }
        }
    }
    out.text
}

struct Dump<'d> {
    sources: &'d SourceMap,
    text: String,
}

impl Dump<'_> {
    /// A line at a depth, preceded by a position.
    fn line(&mut self, depth: usize, span: Span, content: std::fmt::Arguments<'_>) {
        let (line, column) = self.sources.position(span.file, span.start);
        let place = format!("{line}:{column}");
        let _ = writeln!(self.text, "{:indent$}{place:<8}{content}", "", indent = depth * 2);
    }

    fn definition(&mut self, definition: &Definition<'_>) {
        let name = definition.name.text;
        let head = match &definition.kind {
            DefinitionKind::Isa(isa) => format!("isa {name}<{}>", isa.width.value),
            DefinitionKind::RegFile(file) => {
                format!("register file {name}<{}, {}>", file.width.value, file.count.value)
            }
            DefinitionKind::BitFieldType(ty) => {
                format!("bit-field type {name}<{}>", ty.width.value)
            }
            DefinitionKind::OperandType(ty) => format!("operand type {name}<{}>", ty.width.value),
            DefinitionKind::Immediate(ty) => format!("immediate {name}<{}>", ty.width.value),
            DefinitionKind::Composite(ty) => format!("composite {name}<{}>", ty.width.value),
            DefinitionKind::Group(layer) => format!("group {name}{}", parents(layer)),
            DefinitionKind::Optype(layer) => format!("optype {name}{}", parents(layer)),
            DefinitionKind::Opcode(layer) => format!("opcode {name}{}", parents(layer)),
            DefinitionKind::Alias(layer) => format!("alias {name}{}", parents(layer)),
            DefinitionKind::Environment(_) => format!("environment {name}"),
        };
        let guard = guard(definition.guard.as_deref());
        self.line(1, definition.header, format_args!("{head}{guard}"));
        match &definition.kind {
            DefinitionKind::Isa(isa) => self.isa(isa),
            DefinitionKind::RegFile(_) => {}
            DefinitionKind::Environment(environment) => self.environment(environment),
            DefinitionKind::BitFieldType(ty) => {
                ty.enumerators.iter().for_each(|enumerator| self.enumerator(enumerator));
                self.included("else", &ty.others);
            }
            DefinitionKind::OperandType(ty) => self.operand_type(ty),
            DefinitionKind::Immediate(ty) => self.immediate(ty),
            DefinitionKind::Composite(ty) => {
                ty.parts.iter().for_each(|part| self.field(part));
                if let Some(format) = ty.format {
                    self.line(2, format.span, format_args!("format {:?}", format.text));
                }
            }
            DefinitionKind::Group(layer)
            | DefinitionKind::Optype(layer)
            | DefinitionKind::Opcode(layer)
            | DefinitionKind::Alias(layer) => self.layer(layer),
        }
        for section in &definition.prose {
            let lines: usize = section.runs.iter().map(|run| run.text.lines().count()).sum();
            let (heading, plural) = (section.kind.heading(), if lines == 1 { "" } else { "s" });
            if lines > 0 {
                let text = format_args!("{heading}, {lines} line{plural} of prose");
                self.line(2, section.heading, text);
            }
        }
    }

    fn environment(&mut self, environment: &Environment<'_>) {
        for statement in &environment.statements {
            let text = self.sources.text(statement.span);
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let guard = guard(statement.guard.as_deref());
            self.line(2, statement.span, format_args!("{text}{guard}"));
        }
    }

    fn isa(&mut self, isa: &Isa<'_>) {
        if let [first, ..] = isa.generations.as_slice() {
            self.line(2, first.span, format_args!("generations {}", list(&isa.generations)));
        }
        if let [first, ..] = isa.extensions.as_slice() {
            self.line(2, first.span, format_args!("extensions {}", list(&isa.extensions)));
        }
        for implied in &isa.implies {
            let (when, added) = (condition(&implied.when), list(&implied.added));
            self.line(2, implied.span, format_args!("{when} implies {added}"));
        }
        for required in &isa.requires {
            let (when, needed) = (condition(&required.when), condition(&required.condition));
            self.line(2, required.span, format_args!("{when} requires {needed}"));
        }
        for set in &isa.sets {
            let members = list(&set.members);
            self.line(2, set.name.span, format_args!("set {} = {members}", set.name.text));
        }
        if let Some(name) = isa.default_set {
            self.line(2, name.span, format_args!("default set {}", name.text));
        }
        if let [first, ..] = isa.name_sets.as_slice() {
            self.line(2, first.span, format_args!("name sets {}", list(&isa.name_sets)));
        }
        for (name, word) in [
            ("modifiers", isa.modifiers),
            ("byte order", isa.byte_order),
            ("bits", isa.bits),
            ("case", isa.case),
            ("ranges", isa.ranges),
            ("semantics", isa.semantics),
        ] {
            if let Some(word) = word {
                self.line(2, word.span, format_args!("{name} {}", word.text));
            }
        }
        if let Some((size, place)) = isa.unit {
            self.line(2, size.span, format_args!("unit {} {}", size.value, place.text));
        }
        for (word, signs) in [("comment", &isa.comments), ("separator", &isa.separators)] {
            for sign in signs {
                self.line(2, sign.span, format_args!("{word} {:?}", sign.text));
            }
        }
        if let Some(padding) = isa.padding {
            self.line(2, padding.span, format_args!("padding {:?}", padding.text));
        }
        for fact in &isa.elf {
            let text = format_args!("elf {} = {}", fact.name.text, fact.value.value);
            self.line(2, fact.span, text);
        }
        for mark in &isa.elf_marks {
            let text = format_args!("elf {} = {:?}", mark.name.text, mark.text.text);
            self.line(2, mark.name.span, text);
        }
        for detour in &isa.detours {
            let [one, other] = detour.opcodes;
            let text = format_args!("detour {}, {} = {:?}", one.text, other.text, detour.jump.text);
            self.line(2, one.span, text);
        }
        for Placeholder { name, fields } in &isa.placeholders {
            let text = format_args!("placeholder {} = {}", name.text, list(fields));
            self.line(2, name.span, text);
        }
    }

    fn enumerator(&mut self, enumerator: &Enumerator<'_>) {
        let mut text = enumerator.name.text.to_string();
        if let Some(value) = enumerator.value {
            text += &format!(" = {}", value.value);
        }
        if let Some(spelling) = enumerator.spelling {
            text += &format!(" as {:?}", spelling.text);
        }
        for other in &enumerator.also {
            text += &format!(" also {}", other.text);
        }
        if let Some(format) = &enumerator.format {
            text += &format!(", number {}", number(format));
        }
        text += &guard(enumerator.guard.as_deref());
        self.line(2, enumerator.name.span, format_args!("value {text}"));
    }

    fn operand_type(&mut self, ty: &OperandType<'_>) {
        for entry in &ty.entries {
            self.line(2, entry.span, format_args!("{}", operand_entry(entry)));
        }
        self.included("include", &ty.includes);
        self.included("else", &ty.others);
    }

    fn included(&mut self, keyword: &str, types: &[Include<'_>]) {
        for ty in types {
            let guard = guard(ty.guard.as_deref());
            self.line(2, ty.name.span, format_args!("{keyword} {}{guard}", ty.name.text));
        }
    }

    fn immediate(&mut self, ty: &Immediate<'_>) {
        if let Some(format) = &ty.number {
            self.line(2, format.span, format_args!("number {}", number(format)));
        }
        if let Some(format) = &ty.either {
            self.line(2, format.span, format_args!("or {}", number(format)));
        }
        if let Some(print) = ty.print {
            self.line(2, print.span, format_args!("print {}", print.text));
        }
        for (word, given) in [("scale", ty.scale), ("bias", ty.bias)] {
            if let Some(int) = given {
                self.line(2, int.span, format_args!("{word} {}", int.value));
            }
        }
        if let Some(value) = &ty.value {
            self.line(2, value.span, format_args!("value {}", expr(value)));
        }
        if let Some(which) = ty.canonical {
            self.line(2, which.span, format_args!("canonical {}", which.text));
        }
        if let Some(condition) = &ty.except {
            self.line(2, condition.span, format_args!("except {}", expr(condition)));
        }
        if let Some(base) = &ty.relative {
            self.line(2, base.span, format_args!("relative {}", expr(base)));
        }
        for relocation in &ty.relocations {
            let name = relocation.name.map_or(String::new(), |name| format!(" {:?}", name.text));
            let value = relocation.value.as_ref();
            let value = value.map_or(String::new(), |value| format!(" {}", expr(value)));
            let number = relocation.number.value;
            let place = relocation.keyword.span;
            self.line(2, place, format_args!("relocation {number}{name}{value}"));
        }
        if let Some(digits) = ty.digits {
            self.line(2, digits.span, format_args!("digits {}", digits.value));
        }
        if let Some(prefix) = ty.prefix {
            self.line(2, prefix.span, format_args!("prefix {:?}", prefix.text));
        }
    }

    fn layer(&mut self, layer: &Layer<'_>) {
        // Width and parents are in the head.
        let Layer {
            width: _,
            parents: _,
            fields,
            reserved,
            fixes,
            matches,
            silent,
            semantics,
            unstated,
            operand_info,
            rules,
        } = layer;
        fields.iter().for_each(|field| self.field(field));
        for reserved in reserved {
            let kind = match reserved.kind {
                ReservedKind::Zero => "zero",
                ReservedKind::Fixed => "fixed",
                ReservedKind::Ignored => "ignored",
            };
            let bits = &reserved.bits;
            let value = reserved.value.map_or(String::new(), |value| format!(" = {}", value.value));
            let guard = guard(reserved.guard.as_deref());
            self.line(2, reserved.span, format_args!("{kind}{bits}{value}{guard}"));
        }
        for fix in fixes {
            let (name, guard) = (fix.name.text, guard(fix.guard.as_deref()));
            let value = match &fix.value {
                FixedTo::Value(given) => value(given),
                FixedTo::Computed(computed) => expr(computed),
            };
            self.line(2, fix.span, format_args!("fix {name} == {value}{guard}"));
        }
        for condition in matches {
            let guard = guard(condition.guard.as_deref());
            let text = expr(&condition.condition);
            self.line(2, condition.span, format_args!("match {text}{guard}"));
        }
        if let Some(span) = silent {
            self.line(2, *span, format_args!("print never"));
        }
        if let Some(word) = semantics {
            self.line(2, word.span, format_args!("semantics {}", word.text));
        }
        for unstated in unstated {
            let treatment = match unstated.treatment {
                Treatment::Warn => "warn",
                Treatment::Zero => "zero",
                Treatment::Ignored => "ignored",
            };
            let guard = guard(unstated.guard.as_deref());
            self.line(2, unstated.span, format_args!("unstated = {treatment}{guard}"));
        }
        for statement in operand_info {
            let guard = guard(statement.guard.as_deref());
            self.line(2, statement.span, format_args!("{}{guard}", operand_statement(statement)));
        }
        for rule in rules {
            let scope = match rule.scope {
                RuleScope::Word => "rule",
                RuleScope::Assembler => "assembler rule",
            };
            let (kind, message) = (rule.kind.text, rule.message.text);
            let (condition, guard) = (expr(&rule.condition), guard(rule.guard.as_deref()));
            let text = format_args!("{scope} {kind} {message:?} if {condition}{guard}");
            self.line(2, rule.span, text);
        }
    }

    fn field(&mut self, field: &Field<'_>) {
        let word = match field.control {
            _ if !field.literal_of.is_empty() => "literal",
            Some(_) => "control",
            None => "field",
        };
        let mut text = format!("{word}{} {} {}", field.bits, field.type_name.text, field.name.text);
        if let Some(Binding { fixed, value: bound }) = &field.binding {
            let sign = if *fixed == Fixed::Yes { "==" } else { "=" };
            text += &format!(" {sign} {}", value(bound));
        }
        if !field.literal_of.is_empty() {
            text += &format!(" : {}", list(&field.literal_of));
        }
        text += &guard(field.guard.as_deref());
        self.line(2, field.span, format_args!("{text}"));
    }
}

fn list(names: &[Ident<'_>]) -> String {
    names.iter().map(|name| name.text).collect::<Vec<_>>().join(", ")
}

fn parents(layer: &Layer<'_>) -> String {
    let width = layer.width.map_or(String::new(), |width| format!("<{}>", width.value));
    format!("{width} : [{}]", list(&layer.parents))
}

fn guard(guard: Option<&Guard<'_>>) -> String {
    let Some(guard) = guard else { return String::new() };
    format!(" @[{}]", condition(&guard.condition))
}

/// A condition as it was written, with parentheses around all that is joined within others.
fn condition(given: &Condition<'_>) -> String {
    let within = |inner: &Condition<'_>| match inner {
        Condition::All(_) | Condition::Any(_) => format!("({})", condition(inner)),
        _ => condition(inner),
    };
    let joined =
        |list: &[Condition<'_>], word: &str| list.iter().map(within).collect::<Vec<_>>().join(word);
    match given {
        Condition::Range(GuardRange { first: Some(first), last: Some(last), .. })
            if first.text == last.text =>
        {
            first.text.to_string()
        }
        Condition::Range(range) => {
            let [first, last] =
                [range.first, range.last].map(|name| name.map_or("", |name| name.text));
            format!("{first}..{last}")
        }
        Condition::Not(inner) => format!("not {}", within(inner)),
        Condition::All(list) => joined(list, " and "),
        Condition::Any(list) => joined(list, ", "),
    }
}

fn number(format: &NumberFormat) -> String {
    let kind = match format.number {
        Number::Unsigned => "unsigned".to_string(),
        Number::Signed => "signed".to_string(),
        Number::Float { exponent, fraction } => {
            format!("float<{}, {}>", exponent.value, fraction.value)
        }
    };
    match format.lanes.value {
        1 => kind,
        lanes => format!("{kind} x {lanes}"),
    }
}

/// A name or a range of names.
fn names(meaning: &OperandMeaning<'_>) -> String {
    match meaning {
        OperandMeaning::Run { name, first, last, step, .. } => {
            let step = step.map_or(String::new(), |step| format!(" step {}", step.value));
            format!("{}[{}..{}{step}]", name.text, first.value, last.value)
        }
        OperandMeaning::Named { name, .. }
        | OperandMeaning::Float(name)
        | OperandMeaning::Literal(name) => name.text.to_string(),
        OperandMeaning::Integers { .. } => String::new(),
    }
}

fn operand_entry(entry: &OperandEntry<'_>) -> String {
    let mut role = None;
    let mut after_file = String::new();
    let mut text = match &entry.meaning {
        OperandMeaning::Run { registers, .. } => {
            let numbers =
                registers.map(|(first, last)| format!(" [{}..{}]", first.value, last.value));
            after_file = numbers.unwrap_or_default();
            format!("registers {}", names(&entry.meaning))
        }
        OperandMeaning::Named { name, role: given } => {
            role = *given;
            format!("name {}", name.text)
        }
        OperandMeaning::Integers { first, last } => {
            format!("integers {}..{}", first.value, last.value)
        }
        OperandMeaning::Float(text) => format!("float {}", text.text),
        OperandMeaning::Literal(_) => "literal".to_string(),
    };
    text += &format!(" = {}", entry.value.value);
    if let Some(file) = entry.file {
        text += &format!(" : {}{after_file}", file.text);
    }
    text += &match role {
        Some(RegisterRole::Zero) => " zero".to_string(),
        Some(RegisterRole::One) => " one".to_string(),
        Some(RegisterRole::Nothing) => " nothing".to_string(),
        Some(RegisterRole::Index(index)) => format!(" [{}]", index.value),
        Some(RegisterRole::Range(..)) | None => String::new(),
    };
    if let Some(spelling) = entry.spelling {
        text += &format!(" as {:?}", spelling.text);
    }
    for other in &entry.also {
        text += &format!(" also {}", names(other));
    }
    if let Some(align) = entry.align {
        text += &format!(" align {}", align.value);
    }
    if !entry.classes.is_empty() {
        text += &format!(" is {}", list(&entry.classes));
    }
    text + &guard(entry.guard.as_deref())
}

fn operand_statement(statement: &OperandStatement<'_>) -> String {
    use OperandStatementKind as Kind;
    let operands = |word: &str, operands: &[OperandRef<'_>]| {
        let operands: Vec<String> = operands.iter().map(operand).collect();
        format!("{word}<{}>", operands.join(", "))
    };
    let uses = |word: &str, uses: &[Access<'_>]| {
        let uses = uses.iter().map(|one| operand(&one.operand) + &when(one.condition.as_ref()));
        format!("{word}<{}>", uses.collect::<Vec<String>>().join(", "))
    };
    let quoted = |texts: &[Ident<'_>]| {
        texts.iter().map(|text| format!("{:?}", text.text)).collect::<Vec<_>>().join(", ")
    };
    match &statement.kind {
        Kind::InList(list) => operands("InList", list),
        Kind::OutList(list) => operands("OutList", list),
        Kind::Order(list) => operands("Order", list),
        Kind::Reads(list) => uses("Reads", list),
        Kind::Writes(list) => uses("Writes", list),
        Kind::Partial(list) => operands("Partial", list),
        Kind::Mask(field, file) => format!("Mask<{}> = {}", field.text, file.text),
        Kind::Flow { class, condition } => {
            let condition = condition.as_ref().map(|condition| format!(" = {}", expr(condition)));
            format!("Flow<{}>{}", class.text, condition.unwrap_or_default())
        }
        Kind::Mnemonic(texts) => format!("Mnemonic<{}>", quoted(texts)),
        Kind::Suffix(text) => format!("Suffix<{:?}>", text.text),
        Kind::Guard(field) => format!("Guard<{}>", field.text),
        Kind::ModiOrder(names) => format!("ModiOrder<{}>", list(names)),
        Kind::Bitwidth(operand, width) => format!("Bitwidth<{}> = {}", operand.text, expr(width)),
        Kind::Short { of, given } => {
            let given = given.iter().map(|(name, is)| format!("{} = {}", name.text, value(is)));
            let given: Vec<String> = given.collect();
            let colon = if given.is_empty() { "" } else { " : " };
            format!("Short<{}>{colon}{}", of.text, given.join(", "))
        }
        Kind::Template(name, Made::Text(text)) => {
            format!("Operand<{}> = {:?}", name.text, text.text)
        }
        Kind::Modifier(name, text) => format!("Modifier<{}> = {:?}", name.text, text.text),
        Kind::Template(name, Made::Computed { ty, value }) => {
            format!("Operand<{}> : {} = {}", name.text, ty.text, expr(value))
        }
        Kind::Memory(memory) => {
            let word = if memory.is_store { "Stores" } else { "Loads" };
            let condition = when(memory.condition.as_ref());
            format!("{word}<{}{condition}> = {}", memory.operand.text, expr(&memory.width))
        }
        Kind::AsmFormat { field, function, arguments } => {
            format!("AsmFormat<{}> = {}({})", field.text, function.text, list(arguments))
        }
    }
}

/// The condition after an entry that is read or written for some words only.
fn when(condition: Option<&Expr<'_>>) -> String {
    condition.map_or(String::new(), |condition| format!(" if {}", expr(condition)))
}

fn operand(operand: &OperandRef<'_>) -> String {
    match operand {
        OperandRef::Name(name) => name.text.to_string(),
        OperandRef::Indirect(indirect) => {
            let offset =
                indirect.offset.map_or(String::new(), |offset| format!(", {}", offset.text));
            format!("{}[{}{offset}]", indirect.prefix.text, indirect.base.text)
        }
        OperandRef::Numbered(register) => {
            format!("{}[{}]", register.file.text, register.number.value)
        }
    }
}

fn value(value: &Value<'_>) -> String {
    match value {
        Value::Name(name, _) => name.text.to_string(),
        Value::Int(int) => int.value.to_string(),
    }
}

fn expr(expression: &Expr<'_>) -> String {
    match &expression.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Str(text) => format!("{text:?}"),
        ExprKind::Field(name) => name.to_string(),
        ExprKind::Is(field, class) => format!("({} is {})", field.text, class.text),
        ExprKind::Unary(op, operand) => format!("({}{})", op.symbol(), expr(operand)),
        ExprKind::Call(function, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(expr).collect();
            format!("{}({})", function.text, arguments.join(", "))
        }
        ExprKind::Binary(op, left, right) => {
            format!("({} {} {})", expr(left), op.symbol(), expr(right))
        }
    }
}
