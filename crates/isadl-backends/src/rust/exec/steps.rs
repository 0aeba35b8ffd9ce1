//! The steps of a program as Rust statements.

use isadl_semantics::ir::{Carried, Merge, Op, Over, Region, Step, ValueId};

use super::classes::{Class, bare, convert, masked, ones, zero};
use super::unit::{has_effect, is_pure};
use super::writer::Writer;

impl Writer<'_, '_> {
    pub(super) fn steps(&mut self, region: &Region) {
        for step in &region.steps {
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        match self.is_together() {
            true => self.step_of_lanes(step),
            false => self.step_alone(step),
        }
    }

    /// A step that is done once, or by one lane.
    pub(super) fn step_alone(&mut self, step: &Step) {
        match step {
            Step::Compute(id) => self.compute(*id),
            Step::Write { place, mask, value } => self.write(place, *mask, *value),
            Step::Store { memory, address, value } => {
                let (address, bytes) = (self.expr_as(*address, Class::Small), self.bytes(*value));
                let space = self.shared.space(*memory);
                self.line(format!("m.store({space}{}, {bytes})?;", bare(&address)));
            }
            Step::Lanes(_) => self.refuse("lanes choose each by itself who takes part"),
            Step::Jump(target) => {
                self.jumps = true;
                let next = match self.target == Some(*target) {
                    true => "Next::Target".to_string(),
                    false => format!("Next::To({})", bare(&self.expr_as(*target, Class::Small))),
                };
                self.line(format!("next = {next};"));
            }
            Step::If { condition, yes, no, merges } => self.branch(*condition, yes, no, merges),
            Step::Loop { over, number, carried, body } => self.repeat(over, *number, carried, body),
            Step::Atomic(body) | Step::Labelled { body, .. } => self.steps(body),
            Step::Trap { name, arguments } => {
                let arguments: Vec<String> = arguments
                    .iter()
                    .map(|id| bare(&self.expr_as(*id, Class::Double)).to_string())
                    .collect();
                let trap = self.shared.trap(name, &arguments);
                self.stop(&trap);
            }
            Step::Unpredictable => self.stop("Trap::Unpredictable"),
            Step::Commit => {
                if self.nesting > 0 {
                    self.refuse("`commit` is in a branch");
                }
                self.flush();
            }
        }
    }

    /// The instruction ends, if a lane takes part.
    fn stop(&mut self, trap: &str) {
        let condition = match self.is_together() {
            true => "if lanes & active != 0 { ",
            false => "",
        };
        let end = if condition.is_empty() { "" } else { " }" };
        self.line(format!("{condition}return Err(m.trap({trap}));{end}"));
    }

    /// Gives a value a name.
    pub(super) fn bind(&mut self, id: ValueId, expr: &str) {
        self.named.insert(id);
        self.line(format!("let v{} = {};", id.index(), bare(expr)));
    }

    pub(super) fn compute(&mut self, id: ValueId) {
        let unit = self.unit;
        let op = unit.code.op(id);
        let is_used = self.uses[id.index()] > 0;
        if is_pure(op) {
            if is_used && !self.is_filled(id) && self.gets_name(id) {
                let expr = self.computed(id);
                self.bind(id, &expr);
            }
            return;
        }
        if !is_used && !has_effect(op) {
            return;
        }
        let mut expr = self.acted(id);
        // No lane does it if none takes part.
        if self.is_together() && has_effect(op) && !matches!(op, Op::Read(_)) {
            let zero = zero(Class::of(self.width(id)));
            expr = match is_used {
                true => format!("if lanes & active != 0 {{ {} }} else {{ {zero} }}", bare(&expr)),
                false => format!("if lanes & active != 0 {{ {expr}; }}"),
            };
        }
        if is_used {
            self.bind(id, &expr);
        } else {
            self.line(format!("{expr};"));
        }
    }

    /// The expression of an operation that is done where it stands.
    pub(super) fn acted(&mut self, id: ValueId) -> String {
        let unit = self.unit;
        let (width, is_used) = (self.width(id), self.uses[id.index()] > 0);
        match unit.code.op(id) {
            Op::Read(place) => self.read(place, width),
            Op::Load { memory, address, is_reserving } => {
                let address = self.expr_as(*address, Class::Small);
                let name = if *is_reserving { "load_reserved" } else { "load" };
                self.shared.reserves |= *is_reserving;
                let space = self.shared.space(*memory);
                self.loaded(&format!("m.{name}({space}{})?", bare(&address)), width)
            }
            Op::StoreConditional { memory, address, value } => {
                let (address, bytes) = (self.expr_as(*address, Class::Small), self.bytes(*value));
                self.shared.reserves = true;
                let space = self.shared.space(*memory);
                format!("u64::from(m.store_conditional({space}{}, {bytes})?)", bare(&address))
            }
            Op::Extern { name, arguments, .. } => {
                let classes: Vec<Class> =
                    arguments.iter().map(|id| Class::of(self.width(*id))).collect();
                let arguments: Vec<String> =
                    arguments.iter().map(|id| bare(&self.expr(*id)).to_string()).collect();
                let result = is_used.then(|| Class::of(width));
                let name = self.shared.function(name, classes, result);
                let call = format!("m.{name}({})?", arguments.join(", "));
                if is_used { masked(&call, width) } else { call }
            }
            Op::Float { .. } => self.float(id),
            Op::Raised => {
                self.raises = true;
                masked("raised", width)
            }
            Op::Active => self.active(width),
            Op::Ballot(condition) => self.ballot(id, *condition),
            // A lane computes it where it is used.
            _ => self.computed(id),
        }
    }

    /// The bytes of a value, the lowest first.
    fn bytes(&mut self, value: ValueId) -> String {
        let width = self.width(value);
        if !width.is_multiple_of(8) {
            self.refuse("it stores a part of a byte");
        }
        let expr = self.expr(value);
        match width {
            8 | 16 | 32 => format!("({expr} as u{width}).to_le_bytes()"),
            64 | 128 => format!("({expr}).to_le_bytes()"),
            _ => {
                let wide = convert(&expr, Class::of(width), Class::Wide(Class::of(width).count()));
                format!(
                    "wide::to_bytes::<{}, {}>({})",
                    Class::of(width).count(),
                    width / 8,
                    bare(&wide)
                )
            }
        }
    }

    fn loaded(&mut self, load: &str, width: u32) -> String {
        if !width.is_multiple_of(8) {
            self.refuse("it loads a part of a byte");
        }
        match width {
            8 | 16 | 32 => format!("u64::from(u{width}::from_le_bytes({load}))"),
            64 | 128 => format!("u{width}::from_le_bytes({load})"),
            _ => {
                let class = Class::of(width);
                let count = class.count();
                let wide = format!("wide::of_bytes::<{count}, {}>({load})", width / 8);
                convert(&wide, Class::Wide(count), class)
            }
        }
    }

    fn branch(&mut self, condition: ValueId, yes: &Region, no: &Region, merges: &[Merge]) {
        let condition = bare(&self.condition(condition)).to_string();
        let merges: Vec<&Merge> =
            merges.iter().filter(|merge| self.uses[merge.after.index()] > 0).collect();
        let names: Vec<String> =
            merges.iter().map(|merge| format!("v{}", merge.after.index())).collect();
        let list = |all: &[String]| match all {
            [only] => only.clone(),
            _ => format!("({})", all.join(", ")),
        };
        let begin = match names.is_empty() {
            true => String::new(),
            false => format!("let {} = ", list(&names)),
        };
        self.line(format!("{begin}if {condition} {{"));
        let outside = self.named.clone();
        for (at, region) in [yes, no].into_iter().enumerate() {
            if at == 1 {
                self.named.clone_from(&outside);
                if region.steps.is_empty() && names.is_empty() {
                    break;
                }
                self.line("} else {");
            }
            self.indent += 1;
            self.nesting += 1;
            self.steps(region);
            let from = merges.iter().map(|merge| if at == 0 { merge.yes } else { merge.no });
            let from: Option<Vec<ValueId>> = from.collect();
            if let Some(from) = from.filter(|from| !from.is_empty()) {
                let own: Vec<String> =
                    from.into_iter().map(|id| bare(&self.expr(id)).to_string()).collect();
                self.line(list(&own));
            }
            self.indent -= 1;
            self.nesting -= 1;
        }
        self.named = outside;
        self.line(if names.is_empty() { "}" } else { "};" });
        self.named.extend(merges.iter().map(|merge| merge.after));
    }

    fn repeat(&mut self, over: &Over, number: ValueId, carried: &[Carried], body: &Region) {
        for one in carried {
            let before = self.expr(one.before);
            self.line(format!("let mut c{} = {};", one.after.index(), bare(&before)));
        }
        let value = self.begin_loop(over, number);
        let outside = self.named.clone();
        self.indent += 1;
        self.nesting += 1;
        self.bind(number, &value);
        for one in carried {
            self.bind(one.inside, &format!("c{}", one.after.index()));
        }
        self.steps(body);
        let next: Vec<String> = carried.iter().map(|one| self.expr(one.next)).collect();
        // All values are those at the end of the turn.
        match (carried, next.as_slice()) {
            ([], _) => {}
            ([one], [next]) => self.line(format!("c{} = {};", one.after.index(), bare(next))),
            _ => {
                let names: Vec<String> =
                    carried.iter().map(|one| format!("c{}", one.after.index())).collect();
                self.line(format!("({}) = ({});", names.join(", "), next.join(", ")));
            }
        }
        self.indent -= 1;
        self.nesting -= 1;
        self.named = outside;
        self.line("}");
        for one in carried {
            self.bind(one.after, &format!("c{}", one.after.index()));
        }
    }

    /// Begins a loop; its number as an expression.
    pub(super) fn begin_loop(&mut self, over: &Over, number: ValueId) -> String {
        let width = self.width(number);
        let class = Class::of(width);
        let (number_name, index) = (number.index(), format!("i{}", number.index()));
        match over {
            Over::Range { first, last, is_signed } => {
                let bits = self.width(*first);
                let own = Class::of(bits);
                let (first, last) = (self.expr(*first), self.expr(*last));
                let up = if own == Class::Small { 64 } else { 128 };
                if up < bits {
                    self.refuse("a loop over numbers of more than 128 bits");
                }
                let bound = |expr: String| match is_signed {
                    true => {
                        format!("((({expr} << {0}_u32) as i{up}) >> {0}_u32)", up - bits.min(up))
                    }
                    false => expr,
                };
                let (first, last) = (bound(first), bound(last));
                let last = bare(&last);
                self.line(format!("for {index} in {first}..={last} {{"));
                let of = if *is_signed { format!("({index} as u{up})") } else { index.clone() };
                masked(&convert(&of, own, class), width)
            }
            Over::Ones(of) => {
                let bits = self.width(*of);
                let all = self.expr_as(*of, Class::Wide(Class::of(bits).count()));
                let all = match Class::of(bits) {
                    Class::Small => format!("[{}]", self.expr(*of)),
                    _ => all,
                };
                self.line(format!("let ones_{number_name} = {all};"));
                self.line(format!("for {index} in 0..{bits}_u64 {{"));
                self.line(format!(
                    "    if ones_{number_name}[({index} / 64) as usize] >> ({index} % 64) & 1 == 0 {{ continue; }}"
                ));
                masked(&convert(&index, Class::Small, class), width)
            }
        }
    }

    /// A mask of all bits, as an expression of a class.
    pub(super) fn all_ones(width: u32, class: Class) -> String {
        match class {
            Class::Wide(count) => format!("wide::masked([u64::MAX; {count}], {width})"),
            Class::Double => format!("{:#x}_u128", ones(width)),
            Class::Small => format!("{:#x}_u64", ones(width)),
        }
    }
}
