//! Random types of a small instruction set.

use std::fmt::Write;

use super::draft::Draft;
use super::places::Places;

/// A type that fields may have.
#[derive(Debug, Clone)]
pub(super) struct Type {
    pub(super) name: String,
    pub(super) width: u32,
    pub(super) kind: Kind,
    /// The features of an opcode that uses it.
    pub(super) features: Vec<&'static str>,
}

/// The facts about a type that opcodes need.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// Named values.
    Enumeration {
        /// Names, with the value of each.
        values: Vec<(String, u64)>,
        /// The purpose of its values.
        purpose: Purpose,
    },
    /// Registers and constants.
    Operand {
        /// Names that a default or rule may have.
        names: Vec<String>,
        /// Whether it has registers of 16 bits.
        is_wide: bool,
        /// Whether a field with this value announces a literal.
        has_literal: bool,
        /// Whether it has registers of one bit only.
        is_flag: bool,
        /// Whether it has the class `odd`.
        has_class: bool,
    },
    /// A number, with or without sign; the values that a default or rule may have.
    Immediate { is_signed: bool, is_mask: bool, is_offset: bool, is_integer: bool, values: Values },
    /// Parts; which of them is a register.
    Composite { register: Option<&'static str> },
}

/// The values of a number: integers, or bits where it is not one.
#[derive(Debug, Clone)]
pub(super) struct Values {
    pub(super) scale: i64,
    pub(super) bias: i64,
    /// The integers that are computed from bits, if they are.
    pub(super) numbers: Option<Vec<i128>>,
    /// The bits whose value is reserved.
    pub(super) reserved_values: Vec<u64>,
    pub(super) has_prefix: bool,
    /// Whether they are numbers that are computed.
    pub(super) is_computed: bool,
    /// Whether they are distances from an address.
    pub is_distance: bool,
    /// Whether a value is several numbers.
    pub is_several: bool,
}

impl Values {
    fn plain() -> Values {
        Values {
            scale: 1,
            bias: 0,
            numbers: None,
            reserved_values: Vec::new(),
            has_prefix: false,
            is_computed: false,
            is_distance: false,
            is_several: false,
        }
    }

    /// Whether formats may be selected for it, and it is what its bits say.
    pub(super) fn is_scaled(&self) -> bool {
        (self.scale, self.bias) != (1, 0) || self.is_distance || self.is_computed
    }
}

/// The purpose of a bit-field type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Marks and other yes or no.
    Mark,
    /// `NoX` and `X`.
    Extension,
    /// Values that select formats of numbers.
    Format,
    /// Operands: values without a name are numbers.
    Open,
    Modifier,
}

/// Names of values, few, so that types share them.
const NAMES: [&str; 9] = ["A", "B", "C", "X", "WIDE", "NoA", "NoX", "H0", "32"];

impl Draft {
    pub(super) fn types(&mut self) {
        self.text += "__DefRegFile GPR<16, 4>\n\n__DefRegFile FLAGS<1, 3>\n\n";
        self.add("Mark", 1, mark(), "    False;\n    True;\n");
        self.add("Ext", 1, enumeration(&["NoX", "X"], Purpose::Extension), "    NoX;\n    X;\n");
        self.formats();
        self.others();
        self.registers();
        self.flags();
        self.sources();
        for index in 0..3 {
            self.modifier(index);
        }
        for index in 0..4 {
            self.immediate(index);
        }
        self.composite();
    }

    /// Records a feature of sets that use the type being written.
    fn notes(&mut self, feature: &'static str) {
        self.of_type.push(feature);
    }

    /// Adds a type with its body.
    fn add(&mut self, name: &str, width: u32, kind: Kind, body: &str) {
        let keyword = match kind {
            Kind::Enumeration { .. } => "BitFieldType",
            Kind::Operand { .. } => "OperandType",
            Kind::Immediate { .. } => "Immediate",
            Kind::Composite { .. } => "Composite",
        };
        let _ = write!(self.text, "__Def{keyword} {name}<{width}>\n{body}\n");
        let features = std::mem::take(&mut self.of_type);
        self.types.push(Type { name: name.to_string(), width, kind, features });
    }

    fn formats(&mut self) {
        let body = match self.random.below(3) {
            0 => "    F : float<2, 1>;\n    U : unsigned;\n",
            1 => "    F : float<2, 1>;\n    S : signed x 2;\n",
            _ => "    NoF : unsigned;\n    F : float<2, 1>;\n",
        };
        let names = if body.contains("NoF") { ["NoF", "F"] } else { ["F", "G"] };
        let kind = enumeration(&names, Purpose::Format);
        self.add("Fmt", 1, kind, &body.replace("U :", "G :").replace("S :", "G :"));
    }

    /// Registers of several bits: `Reg` with all values, `Hole` without.
    fn registers(&mut self) {
        let align = if self.chance(4) { " align 2" } else { "" };
        if !align.is_empty() {
            self.notes("aligned registers");
        }
        let is_class = self.chance(2);
        let class = if is_class { " is odd" } else { "" };
        let full = Kind::Operand {
            names: vec!["r0".to_string(), "r2".to_string()],
            is_wide: true,
            has_literal: false,
            is_flag: false,
            has_class: is_class,
        };
        let also = match self.random.below(6) {
            0 if align.is_empty() => " also w[4..7]",
            1 => " also w[0..3], t1x[2..5]",
            _ => "",
        };
        if !also.is_empty() {
            self.notes("other names of a range");
        }
        self.add("Reg", 2, full, &format!("    r[0..3] = 0 : GPR{also}{align}{class};\n"));
        let moved = "    r[0..2] = 0 : GPR[1..3] also x[2..6 step 2];\n";
        let mut body = match self.random.below(6) {
            0 => {
                self.notes("registers by number");
                moved.to_string()
            }
            choice @ 1..=2 => {
                self.notes("spellings of a range");
                let spelling = ["r[{}:{+1}]", "x.r{}l"][choice as usize - 1];
                format!("    r[0..2] = 0 : GPR as \"{spelling}\";\n")
            }
            _ => "    r[0..2] = 0 : GPR;\n".to_string(),
        };
        let mut names = vec!["r0".to_string(), "r1".to_string()];
        let last = match self.random.below(10) {
            0 => ("vm", "    vm = 7 : GPR[2] as \"r0.t\";\n"),
            1 => ("vm", "    vm = 7 as \"vm.t.u\" also v0;\n"),
            2 => ("vm", "    vm = 7 : none as \"v0\" also masked;\n"),
            3 => ("vm", "    vm = 7 : GPR[2] as \"r2+\";\n"),
            4 => ("vm", "    vm = 7 as \"(r1)\" also v0;\n"),
            5 => ("vm", "    vm = 7 : GPR[1] as \"-r1\";\n"),
            _ => ("r3", "    r[3..3] = 7 : GPR;\n"),
        };
        let more = [
            ("zero", "    zero = 3 : GPR zero;\n"),
            ("sp", "    sp = 4 : GPR[3] also fp, r33;\n"),
            ("none", "    none = 5 : none;\n"),
            ("m0", "    m0 = 6;\n"),
            last,
        ];
        for (name, entry) in more {
            if self.chance(2) {
                body += entry;
                names.push(name.to_string());
                self.notes(match name {
                    "m0" => "special register",
                    "vm" => "spelling of an operand",
                    _ => "constant register",
                });
            }
        }
        if self.chance(3) {
            body += self.otherwise();
        }
        let kind = Kind::Operand {
            names,
            is_wide: true,
            has_literal: false,
            is_flag: false,
            has_class: false,
        };
        self.add("Hole", 3, kind, &body);
    }

    /// Types of numbers and parts for values without a name, and a bit-field type that has some.
    fn others(&mut self) {
        let mut body = format!("    Number = {};\n", self.one(&["unsigned", "signed"]));
        let print = *self.one(&["decimal", "hex", "binary"]);
        let _ = writeln!(body, "    Print = {print};");
        let values = self.values(&mut body, 3, true);
        self.of_type.clear();
        let kind = Kind::Immediate {
            is_signed: body.contains("= signed"),
            is_mask: false,
            is_offset: false,
            is_integer: true,
            values,
        };
        self.add("Number3", 3, kind, &body);
        let _ = write!(
            self.text,
            "__DefImmediate Large<10>\n    Number = signed;\n    Print = {print};\n    Prefix = \"%\";\n\n"
        );
        let _ = write!(self.text, "__DefImmediate One<1>\n    Number = unsigned;\n\n");
        let _ = write!(self.text, "__DefImmediate TwoBits<2>\n    Number = unsigned;\n\n");
        let format = *self.one(&["[{a}]{b}", "S{a}_{b}", "({a}:{b})"]);
        let body = format!(
            "    field<0, 1> One a;\n    field<1, 2> TwoBits b;\n    Format = \"{format}\";\n"
        );
        self.add("Parts3", 3, Kind::Composite { register: None }, &body);
        let all = [("rne", 0u64), ("rtz", 1), ("rup", 4), ("dyn", 7)];
        let mut values: Vec<(String, u64)> = Vec::new();
        let mut body = String::new();
        for (name, raw) in all {
            if values.is_empty() || self.chance(2) {
                let _ = writeln!(body, "    {name} = {raw};");
                values.push((name.to_string(), raw));
            }
        }
        self.notes("bit-field with other values");
        body += self.otherwise();
        self.add("Open", 3, Kind::Enumeration { values, purpose: Purpose::Open }, &body);
    }

    /// How values without a name are written.
    fn otherwise(&mut self) -> &'static str {
        match self.random.below(3) {
            0 => {
                self.notes("other values as parts");
                "    else Parts3;\n"
            }
            _ => {
                self.notes("other values as numbers");
                "    else Number3;\n"
            }
        }
    }

    fn flags(&mut self) {
        let last = ["pt = 3 : FLAGS one", "pf = 3 : FLAGS zero", "pn = 3 : none"];
        let last = last[self.random.below(3) as usize];
        let names = vec!["p0".to_string(), last[..2].to_string()];
        let kind = Kind::Operand {
            names,
            is_wide: false,
            has_literal: false,
            is_flag: true,
            has_class: false,
        };
        self.add("Flag", 2, kind, &format!("    p[0..2] = 0 : FLAGS;\n    {last};\n"));
    }

    /// Registers and numbers.
    fn sources(&mut self) {
        let mut body = "    r[0..1] = 0 : GPR;\n".to_string();
        let numbers = ["    const 0..1 = 2;\n", "    const -1..-2 = 2;\n", "    const 0.5 = 2;\n"];
        body += numbers[self.random.below(3) as usize];
        let kind = |has_literal, names: &[&str]| Kind::Operand {
            names: names.iter().map(|name| name.to_string()).collect(),
            is_wide: true,
            has_literal,
            is_flag: false,
            has_class: false,
        };
        self.add("Src", 2, kind(false, &["r0", "r1"]), &body);
        let number = if self.chance(2) { "const 1..1 = 2" } else { "const 0.5 = 2" };
        let body = format!("    r[0..1] = 0 : GPR;\n    {number};\n    literal = 3;\n");
        self.add("Lit", 2, kind(true, &["r0", "r1"]), &body);
        self.add("Wide", 3, kind(false, &["r0", "m1"]), "    include Src;\n    m1 = 4;\n");
    }

    fn modifier(&mut self, index: usize) {
        let width = 1 + self.random.below(2) as u32;
        let mut values: Vec<(String, u64)> = Vec::new();
        let mut body = String::new();
        for raw in 0..1u64 << width {
            if width > 1 && self.chance(5) {
                self.notes("reserved value in an enumeration");
                continue;
            }
            let name = NAMES[self.random.below(NAMES.len() as u64) as usize];
            if values.iter().any(|(known, _)| known == name) {
                continue;
            }
            let mut spelling = self.spelling(name, raw);
            // Other spellings of values that are never written could be spellings of another modifier.
            let is_written = !name.starts_with("No") && !spelling.ends_with("\"\"");
            if is_written && self.chance(6) {
                self.notes("other words of a modifier");
                spelling +=
                    [" also hs", " also cs", " also cc, lo", " also hi", " also vs"][raw as usize];
            }
            let _ = writeln!(body, "    {name} = {raw}{spelling};");
            values.push((name.to_string(), raw));
        }
        if values.is_empty() {
            body += "    A = 0;\n";
            values.push(("A".to_string(), 0));
        }
        let kind = Kind::Enumeration { values, purpose: Purpose::Modifier };
        self.add(&format!("M{index}"), width, kind, &body);
    }

    /// How a value is written, where not by its name.
    fn spelling(&mut self, name: &str, raw: u64) -> String {
        let is_number = name.starts_with(|c: char| c.is_ascii_digit());
        if self.is_words && (is_number || self.chance(8)) {
            self.notes("spelling");
            return format!(" as \"{}:{raw}\"", name.to_lowercase().replace("32", "b"));
        }
        match self.random.below(12) {
            0 => " as \"\"".to_string(),
            1 => format!(" as \"s{raw}\""),
            _ => String::new(),
        }
    }

    fn immediate(&mut self, index: usize) {
        let choices: [(u32, &str); 12] = [
            (1, "unsigned"),
            (2, "unsigned"),
            (3, "unsigned"),
            (4, "unsigned"),
            (2, "signed"),
            (3, "signed"),
            (4, "signed"),
            (4, "float<2, 1>"),
            (5, "float<2, 2>"),
            (4, "unsigned x 2"),
            (4, "signed x 2"),
            (8, "float<2, 1> x 2"),
        ];
        let (width, number) = choices[self.random.below(choices.len() as u64) as usize];
        let print = ["", "decimal", "hex", "HEX", "binary", "bits"][self.random.below(6) as usize];
        let mut body = format!("    Number = {number};\n");
        if !print.is_empty() {
            let _ = writeln!(body, "    Print = {print};");
        }
        self.notes(match print {
            "hex" => "hexadecimal",
            "HEX" => "upper hexadecimal",
            "binary" => "binary",
            "bits" => "bits",
            _ => "decimal",
        });
        if number.contains('x') {
            self.notes("lanes");
        }
        if number.starts_with("float") {
            self.notes("floating-point numbers");
        }
        if print != "bits" && self.chance(4) {
            self.notes("digits");
            let _ = writeln!(body, "    Digits = {};", 1 + self.random.below(4));
        }
        let is_single = matches!(number, "unsigned" | "signed");
        let mut values = match number {
            _ if print == "bits" || number.contains('x') || !self.chance(5) => {
                self.values_or_distances(&mut body, width, is_single && print != "bits")
            }
            _ => self.computed_values(&mut body, width, number),
        };
        values.is_several = number.contains('x');
        let is_multiple =
            values.scale > 0 && values.bias == 0 && !values.reserved_values.contains(&0);
        let is_offset = is_single && (number == "unsigned" || print != "bits");
        let kind = Kind::Immediate {
            is_signed: number == "signed",
            is_mask: number == "unsigned" && !values.is_scaled(),
            is_offset: is_offset
                && is_multiple
                && !values.has_prefix
                && !values.is_distance
                && !values.is_computed,
            is_integer: !number.starts_with("float"),
            values,
        };
        self.add(&format!("I{index}"), width, kind, &body);
    }

    /// Adds what the values of a number are besides its bits.
    fn values(&mut self, body: &mut String, width: u32, is_scalable: bool) -> Values {
        let mut values = Values::plain();
        if is_scalable && self.chance(3) {
            self.notes("scale");
            values.scale = self.one(&[1, 2, 4, 3, -1, -2]).to_owned();
            values.bias = self.one(&[0, 0, 1, -3, 8]).to_owned();
            let _ = write!(body, "    Scale = {};\n    Bias = {};\n", values.scale, values.bias);
        }
        if self.chance(4) {
            self.notes("excepted values");
            let last = (1u64 << width) - 1;
            let at = self.random.below(last + 1);
            let (condition, reserved_values): (String, Vec<u64>) = match self.random.below(4) {
                0 if width > 1 => {
                    ("bits % 2 == 1".to_string(), (0..=last).filter(|bits| bits % 2 == 1).collect())
                }
                1 if at > 0 => (format!("not bits >= {at}"), (0..at).collect()),
                2 if at > 0 => (format!("bits ^ {last} < {at}"), {
                    (0..=last).filter(|bits| bits ^ last < at).collect()
                }),
                _ => (format!("bits == {at}"), vec![at]),
            };
            let _ = writeln!(body, "    Except = {condition};");
            values.reserved_values = reserved_values;
        }
        if self.chance(4) {
            self.notes("prefix");
            values.has_prefix = true;
            let _ = writeln!(body, "    Prefix = \"{}\";", self.one(&["#", "=:", "%"]));
        }
        values
    }

    /// Values that are computed from bits.
    fn computed_values(&mut self, body: &mut String, width: u32, number: &str) -> Values {
        self.notes("computed values");
        let mut values = self.values(body, width, false);
        let all = (1i128 << width) - 1;
        let by = i128::from(self.random.below(all as u64 + 1));
        let places = u32::from(self.random.below(width.into()) as u8);
        let rotated = move |bits: i128| (bits >> places | bits << (width - places)) & all;
        type Compute = Box<dyn Fn(i128) -> i128>;
        let mut choices: Vec<(String, Compute)> = vec![
            (format!("bits ^ {by}"), Box::new(move |bits| bits ^ by)),
            (format!("ror(bits, {places}, {width})"), Box::new(rotated)),
        ];
        if !number.starts_with("float") {
            choices.extend([
                ("bits / 2".to_string(), Box::new(|bits: i128| bits / 2) as Compute),
                ("(1 << bits) - 1".to_string(), Box::new(|bits| (1 << bits) - 1)),
                (
                    format!("clz(bits, {width})"),
                    Box::new(move |bits| {
                        (0..width).rev().take_while(|at| bits >> at & 1 == 0).count() as i128
                    }),
                ),
            ]);
        }
        if number == "signed" {
            let text = format!("if(bits > {by}, -bits, bits * 3)");
            choices.push((text, Box::new(move |bits| if bits > by { -bits } else { bits * 3 })));
            choices.push(("-(bits << 59)".to_string(), Box::new(|bits| -(bits << 59))));
        }
        if number == "unsigned" {
            choices.push(("bits << 60".to_string(), Box::new(|bits| bits << 60)));
        }
        let (text, compute) = &choices[self.random.below(choices.len() as u64) as usize];
        let _ = writeln!(body, "    Value = {text};");
        let numbers: Vec<i128> = (0..=all).map(compute).collect();
        let legal = (0..=all as u64).filter(|bits| !values.reserved_values.contains(bits));
        let legal: Vec<i128> = legal.map(|bits| numbers[bits as usize]).collect();
        if legal.iter().enumerate().any(|(at, number)| legal[..at].contains(number)) {
            self.notes("several encodings of a number");
            *body += "    Canonical = lowest;\n";
        }
        values.is_computed = true;
        // Numbers that are not integers are given by their bits.
        values.numbers = (!number.starts_with("float")).then_some(numbers);
        values
    }

    /// As [`Self::values`], but they may be distances.
    fn values_or_distances(&mut self, body: &mut String, width: u32, is_scalable: bool) -> Values {
        let mut values = self.values(body, width, is_scalable);
        if is_scalable && self.chance(4) {
            self.notes("distance");
            values.is_distance = true;
            let bases =
                ["start", "next", "here", "next - 3", "align(start + 4, 8)", "align(here, 2) + 1"];
            let _ = writeln!(body, "    Relative = {};", self.one(&bases));
        }
        values
    }

    fn composite(&mut self) {
        let formats = [
            "{a}:{b}",
            "[{a}]{b}",
            "{b}({a})",
            "{b}, {a}",
            "{a}{b}",
            "c[{b}][{a}]",
            "{a}+{b}",
            "[{a} + {b}]",
            "{b}.{a}",
            "x{a}y{b}",
        ];
        // Most of them can be read.
        let among = if self.chance(4) { formats.len() } else { 3 };
        let format = formats[self.random.below(among as u64) as usize];
        let (first, register) = match self.random.below(3) {
            0 => ("Reg", Some("a")),
            1 => ("Flag", Some("a")),
            _ => ("Two", None),
        };
        let offsets = ["unsigned", "signed"];
        let number = offsets[self.random.below(2) as usize];
        let imm = |values: Values, number: &str| Kind::Immediate {
            is_signed: number == "signed",
            is_mask: false,
            is_offset: values.bias == 0 && !values.has_prefix && !values.is_distance,
            is_integer: true,
            values,
        };
        self.add("Two", 2, imm(Values::plain(), "unsigned"), "    Number = unsigned;\n");
        let mut body = format!("    Number = {number};\n");
        let mut values = Values::plain();
        if self.chance(4) {
            self.notes("scale");
            values.scale = 2;
            body += "    Scale = 2;\n";
        }
        if self.chance(4) {
            self.notes("prefix");
            values.has_prefix = true;
            body += "    Prefix = \"#\";\n";
        }
        if self.chance(3) {
            self.notes("distance");
            values.is_distance = true;
            let _ = writeln!(body, "    Relative = {};", self.one(&["here", "next", "start"]));
        }
        self.add("Off", 2, imm(values, number), &body);
        let places = Places::of(&mut self.random, (0, 4));
        if !places.is_plain() {
            self.notes("parts in pieces");
        }
        let (a, b) = (places.text(0, 2), places.text(2, 2));
        let body =
            format!("    field{a} {first} a;\n    field{b} Off b;\n    Format = \"{format}\";\n");
        self.add("Pair", 4, Kind::Composite { register }, &body);
    }
}

fn mark() -> Kind {
    enumeration(&["False", "True"], Purpose::Mark)
}

fn enumeration(names: &[&str], purpose: Purpose) -> Kind {
    let values = names.iter().zip(0..).map(|(name, raw)| (name.to_string(), raw)).collect();
    Kind::Enumeration { values, purpose }
}
