//! Registers that each lane has of its own. The machine has an array for each, with one number per lane.

use isadl_ir::isa::RegFileId;
use isadl_semantics::ir::Place;

use super::classes::{Class, bare, convert, masked, ones, zero};
use super::places::{What, number_of};
use super::registers::Named;
use super::warp::Range;
use super::writer::Writer;

/// The type of a register's number in a lane.
pub(super) fn element(width: u32) -> String {
    match width {
        ..=8 => "u8".to_string(),
        9..=16 => "u16".to_string(),
        17..=32 => "u32".to_string(),
        _ => Class::of(width).name(),
    }
}

/// A zero of a type of numbers with some bits.
pub(super) fn zero_of(element: &str, width: u32) -> String {
    match Class::of(width) {
        class @ Class::Wide(_) => zero(class),
        _ => format!("0_{element}"),
    }
}

/// A number of some bits, of its class, as an expression of another type that has room for it.
pub(super) fn as_type(expr: &str, width: u32, ty: &str) -> String {
    match ty == Class::of(width).name() {
        true => bare(expr).to_string(),
        false => format!("{expr} as {ty}"),
    }
}

/// A number of a register as an expression of its class.
pub(super) fn of_element(expr: &str, width: u32) -> String {
    match element(width) == Class::of(width).name() {
        true => expr.to_string(),
        false => format!("u64::from({expr})"),
    }
}

/// The arrays that a write copies to registers: `w3` has the numbers of write 3, `m3` its masks.
pub(super) struct Blocks {
    /// The number of the write.
    pub(super) at: usize,
    /// How many bits are written.
    pub(super) width: u32,
    /// The type of the numbers.
    pub(super) element: String,
    /// Whether there are masks.
    pub(super) has_mask: bool,
}

impl Blocks {
    /// Some bits of a number of a lane, as the number of a register of `own` bits.
    fn part(&self, array: &str, (low, bits): (u32, u32), own: u32) -> String {
        let expr = format!("{array}{}[lane]", self.at);
        if self.element == element(own) && self.width <= own {
            return expr;
        }
        let (from, to) = (Class::of(self.width), Class::of(own));
        let shifted = match (low, from) {
            (0, _) => expr,
            (_, Class::Wide(_)) => format!("wide::shr({expr}, {low}, {})", self.width),
            _ => format!("({expr} >> {low}_u32)"),
        };
        let number = masked(&convert(&shifted, from, to), bits);
        match element(own) == to.name() {
            true => number,
            false => format!("({number} as {})", element(own)),
        }
    }
}

impl Writer<'_, '_> {
    /// Whether lanes have a place of their own.
    pub(super) fn is_of_lanes(&self, place: &Place) -> bool {
        let targets = self.unit.targets(place);
        targets.iter().any(|target| target.is_some_and(|file| self.shared.is_of_lanes(file)))
    }

    /// Whether a register may be named before the loop.
    fn may_hoist(&self) -> bool {
        let is_own = self.warp.other.is_none() && !self.warp.is_computed;
        is_own
            && matches!(
                self.warp.range,
                Some(Range::All | Range::Here | Range::Computing | Range::Rest)
            )
    }

    /// The name of an expression before the loop.
    fn hoisted(&mut self, expr: String) -> String {
        let all = &mut self.warp.hoisted;
        let at = all.iter().position(|own| *own == expr).unwrap_or_else(|| {
            all.push(expr);
            all.len() - 1
        });
        format!("h{at}")
    }

    /// A register of one lane, or of the machine, as an expression.
    pub(super) fn one_register(&mut self, file: RegFileId, number: &str) -> String {
        let block = format!("m.{}({})", self.shared.file(file), bare(number));
        if !self.shared.is_of_lanes(file) {
            return block;
        }
        let block = if self.may_hoist() { self.hoisted(block) } else { block };
        let lane = self.warp.other.clone().unwrap_or("lane".to_string());
        of_element(&format!("{block}[{lane}]"), self.file_width(file))
    }

    /// The value of a register of lanes, for the lane of the loop or another.
    pub(super) fn read_of_lane(&mut self, place: &Place, width: u32) -> String {
        let (place, other) = match place {
            Place::OfLane { place, lane } => (&**place, Some(self.other_lane(*lane))),
            place => (place, None),
        };
        if other.is_none() && self.warp.range.is_none() {
            self.refuse("a register of a lane where all have one");
        }
        let mut is_computed = false;
        place.operands(&mut |id| is_computed |= self.unit.is_varying(id));
        let named = self.named_register(place);
        self.warp.other = other;
        self.warp.is_computed = is_computed;
        let expr = match &named {
            Named::Several(..) if self.may_hoist() => self.read_block(&named, width),
            _ => self.read_named(&named, width),
        };
        self.warp.other = None;
        self.warp.is_computed = false;
        expr
    }

    /// Reads an operand that may be a register of lanes or something else: the numbers of all lanes are put into an array before the loop.
    fn read_block(&mut self, named: &Named, width: u32) -> String {
        let Named::Several(choices, raw) = named else { return self.read_named(named, width) };
        let files = choices.iter().filter_map(|choice| match choice.what {
            What::Registers { file, .. } if self.shared.is_of_lanes(file) => Some(file),
            _ => None,
        });
        let files: Vec<RegFileId> = files.collect();
        let whole = files.iter().all(|file| self.file_width(*file) == width);
        let class = Class::of(width).name();
        let ty = if whole { element(width) } else { class.clone() };
        // The block is made where no lane is chosen.
        let range = self.warp.range.take();
        let mut arms = String::new();
        for choice in choices {
            let own = match &choice.what {
                What::Registers { file, run } if self.shared.is_of_lanes(*file) => {
                    let number = format!("({})", number_of(&[*run], "raw"));
                    match whole {
                        true => format!("*m.{}({})", self.shared.file(*file), bare(&number)),
                        false => {
                            let of_lane = self.read_choice(choice, width);
                            format!("lanes::of(|lane| {})", bare(&of_lane))
                        }
                    }
                }
                _ => {
                    let own = self.read_choice(choice, width);
                    format!("[{}; LANES]", as_type(&own, width, &ty))
                }
            };
            arms += &format!("raw @ {}..={} => {own}, ", choice.first, choice.last);
        }
        self.warp.range = range;
        let zero = zero_of(&ty, width);
        let block = self.hoisted(format!("match {} {{ {arms}_ => [{zero}; LANES] }}", bare(raw)));
        let number = format!("{block}[lane]");
        if ty == class { number } else { format!("u64::from({number})") }
    }

    /// The type of the numbers of lanes that are written to a register: that of its own numbers, if one has room for them.
    pub(super) fn element_of(&self, register: &Named, width: u32) -> String {
        let class = Class::of(width).name();
        let of = |file: RegFileId| match width <= self.file_width(file) {
            true => element(self.file_width(file)),
            false => class.clone(),
        };
        let mut all: Vec<String> = match register {
            Named::Numbered(file, ..) => vec![of(*file)],
            Named::State(_) => Vec::new(),
            Named::Several(choices, _) => {
                let files = choices.iter().filter_map(|choice| match choice.what {
                    What::Registers { file, .. } => Some(file),
                    _ => None,
                });
                files.map(of).collect()
            }
        };
        all.dedup();
        match all.as_slice() {
            [only] => only.clone(),
            _ => class,
        }
    }

    /// The statement that writes blocks to a register.
    pub(super) fn written_in_lanes(&mut self, register: &Named, blocks: &Blocks) -> String {
        match register {
            Named::Numbered(file, number, has_zero) => {
                self.written_blocks(*file, (number, *has_zero), blocks)
            }
            Named::State(_) => {
                self.refuse("lanes write a register that all share");
                String::new()
            }
            Named::Several(choices, raw) => self
                .written_choices((choices, raw), |writer, named| {
                    writer.written_in_lanes(named, blocks)
                }),
        }
    }

    fn written_blocks(
        &mut self,
        file: RegFileId,
        (number, has_zero): (&str, bool),
        blocks: &Blocks,
    ) -> String {
        if !self.shared.is_of_lanes(file) {
            self.refuse("lanes write a register that all share");
        }
        let (own, count) = (self.file_width(file), self.file_count(file));
        let (name, width, at) = (self.shared.file(file).to_string(), blocks.width, blocks.at);
        let mut all = Vec::new();
        for part in 0..width.div_ceil(own) {
            let bits = own.min(width - part * own);
            let value = blocks.part("w", (part * own, bits), own);
            let mask = blocks.has_mask.then(|| blocks.part("m", (part * own, bits), own));
            let new = match (mask, Class::of(own)) {
                (None, _) if bits == own => value,
                (mask, Class::Wide(_)) => {
                    let mask = mask.unwrap_or_else(|| Self::all_ones(bits, Class::of(own)));
                    format!(
                        "wide::or(wide::and(old, wide::not({mask}, {own})), wide::and({value}, {mask}))"
                    )
                }
                (mask, _) => {
                    let mask =
                        mask.unwrap_or_else(|| format!("{:#x}_{}", ones(bits), element(own)));
                    format!("old & !({mask}) | {value} & {mask}")
                }
            };
            let next = match part {
                0 => number.to_string(),
                _ => self.shared.following(file, number, part),
            };
            let statement = format!(
                "lanes::put(m.{name}_mut({}), t{at}, |old, lane| {});",
                bare(&next),
                bare(&new)
            );
            all.push(match has_zero || part > 0 {
                true => format!("if {next} != {count} {{ {statement} }}"),
                false => statement,
            });
        }
        all.join(" ")
    }

    /// The statement that writes the register of one lane, `lane`: the bits of `value` for which `mask` has ones.
    pub(super) fn written_to_lane(&mut self, register: &Named, width: u32) -> String {
        let (file, number, has_zero) = match register {
            Named::Numbered(file, number, has_zero) => (*file, number, *has_zero),
            _ => {
                self.refuse("a register of another lane is one of several files");
                return String::new();
            }
        };
        let own = self.file_width(file);
        if width > own || own > 64 {
            self.refuse("a write to several registers of another lane");
        }
        let (name, ty) = (self.shared.file(file).to_string(), element(own));
        let statement = format!(
            "let own = &mut m.{name}_mut({})[lane]; *own = *own & !(mask as {ty}) | (value & mask) as {ty};",
            bare(number)
        );
        match has_zero {
            true => format!("if {number} != {} {{ {statement} }}", self.file_count(file)),
            false => statement,
        }
    }
}
