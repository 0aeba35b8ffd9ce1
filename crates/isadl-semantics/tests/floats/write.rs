//! Random programs: their texts, and what they compute.

use super::{MODES, Random};

/// Bits of exponent and fraction.
pub(super) type Format = (u32, u32);

/// A number of a format.
pub(super) enum Node {
    /// A register.
    Register(usize),
    /// The encoding of a literal.
    Literal(u64),
    Negative(Box<Node>, Format),
    Magnitude(Box<Node>, Format),
    Choice(Box<Condition>, Box<[Node; 2]>),
    /// A function, its operands with their formats, the power of two that it is multiplied with, the format of the result, and its mode
    /// if it is given.
    Rounded(&'static str, Vec<(Node, Format)>, i32, Format, Option<usize>),
    /// The nearest integer.
    Integral(Box<Node>, Format, Option<usize>, bool),
    Extremum(&'static str, Box<[Node; 2]>, Format),
    WithSign(Box<[Node; 2]>, Format),
    /// The number of an integer: the nearest to another number, of so many bits, with or without a sign.
    OfInteger(Box<Node>, Format, u32, bool, Format),
    /// The number with some bits of the encoding inverted.
    Changed(Box<Node>, u64),
}

/// A bit.
pub(super) enum Condition {
    /// A comparison, and whether any NaN is invalid.
    Compare(&'static str, Box<[Node; 2]>, Format, bool),
    Question(&'static str, Box<Node>, Format),
    Not(Box<Condition>),
    And(Box<[Condition; 2]>),
}

pub(super) struct Writer<'r> {
    pub(super) random: &'r mut Random,
    pub(super) text: String,
}

/// The formats of intermediate results. Results are wider than operands, too, and have more bits than fit in a half of a word.
const FORMATS: [Format; 6] = [(4, 3), (5, 10), (3, 2), (8, 7), (8, 23), (11, 52)];

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn boxed(&mut self, depth: usize, format: Format) -> Box<Node> {
        Box::new(self.number(depth, format))
    }

    /// A number of a format.
    pub(super) fn number(&mut self, depth: usize, format: Format) -> Node {
        if depth == 0 {
            if format != super::FORMAT {
                return self.rounded(0, format);
            }
            let register = self.random.below(4);
            self.put(["rd", "ra", "rb", "rc"][register]);
            return Node::Register(register);
        }
        match self.random.below(16) {
            0..7 => self.rounded(depth - 1, format),
            7 => {
                self.put("(-");
                let of = self.boxed(depth - 1, format);
                self.put(")");
                Node::Negative(of, format)
            }
            8 => {
                self.put("abs(");
                let of = self.boxed(depth - 1, format);
                self.put(")");
                Node::Magnitude(of, format)
            }
            9 | 10 => {
                self.put("(");
                let condition = self.condition(depth - 1);
                self.put(" ? ");
                let yes = self.number(depth - 1, format);
                self.put(" : ");
                let no = match self.random.below(3) {
                    0 => self.literal(format),
                    _ => self.number(depth - 1, format),
                };
                self.put(")");
                Node::Choice(Box::new(condition), Box::new([yes, no]))
            }
            11 => self.integral(depth - 1, format),
            12 => {
                let name = [
                    "minimum",
                    "maximum",
                    "minimum_number",
                    "maximum_number",
                    "min_num",
                    "max_num",
                ][self.random.below(6)];
                let both = self.two(name, depth - 1, format);
                Node::Extremum(name, both, format)
            }
            13 => {
                self.put("with_sign(");
                let of = self.number(depth - 1, format);
                self.put(", sign(");
                let sign = self.number(depth - 1, format);
                self.put("))");
                Node::WithSign(Box::new([of, sign]), format)
            }
            14 => self.of_integer(depth - 1, format),
            _ => {
                let mask = self.random.next() & (u64::MAX >> (63 - format.0 - format.1));
                self.put("from_bits(to_bits(");
                let of = self.boxed(depth - 1, format);
                self.put(&format!(") ^ {mask}, float({}, {}))", format.0, format.1));
                Node::Changed(of, mask)
            }
        }
    }

    fn two(&mut self, name: &str, depth: usize, format: Format) -> Box<[Node; 2]> {
        self.put(&format!("{name}("));
        let a = self.number(depth, format);
        self.put(", ");
        let b = self.number(depth, format);
        self.put(")");
        Box::new([a, b])
    }

    /// A literal that every format has exactly.
    fn literal(&mut self, format: Format) -> Node {
        let bias = (1u64 << (format.0 - 1)) - 1;
        let (text, bits) = match self.random.below(5) {
            0 => ("0.0", 0),
            1 => ("1.0", bias << format.1),
            2 => ("1.5", bias << format.1 | 1 << (format.1 - 1)),
            3 => ("inf", ((1 << format.0) - 1) << format.1),
            _ => ("nan", (((1 << format.0) - 1) << format.1) | 1 << (format.1 - 1)),
        };
        self.put(text);
        Node::Literal(bits)
    }

    fn mode(&mut self) -> Option<usize> {
        let mode = self.random.below(MODES.len() * 2);
        let (name, _) = MODES.get(mode)?;
        self.put(&format!(", {name}"));
        Some(mode)
    }

    fn integral(&mut self, depth: usize, format: Format) -> Node {
        let is_exact = self.random.one_in(2);
        self.put(if is_exact { "to_integral_exact(" } else { "to_integral(" });
        let of = self.boxed(depth, format);
        let mode = self.mode();
        self.put(")");
        Node::Integral(of, format, mode, is_exact)
    }

    fn of_integer(&mut self, depth: usize, to: Format) -> Node {
        let (width, is_signed) = (1 + self.random.below(16) as u32, self.random.one_in(2));
        let format = FORMATS[self.random.below(FORMATS.len())];
        self.put(if is_signed { "round(to_signed(" } else { "round(to_unsigned(" });
        let of = self.boxed(depth, format);
        self.put(&format!(", {width}), float({}, {}))", to.0, to.1));
        Node::OfInteger(of, format, width, is_signed, to)
    }

    fn rounded(&mut self, depth: usize, format: Format) -> Node {
        let name = [
            "sum",
            "difference",
            "product",
            "opposite",
            "fused",
            "fused_from",
            "quotient",
            "root",
            "convert",
        ][self.random.below(9)];
        // At depth 0 operands are registers.
        let from = match depth {
            0 => super::FORMAT,
            _ => FORMATS[self.random.below(FORMATS.len())],
        };
        let (start, signs, count): (&str, [&str; 2], usize) = match name {
            "sum" => ("", [" + ", ""], 2),
            "difference" => ("", [" - ", ""], 2),
            "product" => ("", [" * ", ""], 2),
            "opposite" => ("-(", [" * ", ""], 2),
            "fused" => ("", [" * ", " + "], 3),
            "fused_from" => ("-(", [" * ", ") - "], 3),
            "quotient" => ("", [" / ", ""], 2),
            "root" => ("sqrt(", ["", ""], 1),
            _ => ("", ["", ""], 1),
        };
        let by = match self.random.below(4) {
            0 => self.random.below(41) as i32 - 20,
            _ => 0,
        };
        self.put(if by == 0 { "round(" } else { "round(scaled(" });
        self.put(start);
        let mut operands = Vec::new();
        for at in 0..count {
            if at > 0 {
                self.put(signs[at - 1]);
            }
            let own = match self.random.below(6) {
                0 if at > 0 => self.literal(from),
                _ => self.number(depth, from),
            };
            operands.push((own, from));
        }
        self.put(if matches!(name, "opposite" | "root") { ")" } else { "" });
        if by != 0 {
            self.put(&format!(", {by})"));
        }
        self.put(&format!(", float({}, {})", format.0, format.1));
        let mode = self.mode();
        self.put(")");
        Node::Rounded(name, operands, by, format, mode)
    }

    fn condition(&mut self, depth: usize) -> Condition {
        let format = FORMATS[self.random.below(2)];
        match self.random.below(6) {
            0 => {
                self.put("not (");
                let of = self.condition(depth.saturating_sub(1));
                self.put(")");
                Condition::Not(Box::new(of))
            }
            1 if depth > 0 => {
                self.put("(");
                let a = self.condition(depth - 1);
                self.put(" and ");
                let b = self.condition(depth - 1);
                self.put(")");
                Condition::And(Box::new([a, b]))
            }
            2 => {
                let name = ["is_nan", "is_signaling", "is_infinite", "is_zero", "is_subnormal"]
                    [self.random.below(5)];
                self.put(&format!("{name}("));
                let of = self.boxed(depth, format);
                self.put(")");
                Condition::Question(name, of, format)
            }
            _ => {
                let op = ["<", "<=", ">", ">=", "==", "!="][self.random.below(6)];
                let (word, is_signaling) = match self.random.below(3) {
                    0 => ("quiet", false),
                    1 => ("signaling", true),
                    _ => ("", !matches!(op, "==" | "!=")),
                };
                self.put(&format!("{word}("));
                let a = self.number(depth, format);
                self.put(&format!(" {op} "));
                let b = match self.random.below(3) {
                    0 => self.literal(format),
                    _ => self.number(depth, format),
                };
                self.put(")");
                Condition::Compare(op, Box::new([a, b]), format, is_signaling)
            }
        }
    }
}
