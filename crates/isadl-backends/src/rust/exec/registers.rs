//! Reading and writing registers.

use isadl_ir::isa::{Meaning, RegFileId};
use isadl_semantics::ir::{Place, ValueId};

use super::classes::{Class, bare, constant, convert, integer, literal, masked, ones};
use super::places::{Choice, Operand, What, number_of, operand, raw};
use super::unit::{Delay, Target};
use super::writer::{Mode, Writer};

/// A register as code names it.
pub(super) enum Named {
    /// The file, an expression for the number, and whether it may be the constant zero.
    Numbered(RegFileId, String, bool),
    /// The choices of an operand, and an expression for the value of its field.
    Several(Vec<Choice>, String),
    /// One outside of files.
    State(String),
}

/// A value to write: an expression, its mask and its width.
struct Written {
    value: String,
    mask: Option<String>,
    width: u32,
}

impl Writer<'_, '_> {
    pub(super) fn file_width(&self, file: RegFileId) -> u32 {
        self.unit.isa.reg_files()[file.index()].width
    }

    pub(super) fn file_count(&self, file: RegFileId) -> u32 {
        self.unit.isa.reg_files()[file.index()].count
    }

    pub(super) fn named_register(&mut self, place: &Place) -> Named {
        match place {
            Place::Operand { field, part, .. } => {
                let (raw, bits) = raw(self.unit, *field, *part);
                match operand(self.unit, *field, *part) {
                    Operand::Numbered { file, runs, has_zero } => {
                        let number = self.number_slot(number_of(&runs, &raw));
                        Named::Numbered(file, number, has_zero)
                    }
                    Operand::Several(choices) if self.mode == Mode::Word => {
                        Named::Several(choices, raw)
                    }
                    Operand::Several(choices) => {
                        // A small number has 16 bits.
                        self.is_full |= bits > 16;
                        let slot = self.number_slot(format!("{raw} as u16"));
                        Named::Several(choices, format!("u64::from({slot})"))
                    }
                }
            }
            Place::State(name) => Named::State(self.shared.state(name)),
            Place::Register { file, number } => {
                let count = self.file_count(*file);
                let number = match (self.unit.code.constant(*number), self.unit.is_fixed(*number)) {
                    (Some(known), _) => {
                        let known = known as u128 & ones(self.width(*number));
                        format!("{}", known % u128::from(count))
                    }
                    (None, true) => {
                        let expr = self.fixed(*number);
                        self.number_slot(format!("(({expr}) % {count}) as u16"))
                    }
                    (None, false) => {
                        let is_within = self.width(*number) < 32
                            && 1_u64 << self.width(*number) <= u64::from(count);
                        let expr = self.expr_as(*number, Class::Small);
                        match is_within {
                            true => format!("({expr} as u16)"),
                            false => format!("(({expr} % {count}) as u16)"),
                        }
                    }
                };
                Named::Numbered(*file, number, false)
            }
            Place::Group { field, offset } => {
                let (raw, _) = raw(self.unit, *field, None);
                let Operand::Numbered { file, runs, .. } = operand(self.unit, *field, None) else {
                    self.refuse("a group begins with an operand of several files");
                    return Named::State(self.shared.state("none"));
                };
                let count = self.file_count(file);
                let base = number_of(&runs, &raw);
                let number = match self.unit.is_fixed(*offset) {
                    true => {
                        let offset = self.fixed(*offset);
                        self.number_slot(format!(
                            "((u64::from({}) + ({offset})) % {count}) as u16",
                            bare(&base)
                        ))
                    }
                    false => {
                        let base = self.number_slot(base);
                        let offset = self.expr_as(*offset, Class::Small);
                        format!("(((u64::from({}) + {offset}) % {count}) as u16)", bare(&base))
                    }
                };
                Named::Numbered(file, number, false)
            }
            Place::OfLane { .. } => {
                self.refuse("a register of another lane here");
                Named::State(self.shared.state("none"))
            }
        }
    }

    /// The value of a register.
    pub(super) fn read(&mut self, place: &Place, width: u32) -> String {
        if self.is_of_lanes(place) {
            return self.read_of_lane(place, width);
        }
        let named = self.named_register(place);
        self.read_named(&named, width)
    }

    pub(super) fn read_named(&mut self, named: &Named, width: u32) -> String {
        match named {
            Named::Numbered(file, number, _) => self.read_numbered(*file, number, width),
            Named::State(state) => read_state(state, width),
            Named::Several(choices, raw) => {
                let mut arms = String::new();
                for choice in choices {
                    let own = self.read_choice(choice, width);
                    arms +=
                        &format!("raw @ {}..={} => {}, ", choice.first, choice.last, bare(&own));
                }
                let nothing = constant(0, width);
                format!("match {} {{ {arms}_ => {nothing} }}", bare(raw))
            }
        }
    }

    /// The register or number of a choice, for which the operand is `raw`.
    pub(super) fn read_choice(&mut self, choice: &Choice, width: u32) -> String {
        match &choice.what {
            What::Registers { file, run } => {
                let number = format!("({})", number_of(&[*run], "raw"));
                self.read_numbered(*file, &number, width)
            }
            What::Constant(meaning) => self.constant(meaning, choice.first, width),
            What::State(name) => read_state(&self.shared.state(name), width),
            What::Unnamed(ty) => read_state(&self.shared.unnamed(ty), width),
        }
    }

    /// The value of a constant, for the values of a field from the first one on.
    fn constant(&mut self, meaning: &Meaning, first: u64, width: u32) -> String {
        if let Meaning::Integers { first: number, step } = meaning {
            let number = format!("({number}_i128 + {step}_i128 * (raw - {first}) as i128)");
            return integer(&number, width);
        }
        if meaning.constant(0, width).is_none() {
            self.refuse("a floating-point constant has no format of as many bits");
        }
        constant(meaning.constant(0, width).unwrap_or(0), width)
    }

    fn read_numbered(&mut self, file: RegFileId, number: &str, width: u32) -> String {
        let own = self.file_width(file);
        let (from, to) = (Class::of(own), Class::of(width));
        let first = self.one_register(file, number);
        if width <= own {
            let expr = convert(&first, from, to);
            return if width == own { expr } else { masked(&expr, width) };
        }
        let mut all = convert(&first, from, to);
        for at in 1..width.div_ceil(own) {
            let following = self.shared.following(file, number, at);
            let next = self.one_register(file, &following);
            let (next, up) = (convert(&next, from, to), at * own);
            all = match to {
                Class::Wide(_) => {
                    format!("wide::or({}, wide::shl({}, {up}, {width}))", bare(&all), bare(&next))
                }
                _ => format!("({all} | {next} << {up}_u32)"),
            };
        }
        masked(&all, width)
    }

    /// Writes a register, at once or later.
    pub(super) fn write(&mut self, place: &Place, mask: Option<ValueId>, value: ValueId) {
        let width = self.width(value);
        let class = Class::of(width);
        let targets = self.unit.targets(place);
        let delays = targets.iter().filter_map(|target| self.delays.get(target).copied());
        let delay = delays.max().unwrap_or(Delay::None);
        if delay == Delay::Copy && targets.contains(&None) {
            self.refuse("a register outside of files is written with a copied file");
        }
        let register = self.named_register(place);
        let value = self.expr(value);
        let mask = mask.map(|mask| self.expr_as(mask, class));
        if delay != Delay::End {
            let written = Written { value, mask, width };
            let statement = self.written(&register, &written);
            self.line(statement);
            return;
        }
        if self.nesting == 0 {
            let written = Written { value, mask, width };
            let statement = self.written(&register, &written);
            self.pending.push(statement);
            return;
        }
        // Whether it is written is known at the end.
        let name = format!("p{}", self.latches);
        self.latches += 1;
        let ty = class.name();
        self.head += &format!("        let mut {name}: Option<({ty}, {ty})> = None;\n");
        let own = mask.clone().unwrap_or_else(|| Self::all_ones(width, class));
        self.line(format!("{name} = Some(({value}, {own}));"));
        let mask = mask.map(|_| "mask".to_string());
        let written = Written { value: "value".to_string(), mask, width };
        let statement = self.written(&register, &written);
        self.pending
            .push(format!("if let Some((value, mask)) = {name} {{ let _ = mask; {statement} }}"));
    }

    /// The statement that writes a register.
    fn written(&mut self, register: &Named, written: &Written) -> String {
        match register {
            Named::Numbered(file, number, has_zero) => {
                self.written_numbered(*file, number, *has_zero, written)
            }
            Named::State(state) => write_state(state, written),
            Named::Several(choices, raw) => {
                self.written_choices((choices, raw), |writer, named| writer.written(named, written))
            }
        }
    }

    /// The statement that writes what an operand denotes; constants lose what is written.
    pub(super) fn written_choices(
        &mut self,
        (choices, raw): (&[Choice], &str),
        mut write: impl FnMut(&mut Self, &Named) -> String,
    ) -> String {
        let mut arms = String::new();
        for choice in choices {
            let named = match &choice.what {
                What::Registers { file, run } => {
                    let number = format!("({})", number_of(&[*run], "raw"));
                    Named::Numbered(*file, number, false)
                }
                What::Constant(_) => continue,
                What::State(name) => Named::State(self.shared.state(name)),
                What::Unnamed(ty) => Named::State(self.shared.unnamed(ty)),
            };
            let own = write(self, &named);
            arms += &format!("raw @ {}..={} => {{ {own} }} ", choice.first, choice.last);
        }
        format!("match {} {{ {arms}_ => {{}} }}", bare(raw))
    }

    fn written_numbered(
        &mut self,
        file: RegFileId,
        number: &str,
        has_zero: bool,
        written: &Written,
    ) -> String {
        let own = self.file_width(file);
        let (from, to) = (Class::of(written.width), Class::of(own));
        let mut all = Vec::new();
        for at in 0..written.width.div_ceil(own) {
            let part = |expr: &str| {
                let shifted = match (at * own, from) {
                    (0, _) => expr.to_string(),
                    (low, Class::Wide(_)) => {
                        format!("wide::shr({}, {low}, {})", bare(expr), written.width)
                    }
                    (low, _) => format!("(({expr}) >> {low}_u32)"),
                };
                let rest = written.width - at * own;
                let own_part = convert(&shifted, from, to);
                if rest > own { masked(&own_part, own) } else { own_part }
            };
            let value = part(&written.value);
            let bits = own.min(written.width - at * own);
            let mask = match &written.mask {
                Some(mask) => Some(part(mask)),
                None if bits < own => Some(Self::all_ones(bits, to)),
                None => None,
            };
            let next = match at {
                0 => number.to_string(),
                _ => self.shared.following(file, number, at),
            };
            let may_be_zero = has_zero || at > 0;
            all.push(self.set(file, &next, may_be_zero, (&value, mask.as_deref())));
        }
        all.join(" ")
    }

    /// Sets one register, or the bits of a mask.
    fn set(
        &mut self,
        file: RegFileId,
        number: &str,
        may_be_zero: bool,
        (value, mask): (&str, Option<&str>),
    ) -> String {
        let (name, count) = (self.shared.file(file).to_string(), self.file_count(file));
        let bits = self.file_width(file);
        let new = |old: &str| match (mask, Class::of(bits)) {
            (None, _) => value.to_string(),
            (Some(mask), Class::Wide(_)) => format!(
                "wide::or(wide::and({old}, wide::not({0}, {bits})), wide::and({1}, {0}))",
                bare(mask),
                bare(value)
            ),
            (Some(mask), _) => format!("{old} & !({mask}) | ({value}) & {mask}"),
        };
        let target: Target = Some(file);
        if self.delays.get(&target) == Some(&Delay::Copy) {
            self.copies.insert(file.index());
            let new = new("old");
            return format!(
                "if let Some(old) = copy_{name}.get({0}, |number| m.{name}(number)) {{ \
                 let new = {1}; copy_{name}.set({0}, new); let _ = old; }}",
                bare(number),
                bare(&new),
            );
        }
        let statement = match mask {
            None => format!("m.set_{name}({}, {});", bare(number), bare(value)),
            Some(_) => {
                let number = bare(number);
                format!("let old = m.{name}({number}); m.set_{name}({number}, {});", new("old"))
            }
        };
        match (may_be_zero, mask) {
            (true, _) => format!("if {number} != {count} {{ {statement} }}"),
            (false, Some(_)) => format!("{{ {statement} }}"),
            (false, None) => statement,
        }
    }

    /// Writes the statements for the end of the instruction.
    pub(super) fn flush(&mut self) {
        for line in std::mem::take(&mut self.pending) {
            self.line(line);
        }
        for at in self.copies.clone() {
            let name = self.shared.file(RegFileId::new(at)).to_string();
            self.line(format!("copy_{name}.flush(|number, value| m.set_{name}(number, value));"));
        }
    }

    /// The declarations of the copies of files.
    pub(super) fn declared_copies(&self) -> String {
        let of = |at: &usize| {
            let file = RegFileId::new(*at);
            let (name, count) = (&self.shared.files[file.index()], self.file_count(file));
            let zero = match Class::of(self.file_width(file)) {
                Class::Wide(pieces) => format!("[0; {pieces}]"),
                class => format!("0_{}", class.name()),
            };
            format!("        let mut copy_{name} = Changes::<_, {count}>::new({zero});\n")
        };
        self.copies.iter().map(of).collect()
    }
}

fn read_state(state: &str, width: u32) -> String {
    let expr = convert(&format!("m.state({state})"), Class::Small, Class::of(width));
    if width < 64 { masked(&expr, width) } else { expr }
}

fn write_state(state: &str, written: &Written) -> String {
    let class = Class::of(written.width);
    let value = convert(&written.value, class, Class::Small);
    let mask = match &written.mask {
        Some(mask) => Some(convert(mask, class, Class::Small)),
        None if written.width < 64 => Some(literal(ones(written.width), 64)),
        None => None,
    };
    match mask {
        None => format!("m.set_state({state}, {});", bare(&value)),
        Some(mask) => format!(
            "{{ let old = m.state({state}); m.set_state({state}, old & !({mask}) | ({value}) & {mask}); }}"
        ),
    }
}
