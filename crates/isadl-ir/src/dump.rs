//! The lowered form as text, for people: `isadl dump`.

use std::fmt::Write;

use crate::isa::{
    Access, Binding, Environment, FieldRole, FlowPlace, Isa, KeptValue, Opcode, OperandLocation,
    RegFileId, Register, RegisterPart, RuleScope, TypeKind,
};

/// The lowered form: opcodes with masks, fields, operands and rules.
pub fn isa(isa: &Isa) -> String {
    let mut out = generation(isa);
    let digits = isa.bytes() * 2;
    let _ = writeln!(out, "isa {} <{}>: {} opcodes", isa.name(), isa.width(), isa.opcodes().len());
    isa.environments().iter().for_each(|one| environment(isa, one, &mut out));
    for opcode in isa.opcodes() {
        let numbering = isa.numbering(opcode);
        let [mask, value, significant] =
            [opcode.mask, opcode.value, opcode.significant].map(|bits| numbering.number(bits));
        let _ = writeln!(
            out,
            "{} = {} mask 0x{mask:0digits$x} value 0x{value:0digits$x} significant 0x{significant:0digits$x}",
            opcode.name, opcode.number,
        );
        if opcode.width != isa.width() {
            let _ = writeln!(out, "  bits {}", opcode.width);
        }
        if !opcode.requires.is_always() {
            let _ = writeln!(out, "  in {}", isa.extensions().condition(&opcode.requires));
        }
        if opcode.written != 0 {
            let _ = writeln!(out, "  written 0x{:0digits$x}", numbering.number(opcode.written));
        }
        for form in &opcode.literals {
            let _ = writeln!(out, "  with literal {}", isa.name_of(form.literal));
        }
        for field in &opcode.fields {
            let role = match field.role {
                FieldRole::Operand => "operand".to_string(),
                FieldRole::Attribute { of } => format!("attribute of {}", isa.name_of(of)),
                FieldRole::Part { of } => format!("part of {}", isa.name_of(of)),
                FieldRole::Modifier => "modifier".to_string(),
                FieldRole::Mnemonic => "part of the mnemonic".to_string(),
                FieldRole::Control => "control".to_string(),
            };
            let binding = match field.binding {
                Binding::Required => "required".to_string(),
                Binding::Default(raw) => format!("default {raw}"),
                Binding::Fixed(raw) => format!("fixed {raw}"),
            };
            let place = match field.bits.as_one() {
                Some(run) => {
                    let (first, last) = numbering.ends(run);
                    format!("{first:>3}:{last:<3}")
                }
                None => numbering.bits(&field.bits),
            };
            let (ty, name) = (&isa.ty(field.ty).name, isa.name_of(field.name));
            let _ = writeln!(out, "  {place} {ty} {name}, {role}, {binding}");
        }
        for operand in &opcode.operands {
            let width = operand
                .width
                .map_or(String::new(), |width| format!(", bits {}", expr(isa, isa.expr(width))));
            let _ = writeln!(
                out,
                "  operand {} {:?}{width}",
                place(isa, operand.place),
                operand.access
            );
        }
        for operand in &opcode.implicit {
            let place = place(isa, operand.place);
            let _ = writeln!(out, "  implicit {place} {:?}", operand.access);
        }
        for item in &opcode.flow {
            let Some(condition) = item.condition else { continue };
            let (access, condition) = (access(item.access), expr(isa, isa.expr(condition)));
            let place = flow_place(isa, opcode, item.place);
            let _ = writeln!(out, "  {access} {place} if {condition}");
        }
        for class in &opcode.classes {
            let condition = class.condition.map(|id| format!(" if {}", expr(isa, isa.expr(id))));
            let _ = writeln!(out, "  flow {}{}", class.class, condition.unwrap_or_default());
        }
        for rule in &opcode.rules {
            let rule = isa.rule(*rule);
            let condition = expr(isa, isa.expr(rule.condition));
            let word = match rule.scope {
                RuleScope::Word => "rule",
                RuleScope::Assembler => "assembler rule",
            };
            let _ = writeln!(out, "  {word} {} {:?} if {condition}", rule.kind, rule.message);
        }
        for alias in opcode.aliases.iter().filter(|alias| alias.form.requires != opcode.requires) {
            let needed = isa.extensions().condition(&alias.form.requires);
            let _ = writeln!(out, "  alias {} in {needed}", alias.form.name);
        }
    }
    out
}

/// What programs run in, with a line for each statement.
fn environment(isa: &Isa, of: &Environment, out: &mut String) {
    let register = |of: &Register| {
        let file = isa.reg_files().get(of.file.index()).map_or("?", |file| &file.name);
        format!("{file}[{}]", of.number)
    };
    let _ = writeln!(out, "environment {}", of.name);
    for (what, name) in [("trap", &of.call), ("code", &of.code)] {
        if let Some(name) = name {
            let _ = writeln!(out, "  {what} {name}");
        }
    }
    for (what, one) in [("number", &of.number), ("result", &of.result), ("stack", &of.stack)] {
        if let Some(one) = one {
            let _ = writeln!(out, "  {what} {}", register(one));
        }
    }
    let arguments: Vec<String> = of.arguments.iter().map(register).collect();
    if !arguments.is_empty() {
        let _ = writeln!(out, "  arguments {}", arguments.join(", "));
    }
    for kept in &of.kept {
        let value = match &kept.value {
            KeptValue::Initial(value) => format!("initially {value}"),
            KeptValue::Counter(step) => format!("counts by {step}"),
            KeptValue::Registers(parts) => {
                let part = |part: &RegisterPart| {
                    format!("{} {} +{}", register(&part.register), part.low, part.width)
                };
                parts.iter().map(part).collect::<Vec<_>>().join(", ")
            }
        };
        let _ = writeln!(out, "  kept {}: {value}", kept.name);
    }
    for (name, number) in &of.calls {
        let _ = writeln!(out, "  call {name} = {number}");
    }
}

/// A line with the generations, unless it is all of them.
fn generation(isa: &Isa) -> String {
    let names: Vec<&str> = isa.generation_names(isa.describes()).collect();
    match names.len() == isa.generations().len() {
        true => String::new(),
        false => format!("generations {}\n", names.join(", ")),
    }
}

fn access(access: Access) -> &'static str {
    match access {
        Access::None | Access::Read => "reads",
        Access::Write => "writes",
        Access::ReadWrite => "reads and writes",
    }
}

fn flow_place(isa: &Isa, opcode: &Opcode, item: FlowPlace) -> String {
    let file = |file: RegFileId| &isa.reg_files()[file.index()].name;
    match item {
        FlowPlace::Field(name) => isa.name_of(name).to_string(),
        FlowPlace::Part { field, part } => {
            let ty = opcode.field(field).map(|field| &isa.ty(field.ty).kind);
            let name = match ty {
                Some(TypeKind::Composite(composite)) => composite.parts[part].name.as_str(),
                _ => "",
            };
            format!("{}.{name}", isa.name_of(field))
        }
        FlowPlace::File(id) => format!("all of {}", file(id)),
        FlowPlace::Register { file: id, number } => format!("{}[{number}]", file(id)),
        FlowPlace::Indirect { file: id, base } => {
            format!("{}[{}]", file(id), isa.name_of(base))
        }
        FlowPlace::Mask { field, file: id } => {
            format!("{} by the bits of {}", file(id), isa.name_of(field))
        }
    }
}

fn place(isa: &Isa, place: OperandLocation) -> String {
    match place {
        OperandLocation::Field(name) => isa.name_of(name).to_string(),
        OperandLocation::File(file) => format!("all of {}", isa.reg_files()[file.index()].name),
        OperandLocation::Indirect { file, base, offset } => {
            let offset =
                offset.map_or(String::new(), |offset| format!(" + {}", isa.name_of(offset)));
            format!("{}[{}{offset}]", isa.reg_files()[file.index()].name, isa.name_of(base))
        }
    }
}

/// An expression with all parentheses.
pub fn expr(isa: &Isa, expr: &crate::isa::Expr) -> String {
    use crate::isa::Expr;
    match expr {
        Expr::Int(value) => value.to_string(),
        Expr::Field(name, _) => isa.name_of(*name).to_string(),
        Expr::Unary(op, operand) => format!("({}{})", op.symbol(), self::expr(isa, operand)),
        Expr::Extensions(presence) => format!("({})", isa.extensions().condition(presence)),
        Expr::Call(function, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|one| self::expr(isa, one)).collect();
            format!("{}({})", function.name(), arguments.join(", "))
        }
        Expr::Binary(op, left, right) => {
            format!("({} {} {})", self::expr(isa, left), op.symbol(), self::expr(isa, right))
        }
    }
}
