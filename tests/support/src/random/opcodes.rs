//! Random opcodes: their fields, and the statements that follow from these.

use std::fmt::Write;

use super::draft::Draft;
use super::places::Places;
use super::types::{Kind, Purpose, Type, Values};

/// A field of an opcode.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) keyword: &'static str,
    lsb: u32,
    pub(super) ty: Type,
    pub(super) name: String,
    /// ` = value`, ` == value`, or nothing.
    pub(super) binding: String,
}

/// An opcode while its fields are chosen.
#[derive(Debug, Clone, Default)]
pub(super) struct Opcode {
    width: u32,
    code: u64,
    places: Places,
    pub(super) fields: Vec<Field>,
    /// Other statements of the encoding.
    pub(super) bits: Vec<String>,
    pub(super) order: Vec<String>,
    pub(super) inputs: Vec<String>,
    outputs: Vec<String>,
    /// Statements of `__OperandInfo` but the lists.
    pub(super) statements: Vec<String>,
    pub(super) rules: Vec<String>,
    pub(super) mnemonic: Option<&'static str>,
    /// Fields that the mnemonic ends with, in braces.
    pub(super) spelled: String,
    has_suffix: bool,
}

/// Mnemonics, few, so that opcodes share them.
pub(super) const MNEMONICS: [&str; 6] = ["op", "op.A", "op.WIDE", "ld", "ld.x", "r"];

impl Draft {
    pub(super) fn all_opcodes(&mut self) {
        let count = 1 + self.random.below(4);
        for code in 0..count {
            let width = if self.width == 16 && self.chance(2) { 16 } else { 8 };
            let code = if self.is_contested { self.random.below(2) } else { code };
            let opcode = self.opcode(width, code);
            self.opcodes.push(opcode);
        }
        for _ in 0..if self.is_contested { 2 } else { 0 } {
            match self.random.below(3) {
                0 => self.special_case(),
                1 => self.rival(),
                _ => {}
            }
        }
        if self.chance(3) {
            self.special_case();
        }
        for (index, opcode) in std::mem::take(&mut self.opcodes).iter().enumerate() {
            self.write(index, opcode);
            self.aliases(index, opcode);
        }
    }

    fn opcode(&mut self, width: u32, code: u64) -> Opcode {
        let end = if width == 16 { 12 } else { 8 };
        let places = Places::of(&mut self.random, (2, end));
        if !places.is_plain() {
            self.has("fields in pieces");
        }
        let mut opcode = Opcode { width, code, places, ..Opcode::default() };
        if self.chance(2) {
            opcode.mnemonic = Some(*self.one(&MNEMONICS));
        }
        opcode.has_suffix = self.chance(10);
        let mut lsb = 2;
        if width == 16 {
            // Many fixed bits: all words are tried.
            let tail = self.random.below(8);
            opcode.bits.push(format!("field<13, 3> Tail tail == {tail};"));
            opcode.bits.push(self.reserved(12, 1));
        }
        while lsb < end {
            let left = end - lsb;
            let used = match self.random.below(14) {
                0..=4 => self.operand(&mut opcode, lsb, left),
                5..=7 => self.modifier_field(&mut opcode, lsb, left),
                8 => self.control(&mut opcode, lsb, left),
                9 => self.guard(&mut opcode, lsb, left),
                10 => self.indirect(&mut opcode, lsb, left),
                11 => self.implicit(&mut opcode),
                _ => {
                    let bits = 1 + self.random.below(2) as u32;
                    let bits = bits.min(left);
                    if self.chance(3) {
                        self.has("free bits");
                    } else {
                        let statement = self.reserved(lsb, bits);
                        opcode.bits.push(statement);
                    }
                    bits
                }
            };
            lsb += used;
        }
        self.view(&mut opcode);
        self.spell(&mut opcode);
        self.order_of_modifiers(&mut opcode);
        self.rules(&mut opcode);
        self.classes(&mut opcode);
        self.conditional_uses(&mut opcode);
        self.matching(&mut opcode);
        opcode
    }

    /// A condition that says which words are the opcode's.
    fn matching(&mut self, opcode: &mut Opcode) {
        let is_number = |field: &&Field| {
            let is_plain = !field.name.contains('.') && !field.binding.starts_with(" ==");
            is_plain && matches!(field.ty.kind, Kind::Immediate { is_integer: true, .. })
        };
        let number = opcode.fields.iter().find(is_number).map(|field| field.name.clone());
        let Some(number) = number.filter(|_| self.chance(12)) else { return };
        self.has("Match");
        let (op, value) = (*self.one(&["<", ">="]), self.random.below(6));
        opcode.bits.push(format!("Match = bits({number}) {op} {value};"));
    }

    fn reserved(&mut self, lsb: u32, bits: u32) -> String {
        let value = self.random.below(1 << bits);
        let (what, statement) = match self.random.below(4) {
            0 => ("zero bits", format!("zero<{lsb}, {bits}>;")),
            1 => ("fixed bits", format!("fixed<{lsb}, {bits}> == {value};")),
            2 => ("ignored bits", format!("ignored<{lsb}, {bits}>;")),
            _ => ("written bits", format!("ignored<{lsb}, {bits}> = {value};")),
        };
        self.has(what);
        statement
    }

    /// A type of at most `left` bits that fits.
    fn type_of(&mut self, left: u32, fits: impl Fn(&Kind) -> bool) -> Option<Type> {
        let fitting: Vec<Type> =
            self.types.iter().filter(|ty| ty.width <= left && fits(&ty.kind)).cloned().collect();
        (!fitting.is_empty()).then(|| self.one(&fitting).clone())
    }

    /// A value of a type as it is given in statements; `None` where no name is known.
    pub(super) fn value(&mut self, ty: &Type) -> Option<String> {
        match &ty.kind {
            Kind::Enumeration { values, .. } => Some(self.one(values).0.clone()),
            Kind::Operand { names, .. } => Some(self.one(names).clone()),
            Kind::Immediate { is_signed, values, .. } => {
                let legal = |bits: &u64| !values.reserved_values.contains(bits);
                let all: Vec<u64> = (0..1u64 << ty.width).filter(legal).collect();
                let bits = *self.one(&all) as i64;
                if let Some(numbers) = &values.numbers {
                    return Some(numbers[bits as usize].to_string());
                }
                let is_negative = *is_signed && bits >> (ty.width - 1) != 0;
                let number = if is_negative { bits - (1 << ty.width) } else { bits };
                Some((number * values.scale + values.bias).to_string())
            }
            Kind::Composite { .. } => Some(self.random.below(1 << ty.width).to_string()),
        }
    }

    fn binding(&mut self, ty: &Type, (defaults, fixed): (u64, u64)) -> String {
        let value = self.value(ty).unwrap_or_default();
        match self.random.below(10) {
            choice if choice < defaults => format!(" = {value}"),
            choice if choice < defaults + fixed => format!(" == {value}"),
            _ => String::new(),
        }
    }

    fn operand(&mut self, opcode: &mut Opcode, lsb: u32, left: u32) -> u32 {
        let is_operand = |kind: &Kind| match kind {
            Kind::Enumeration { purpose, .. } => *purpose == Purpose::Open,
            _ => true,
        };
        // Few opcodes can have a literal, and two operands with the same one are rare otherwise.
        let can_be_literal = self.width == 16 && opcode.width == 8;
        let wanted = (can_be_literal && !self.chance(4)).then(|| {
            self.type_of(left, |kind| matches!(kind, Kind::Operand { has_literal: true, .. }))
        });
        let wanted = wanted.flatten().or_else(|| self.type_of(left, is_operand));
        let Some(ty) = wanted else { return 1 };
        let name = format!("f{lsb}");
        let binding = self.binding(&ty, (3, 1));
        let is_fixed = binding.starts_with(" ==");
        let is_open = matches!(ty.kind, Kind::Enumeration { .. });
        if binding.starts_with(" = ") {
            self.has("operand with a default");
        }
        self.operand_lists(opcode, &ty, &name, is_fixed);
        let mut used = ty.width;
        if let Kind::Operand { has_literal: true, .. } = ty.kind
            && can_be_literal
            && !is_fixed
        {
            self.literal(opcode, &name);
        }
        opcode.fields.push(Field { keyword: "field", lsb, ty: ty.clone(), name, binding });
        let is_distance = matches!(&ty.kind, Kind::Immediate { values, .. } if values.is_distance);
        while used < left && !is_open && !is_distance && self.chance(3) {
            used += self.attribute(opcode, &ty, lsb, lsb + used, left - used);
        }
        let is_number = |values: &Values| !values.is_scaled();
        let has_formats = matches!(&ty.kind, Kind::Immediate { values, .. } if is_number(values));
        if has_formats && used < left && self.chance(3) {
            used += self.format(opcode, &ty, lsb, lsb + used);
        }
        used
    }

    /// A literal in the place of an operand, or of this operand too.
    fn literal(&mut self, opcode: &mut Opcode, name: &str) {
        let known = opcode.bits.iter().position(|statement| statement.starts_with("literal"));
        if let Some(known) = known {
            if !self.chance(4) {
                self.has("shared literal");
                let one = opcode.bits[known].trim_end_matches(';').to_string();
                opcode.bits[known] = format!("{one}, {name};");
            }
            return;
        }
        let number = self.type_of(4, |kind| matches!(kind, Kind::Immediate { .. }));
        if let Some(number) = number {
            self.has("literal");
            opcode.bits.push(format!("literal<8, {}> {} lit : {name};", number.width, number.name));
            // Few words of the form with the literal.
            opcode.bits.push("zero<13, 3>;".to_string());
        }
    }

    /// The lists that an operand is in.
    fn operand_lists(&mut self, opcode: &mut Opcode, ty: &Type, name: &str, is_fixed: bool) {
        let name = name.to_string();
        // A field that no list names would be a modifier.
        let is_open = matches!(ty.kind, Kind::Enumeration { .. });
        let has_own_text = !is_fixed || is_open || self.chance(4);
        if !has_own_text {
            return;
        }
        opcode.order.push(name.clone());
        match &ty.kind {
            Kind::Immediate { .. } => {
                if self.chance(2) {
                    opcode.inputs.push(name);
                }
            }
            Kind::Enumeration { .. } => {}
            Kind::Operand { is_wide, .. } => {
                self.accesses(opcode, &name);
                if *is_wide {
                    let width = match self.is_contested && self.chance(3) {
                        true => self.contested_width(opcode, &name, ty),
                        false => self.bit_width(opcode),
                    };
                    opcode.statements.push(format!("Bitwidth<{name}> = {width};"));
                }
            }
            Kind::Composite { register } => {
                self.has("composite");
                self.accesses(opcode, &name);
                opcode.statements.push(format!("Bitwidth<{name}> = 16;"));
                if let Some(part) = register
                    && self.chance(3)
                {
                    self.has("written part of a composite");
                    opcode.statements.push(format!("Writes<{name}.{part}>;"));
                }
            }
        }
    }

    fn accesses(&mut self, opcode: &mut Opcode, name: &str) {
        let choice = self.random.below(5);
        if choice < 3 {
            opcode.inputs.push(name.to_string());
        }
        if choice >= 2 {
            opcode.outputs.push(name.to_string());
            if self.chance(5) {
                self.has("partial write");
                opcode.statements.push(format!("Partial<{name}>;"));
            }
        }
    }

    /// The bits of data in an operand: a number, or computed from another field.
    fn bit_width(&mut self, opcode: &Opcode) -> String {
        let modifier = opcode.fields.iter().find(|field| {
            matches!(field.ty.kind, Kind::Enumeration { .. }) && !field.name.contains('.')
        });
        if let Some(field) = modifier
            && let Kind::Enumeration { values, .. } = &field.ty.kind
            && self.chance(2)
        {
            self.has("computed width");
            return format!("16 + ({} == \"{}\") * 16", field.name, values[0].0);
        }
        if self.chance(4) { "32" } else { "16" }.to_string()
    }

    /// A mark or a suffix of an operand; returns the bits that it takes.
    fn attribute(
        &mut self,
        opcode: &mut Opcode,
        ty: &Type,
        operand: u32,
        lsb: u32,
        left: u32,
    ) -> u32 {
        let marks = ["neg", "not", "bitnot", "abs"];
        let kind = *self.one(&marks);
        let is_suffix = self.chance(3);
        let attribute = if is_suffix { "half" } else { kind };
        let name = format!("f{operand}.{attribute}");
        if opcode.fields.iter().any(|field| field.name == name) {
            return 0;
        }
        let wanted = if is_suffix { Purpose::Modifier } else { Purpose::Mark };
        let is_wanted =
            |kind: &Kind| matches!(kind, Kind::Enumeration { purpose, .. } if *purpose == wanted);
        let Some(values) = self.type_of(left, is_wanted) else { return 0 };
        self.has(match attribute {
            "neg" => "mark -",
            "not" => "mark !",
            "bitnot" => "mark ~",
            "abs" => "mark |",
            _ => "suffix",
        });
        let extension = opcode.fields.iter().find(|field| {
            matches!(field.ty.kind, Kind::Enumeration { purpose: Purpose::Extension, .. })
        });
        if attribute == "neg" && (extension.is_some() || self.chance(2)) {
            if let Some(extension) = extension {
                opcode
                    .statements
                    .push(format!("AsmFormat<{name}> = CvtINegX({name}, {});", extension.name));
                self.has("CvtINegX");
            } else if matches!(ty.kind, Kind::Operand { .. }) {
                opcode.statements.push(format!("AsmFormat<{name}> = CvtNegConst({name}, neg);"));
                self.has("CvtNegConst");
            }
        }
        let binding = match self.binding(&values, (7, 1)) {
            binding if binding.starts_with(" = ") && !is_suffix => " = False".to_string(),
            binding => binding,
        };
        let width = values.width;
        opcode.fields.push(Field { keyword: "field", lsb, ty: values, name, binding });
        width
    }

    /// A modifier that selects the format of a number; returns the bits that it takes.
    fn format(&mut self, opcode: &mut Opcode, ty: &Type, operand: u32, lsb: u32) -> u32 {
        let formats =
            |kind: &Kind| matches!(kind, Kind::Enumeration { purpose: Purpose::Format, .. });
        if ty.width != 4 || !opcode.order.contains(&format!("f{operand}")) {
            return 0;
        }
        let Some(values) = self.type_of(1, formats) else { return 0 };
        self.has("CvtFImm");
        opcode.statements.push(format!("AsmFormat<f{operand}> = CvtFImm(f{operand}, f{lsb});"));
        let binding = self.binding(&values, (6, 0));
        opcode.fields.push(Field {
            keyword: "field",
            lsb,
            ty: values,
            name: format!("f{lsb}"),
            binding,
        });
        1
    }

    fn modifier_field(&mut self, opcode: &mut Opcode, lsb: u32, left: u32) -> u32 {
        let is_modifier = |kind: &Kind| matches!(kind, Kind::Enumeration { purpose, .. } if ![Purpose::Mark, Purpose::Open].contains(purpose));
        let Some(ty) = self.type_of(left, is_modifier) else { return 1 };
        let binding = self.binding(&ty, (5, 2));
        if binding.starts_with(" ==") {
            self.has("fixed modifier");
        }
        let (width, name) = (ty.width, self.modifier_name(opcode, lsb));
        opcode.fields.push(Field { keyword: "field", lsb, ty, name, binding });
        width
    }

    /// Modifiers of several opcodes often share a name.
    fn modifier_name(&mut self, opcode: &Opcode, lsb: u32) -> String {
        let is_taken = opcode.fields.iter().any(|field| field.name == "mode");
        if is_taken || self.chance(2) { format!("f{lsb}") } else { "mode".to_string() }
    }

    fn control(&mut self, opcode: &mut Opcode, lsb: u32, left: u32) -> u32 {
        let Some(ty) = self.type_of(left.min(3), |kind| !matches!(kind, Kind::Composite { .. }))
        else {
            return 1;
        };
        self.has("control field");
        let value = self.value(&ty).unwrap_or_default();
        let name = format!("f{lsb}");
        match &ty.kind {
            Kind::Immediate { is_mask: true, .. } if ty.width <= 3 && self.chance(2) => {
                self.has("mask");
                opcode.statements.push(format!("Mask<{name}> = FLAGS;"));
                opcode.statements.push(format!("Reads<{name}>;"));
            }
            Kind::Operand { has_literal: false, is_flag: true, .. } => {
                opcode.statements.push(format!("Writes<{name}>;"));
            }
            _ => {}
        }
        let binding = format!(" = {value}");
        let width = ty.width;
        opcode.fields.push(Field { keyword: "control", lsb, ty, name, binding });
        width
    }

    fn guard(&mut self, opcode: &mut Opcode, lsb: u32, left: u32) -> u32 {
        let is_flag = |kind: &Kind| matches!(kind, Kind::Operand { is_flag: true, .. });
        if opcode.fields.iter().any(|field| field.name == "pg") {
            return 1;
        }
        let Some(ty) = self.type_of(left, is_flag) else { return 1 };
        self.has("guard");
        let binding = self.binding(&ty, (7, 0));
        let mut used = ty.width;
        opcode.order.insert(0, "pg".to_string());
        opcode.inputs.push("pg".to_string());
        opcode.statements.push("Guard<pg>;".to_string());
        let field = Field { keyword: "field", lsb, ty, name: "pg".to_string(), binding };
        opcode.fields.push(field);
        if used < left && self.chance(2) {
            let mark = self.types[0].clone();
            let binding = " = False".to_string();
            let name = "pg.not".to_string();
            opcode.fields.push(Field {
                keyword: "field",
                lsb: lsb + used,
                ty: mark,
                name,
                binding,
            });
            used += 1;
        }
        used
    }

    /// `r[base, offset]`.
    fn indirect(&mut self, opcode: &mut Opcode, lsb: u32, left: u32) -> u32 {
        let is_register =
            |kind: &Kind| matches!(kind, Kind::Operand { is_wide: true, has_literal: false, .. });
        let Some(ty) = self.type_of(left, is_register) else { return 1 };
        self.has("indirect operand");
        let base = format!("f{lsb}");
        let mut used = ty.width;
        let binding = if self.chance(4) { self.binding(&ty, (9, 1)) } else { String::new() };
        opcode.fields.push(Field { keyword: "field", lsb, ty, name: base.clone(), binding });
        let is_integer = |kind: &Kind| matches!(kind, Kind::Immediate { is_offset: true, .. });
        let mut text = base;
        if used < left
            && let Some(ty) = self.type_of(left - used, is_integer)
        {
            let (name, width) = (format!("f{}", lsb + used), ty.width);
            text += &format!(", {name}");
            let binding = if self.chance(2) { " = 0".to_string() } else { String::new() };
            opcode.fields.push(Field { keyword: "field", lsb: lsb + used, ty, name, binding });
            used += width;
        }
        let place = format!("r[{text}]");
        if self.chance(2) {
            opcode.inputs.push(place.clone());
        } else {
            opcode.outputs.push(place.clone());
        }
        opcode.order.push(place);
        used
    }

    /// A whole register file, in the text or not.
    fn implicit(&mut self, opcode: &mut Opcode) -> u32 {
        if opcode.inputs.iter().any(|name| name == "FLAGS") {
            return 0;
        }
        self.has("whole register file");
        opcode.inputs.push("FLAGS".to_string());
        if self.chance(2) {
            opcode.outputs.push("FLAGS".to_string());
        }
        if self.chance(2) {
            opcode.order.push("FLAGS".to_string());
        } else {
            self.has("implicit register file");
        }
        0
    }

    fn order_of_modifiers(&mut self, opcode: &mut Opcode) {
        let modifiers: Vec<String> = opcode
            .fields
            .iter()
            .filter(|field| {
                field.keyword == "field"
                    && matches!(field.ty.kind, Kind::Enumeration { .. })
                    && !field.name.contains('.')
                    && !opcode.is_in_operand(&field.name)
                    && !opcode.is_spelled(&field.name)
            })
            .map(|field| field.name.as_str())
            .chain(opcode.made_modifiers())
            .map(str::to_string)
            .collect();
        if modifiers.len() > 1 && self.chance(2) {
            self.has("ModiOrder");
            let mut order = modifiers;
            if self.chance(2) {
                order.reverse();
            }
            opcode.statements.push(format!("ModiOrder<{}>;", order.join(", ")));
        }
    }

    fn write(&mut self, index: usize, opcode: &Opcode) {
        let mut parents = vec![format!("O{index}")];
        if opcode.width < self.width {
            parents.push("NARROW".to_string());
        }
        if opcode.has_suffix {
            self.has("suffix of the mnemonic");
            parents.push("SUFFIX".to_string());
        }
        let _ = write!(
            self.text,
            "__DefOptype O{index} : [ALL]\n\n__DefOpcode P{index} : [{}]\n  __Encoding\n    \
             field<0, 2> Code code == {};\n",
            parents.join(", "),
            opcode.code
        );
        for Field { keyword, lsb, ty, name, binding } in &opcode.fields {
            self.features.extend(&ty.features);
            let _ = writeln!(
                self.text,
                "    {keyword}{} {} {name}{binding};",
                opcode.places.text(*lsb, ty.width),
                ty.name
            );
        }
        for statement in &opcode.bits {
            let _ = writeln!(self.text, "    {}", opcode.places.statement(statement));
        }
        self.text += "  __OperandInfo\n";
        if let Some(mnemonic) = opcode.mnemonic {
            let spelled = &opcode.spelled;
            let alias = if self.chance(3) {
                self.has("alias");
                format!(", \"also{spelled}\"")
            } else {
                String::new()
            };
            let _ = writeln!(self.text, "    Mnemonic<\"{mnemonic}{spelled}\"{alias}>;");
        }
        let lists =
            [("InList", &opcode.inputs), ("OutList", &opcode.outputs), ("Order", &opcode.order)];
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            let _ = writeln!(self.text, "    {name}<{}>;", list.join(", "));
        }
        for statement in &opcode.statements {
            let _ = writeln!(self.text, "    {statement}");
        }
        if !opcode.rules.is_empty() {
            self.text += "  __Exception\n";
        }
        for rule in &opcode.rules {
            let _ = writeln!(self.text, "    {rule}");
        }
        self.text += "\n";
    }
}
