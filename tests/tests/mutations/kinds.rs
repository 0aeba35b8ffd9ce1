//! The kinds of planted defects: the change of a line, and the findings that must be reported.

use isadl::diagnostic::Code;

use super::outline::{Field, LineKind, Outline, Planted, Statement};

/// A kind of defect.
pub(crate) struct Kind {
    /// Its description.
    pub(crate) name: &'static str,
    /// The finding that must be reported on the planted line.
    pub(crate) code: Code,
    /// Other findings that may be reported; the comment at each explains it.
    pub(crate) also: &'static [Code],
    /// Plants it at a line, if the line is fit for it.
    pub(crate) plant: fn(&Outline<'_>, usize) -> Option<Planted>,
}

const fn kind(
    name: &'static str,
    code: Code,
    plant: fn(&Outline<'_>, usize) -> Option<Planted>,
) -> Kind {
    Kind { name, code, also: &[], plant }
}

impl Kind {
    const fn also(self, also: &'static [Code]) -> Kind {
        Kind { also, ..self }
    }
}

use Code::*;

/// All kinds.
pub(crate) const KINDS: &[Kind] = &[
    // Fields.
    kind("fields of one definition overlap", E0401, |o, at| {
        let (fields, field) = (o.fields(at), field(o, at)?);
        let (first, before) = fields.first()?;
        let fits = *first < at && field.width <= before.width;
        o.replace(at, Field { lsb: before.lsb, ..field }.text()).filter(|_| fits)
    }),
    kind("field overlaps with its chain", E0401, |o, at| {
        let (field, in_opcode) = (field(o, at)?, o.header(at).starts_with("__DefOpcode"));
        o.replace(at, Field { lsb: 0, ..field }.text()).filter(|_| in_opcode && field.width <= 8)
    }),
    kind("misspelt type", E0202, |o, at| {
        let field = field(o, at)?;
        o.replace(at, Field { ty: &misspelt(field.ty), ..field }.text())
    }),
    kind("misspelt type of a field declared again", E0202, |o, at| {
        let field = Field::of(o.at(at, LineKind::Encoding)?)?;
        let is_first = name(o.header(at)) == Some("IALU");
        o.replace(at, Field { ty: &misspelt(field.ty), ..field }.text()).filter(|_| is_first)
    }),
    kind("misspelt default", E0405, |o, at| {
        let field = field(o, at).filter(|field| is_default_name(field.binding))?;
        o.replace(at, Field { binding: &misspelt(field.binding), ..field }.text())
    }),
    kind("misspelt fixed value", E0405, |o, at| {
        let field = field(o, at).filter(Field::is_fixed)?;
        o.replace(at, Field { binding: &misspelt(field.binding), ..field }.text())
    }),
    kind("number as value of an enumeration", E0405, |o, at| {
        let field = field(o, at).filter(|field| is_default_name(field.binding))?;
        o.replace(at, Field { binding: "= 7777", ..field }.text())
    }),
    kind("value too large for its field", E0406, |o, at| {
        let field = field(o, at).filter(|field| field.ty.contains("Imm") && field.width < 60)?;
        let binding = format!("= {}", 1u64 << field.width);
        o.replace(at, Field { binding: &binding, ..field }.text())
    }),
    kind("field not as wide as its type", E0404, |o, at| {
        let field = field(o, at).filter(|field| field.width > 1)?;
        o.replace(at, Field { width: field.width - 1, ..field }.text())
    }),
    kind("field leaves the word", E0402, |o, at| {
        let field = field(o, at)?;
        o.replace(at, Field { lsb: 128, ..field }.text())
    }),
    kind("field without bits", E0403, |o, at| {
        let field = field(o, at)?;
        o.replace(at, Field { width: 0, ..field }.text())
    }),
    kind("huge lowest bit", E0110, |o, at| {
        let text = field(o, at)?.text();
        o.replace(at, text.replacen('<', "<99999999999999999999999", 1))
    }),
    kind("huge hexadecimal width", E0110, |o, at| {
        let text = field(o, at)?.text();
        o.replace(at, text.replacen(", ", ", 0xfffffffffffffffffff", 1))
    }),
    kind("lowest bit beyond 32 bits", E0402, |o, at| {
        let text = field(o, at)?.text();
        let lsb = text.split_once('<')?.1.split_once(',')?.0;
        o.replace(at, text.replacen(lsb, "18446744073709551615", 1))
    }),
    kind("field without semicolon", E0102, |o, at| {
        o.replace(at, field(o, at)?.text().trim_end_matches(';'))
    }),
    kind("field without closing angle", E0101, |o, at| {
        o.replace(at, field(o, at)?.text().replace('>', ""))
    }),
    kind("field without type", E0101, |o, at| {
        let field = field(o, at)?;
        o.replace(at, Field { ty: "", ..field }.text())
    }),
    kind("misspelt field keyword", E0105, |o, at| {
        o.replace(at, field(o, at)?.text().replacen("field", "feild", 1))
    }),
    kind("field declared twice", E0407, |o, at| {
        let field = field(o, at).filter(|field| field.width < 3)?;
        o.insert(at, Field { lsb: 126, ..field }.text())
    }),
    kind("field declared again, alike", W0408, |o, at| {
        let line =
            o.at(at, LineKind::Encoding).filter(|_| o.header(at).starts_with("__DefOpcode"))?;
        o.insert(at, "    field<15,1> PModi pg.not=False;").filter(|_| line.contains("stype"))
    }),
    kind("field declared again, unlike", E0409, |o, at| {
        let line =
            o.at(at, LineKind::Encoding).filter(|_| o.header(at).starts_with("__DefOpcode"))?;
        o.insert(at, "    field<15,1> PModi pg.not=True;").filter(|_| line.contains("stype"))
    }),
    kind("attribute of a missing operand", E0410, |o, at| {
        o.insert(at, "    field<126, 1> PModi qq.not = False;").filter(|_| field(o, at).is_some())
    }),
    kind("attribute that is a number", E0411, |o, at| {
        let field = field(o, at).filter(|field| field.ty == "Reg")?;
        o.insert(at, format!("    field<126, 1> UImm1 {}.twist = 0;", field.name))
    }),
    kind("control field without default", E0412, |o, at| {
        o.insert(at, "    control<126, 1> UImm1 hint;").filter(|_| field(o, at).is_some())
    }),
    kind("statement in the wrong section", E0112, |o, at| {
        o.insert(at, "    Order<pg>;").filter(|_| field(o, at).is_some())
    }),
    kind("fixed bits of a sibling", E0701, |o, at| {
        let (field, before) = (field(o, at)?, sibling_stype(o, at)?);
        let planted = o.replace(at, Field { binding: before, ..field }.text())?;
        // Two opcodes are involved, so the report is at the name of the later one.
        let is_fixed = field.name == "stype" && o.header(at).starts_with("__DefOpcode");
        Some(planted.reported_at(o.lines[at].header)).filter(|_| is_fixed)
    }),
    // Lists of operands.
    kind("misspelt operand in InList", E0501, |o, at| misspelt_name(o, at, "InList")),
    kind("misspelt operand in OutList", E0501, |o, at| misspelt_name(o, at, "OutList")),
    kind("misspelt operand in Order", E0501, |o, at| misspelt_name(o, at, "Order")),
    kind("misspelt operand of Bitwidth", E0501, |o, at| misspelt_name(o, at, "Bitwidth")),
    kind("misspelt field of AsmFormat", E0209, |o, at| misspelt_name(o, at, "AsmFormat")),
    kind("misspelt field in ModiOrder", E0209, |o, at| misspelt_name(o, at, "ModiOrder")),
    kind("modifier in InList", E0501, |o, at| {
        let statement = statement(o, at, &["InList"])?;
        let mut names = statement.names.clone();
        names.push("stype");
        o.replace(at, statement.with(&names))
    }),
    kind("operand in ModiOrder", E0510, |o, at| {
        let statement = statement(o, at, &["Order"])?;
        o.insert(at, "    ModiOrder<pg>;").filter(|_| statement.names.contains(&"pg"))
    }),
    kind("operand listed twice", E0506, |o, at| {
        let statement = statement(o, at, &["InList", "OutList", "Order"])?;
        let mut names = statement.names.clone();
        names.push(*names.last()?);
        // An indirect operand is two names here.
        o.replace(at, statement.with(&names)).filter(|_| !names.iter().any(|n| n.contains(']')))
    }),
    kind("statement given twice", E0505, |o, at| {
        let line = o.at(at, LineKind::OperandInfo)?;
        o.insert(at, format!("    {line}")).filter(|_| statement(o, at, STATEMENTS).is_some())
    }),
    kind("required operand absent from Order", E0502, |o, at| {
        let statement = statement(o, at, &["Order"])?;
        o.replace(at, statement.without(required(o, at, &statement)?))
    }),
    kind("operand absent from InList", E0503, |o, at| {
        let statement = statement(o, at, &["InList"])?;
        let index = required(o, at, &statement)?;
        // `InList` may be far away or missing; the operand is in `Order`.
        let order = plain_order(o, at)?;
        Some(o.replace(at, statement.without(index))?.reported_at(order))
    }),
    kind("opcode without Order", E0508, |o, at| {
        statement(o, at, &["Order"])?;
        Some(o.replace(at, "")?.reported_at(o.lines[at].header))
    }),
    kind("operand without Bitwidth", W0504, |o, at| {
        let statement = statement(o, at, &["Bitwidth"])?;
        // An operand is one register unless others of its type are several.
        let ty = type_of(o, at, statement.names[0])?;
        let is_several = |at: usize| {
            let other = self::statement(o, at, &["Bitwidth"])?;
            (o.lines[at].text.contains("64") && type_of(o, at, other.names[0])? == ty).then_some(())
        };
        (0..o.lines.len()).filter(|other| *other != at).find_map(is_several)?;
        let order = plain_order(o, at)?;
        let line = if order > at { order - 1 } else { order };
        Some(o.replace(at, "")?.reported_at(line))
    }),
    kind("unknown register prefix", E0507, |o, at| {
        let line = o.at(at, LineKind::OperandInfo).filter(|line| line.contains("R[urb"))?;
        o.replace(at, line.replace("R[", "Q["))
    }),
    kind("register numbered by an immediate", E0507, |o, at| {
        let line = o.at(at, LineKind::OperandInfo).filter(|line| line.contains("R[urb, ridx]"))?;
        o.replace(at, line.replace("R[urb, ridx]", "R[ridx, urb]"))
    }),
    kind("unknown function", E0210, |o, at| change(o, at, "AsmFormat", "Cvt", "Cvd")),
    kind("function with one argument", E0509, |o, at| {
        change(o, at, "AsmFormat", ", ", ",").and_then(|_| {
            o.replace(at, format!("    {});", o.at(at, LineKind::OperandInfo)?.split_once(", ")?.0))
        })
    }),
    kind("misspelt field in a width", E0209, |o, at| change(o, at, "Bitwidth", "==", "q==")),
    kind("misspelt value in a width", E0602, |o, at| change(o, at, "Bitwidth", "==\"", "==\"Q")),
    kind("InList without semicolon", E0102, |o, at| unended(o, at, "InList")),
    kind("OutList without semicolon", E0102, |o, at| unended(o, at, "OutList")),
    kind("Order without semicolon", E0102, |o, at| unended(o, at, "Order")),
    kind("Bitwidth without semicolon", E0102, |o, at| unended(o, at, "Bitwidth")),
    kind("AsmFormat without semicolon", E0102, |o, at| unended(o, at, "AsmFormat")),
    kind("ModiOrder without semicolon", E0102, |o, at| unended(o, at, "ModiOrder")),
    kind("InList without closing angle", E0101, |o, at| change(o, at, "InList", ">", "")),
    kind("OutList without closing angle", E0101, |o, at| change(o, at, "OutList", ">", "")),
    kind("Order without closing angle", E0101, |o, at| change(o, at, "Order", ">", "")),
    kind("Bitwidth without closing angle", E0101, |o, at| change(o, at, "Bitwidth", ">", "")),
    kind("AsmFormat without closing parenthesis", E0101, |o, at| {
        change(o, at, "AsmFormat", ")", "")
    }),
    kind("list with two commas", E0101, |o, at| change(o, at, "InList", ", ", ",, ")),
    kind("misspelt InList", W0111, |o, at| change(o, at, "InList", "InList", "InLst")),
    kind("misspelt OutList", W0111, |o, at| change(o, at, "OutList", "OutList", "Outlist")),
    kind("misspelt Order", W0111, |o, at| change(o, at, "Order", "Order", "Oder")),
    kind("misspelt Bitwidth", W0111, |o, at| change(o, at, "Bitwidth", "Bitwidth", "BitWith")),
    kind("misspelt AsmFormat", W0111, |o, at| change(o, at, "AsmFormat", "AsmFormat", "AsmFromat")),
    // Rules.
    kind("misspelt field in a rule", E0209, |o, at| rule(o, at, "==", "q==")),
    kind("misspelt value in a rule", E0602, |o, at| rule(o, at, "==\"", "==\"Q")),
    kind("rule without semicolon", E0102, |o, at| rule(o, at, ";", "")),
    kind("rule without closing angle", E0101, |o, at| rule(o, at, "\"> ", "\" ")),
    kind("misspelt rule keyword", E0105, |o, at| rule(o, at, "EncodingError", "EncodingEror")),
    kind("message that does not end", E0101, |o, at| rule(o, at, "\"> ", "> ")),
    kind("value that does not end", E0101, |o, at| condition(o, at, "width == \"64")),
    kind("deep parentheses", E0109, |o, at| {
        condition(o, at, &format!("{}1{}", "(".repeat(5000), ")".repeat(5000)))
    }),
    kind("too many operators", E0109, |o, at| {
        condition(o, at, &format!("1{}", " + 1".repeat(5000)))
    }),
    kind("parenthesis that does not close", E0101, |o, at| rule(o, at, "= ", "= (")),
    kind("parenthesis too many", E0101, |o, at| rule(o, at, ";", ");")),
    kind("unknown operator", E0101, |o, at| condition(o, at, "1 => 0")),
    kind("missing operand of an operator", E0101, |o, at| condition(o, at, "1 and")),
    kind("huge number in a rule", E0110, |o, at| condition(o, at, "1 == 99999999999999999999999")),
    kind("division by zero", E0603, |o, at| condition(o, at, "1 / 0 == 1")),
    kind("text where a condition is needed", E0601, |o, at| condition(o, at, "\"64\"")),
    kind("texts added", E0601, |o, at| condition(o, at, "\"64\" + 1")),
    kind("rule that never holds", W0604, |o, at| condition(o, at, "1 == 2")),
    kind("rule that always holds", E0605, |o, at| condition(o, at, "1 == 1")),
    // Definitions.
    kind("misspelt parent of an opcode", E0203, |o, at| parent(o, at, "__DefOpcode", None)),
    kind("misspelt parent of an optype", E0203, |o, at| parent(o, at, "__DefOptype", None)),
    kind("misspelt parent of a group", E0203, |o, at| parent(o, at, "__DefGroup", None)),
    kind("opcode below an opcode", E0204, |o, at| {
        parent(o, at, "__DefOpcode", Some(name(o.header(at))?))
    }),
    kind("optype below an optype", E0204, |o, at| {
        parent(o, at, "__DefOptype", Some(name(o.header(at))?))
    }),
    kind("group that inherits from itself", E0205, |o, at| {
        parent(o, at, "__DefGroup", Some(name(o.header(at))?))
    }),
    kind("opcode defined twice", E0201, |o, at| defined_twice(o, at, "__DefOpcode")),
    kind("optype defined twice", E0201, |o, at| defined_twice(o, at, "__DefOptype")),
    kind("type defined twice", E0201, |o, at| defined_twice(o, at, "__DefBitFieldType")),
    kind("second instruction set", E0207, |o, at| {
        // The second definition is the later definition in the order of files.
        let is_second = o.lines[..at].iter().any(|line| line.text.starts_with("__DefIsa"));
        o.insert(at, "__DefIsa OTHER<128>").filter(|_| is_second && ends(o, at))
    }),
    kind("misspelt definition keyword", E0103, |o, at| header(o, at, "__Def", "DefOp", "DefPo")),
    kind("misspelt type keyword", E0103, |o, at| header(o, at, "__Def", "FieldType", "FeildType")),
    kind("misspelt definition prefix", E0103, |o, at| header(o, at, "__DefOp", "__Def", "__Dfe")),
    kind("header without closing bracket", E0108, |o, at| header(o, at, "__DefOpcode", "]", "")),
    kind("header without colon", E0108, |o, at| header(o, at, "__DefOptype", ":", "")),
    kind("header without name", E0108, |o, at| {
        let line = o.at(at, LineKind::Header).filter(|line| line.starts_with("__DefOpcode"))?;
        o.replace(at, line.replacen(name(line)?, "", 1))
    }),
    kind("type header without closing angle", E0108, |o, at| {
        header(o, at, "__DefBitFieldType", ">", "")
    }),
    kind("huge width of a type", E0110, |o, at| {
        header(o, at, "__DefBitFieldType", "<", "<99999999999999999999999")
    }),
    kind("type without bits", E0305, |o, at| {
        o.insert(at, "__DefBitFieldType Nothing<0>\n    A;").filter(|_| ends(o, at))
    })
    // The new type is not used.
    .also(&[W0211]),
    kind("misspelt section", E0104, |o, at| {
        let heading = o.at(at, LineKind::Heading)?;
        o.replace(at, format!("  {}", misspelt(heading)))
    }),
    kind("section given twice", W0113, |o, at| {
        field(o, at)?;
        o.insert(at, "  __Encoding")
    }),
    kind("fence that does not close", E0106, |o, at| {
        let line = o.at(at, LineKind::Fenced).filter(|line| line.starts_with("```"))?;
        let opening = (0..at).rev().find(|index| o.lines[*index].place == LineKind::Fence)?;
        Some(o.replace(at, "")?.reported_at(opening)).filter(|_| line == "```")
    }),
    kind("text before the first definition", E0107, |o, at| {
        let planted = o.replace(at, format!("A text.\n{}", o.lines[at].text))?;
        Some(planted).filter(|_| at == 0)
    }),
    kind("optype without opcodes", W0212, |o, at| {
        o.insert(at, "__DefOptype LONELY : [ALL]").filter(|_| ends(o, at))
    }),
    kind("type that nothing uses", W0211, |o, at| {
        o.insert(at, "__DefImmediate Useless<3>\n    Number = unsigned;").filter(|_| ends(o, at))
    }),
    kind("register file that nothing uses", W0213, |o, at| {
        o.insert(at, "__DefRegFile USELESS<32, 4>").filter(|_| ends(o, at))
    }),
    kind("type without values", E0307, |o, at| {
        o.insert(at, "__DefBitFieldType Hollow<3>").filter(|_| ends(o, at))
    })
    // The new type is not used.
    .also(&[W0211]),
    // Types.
    kind("value named twice", E0304, |o, at| o.insert(at, format!("    {}", enumerator(o, at)?))),
    kind("value used twice", W0303, |o, at| {
        let first = o
            .definition(at)
            .find(|(_, line)| line.place == LineKind::Body && !line.text.is_empty())?;
        enumerator(o, at)?;
        let is_zero = !first.1.text.contains('=') || first.1.text.contains("0x0");
        o.insert(at, "    ANOTHER = 0;").filter(|_| is_zero && takes_another(o, at))
    }),
    kind("too many values", E0301, |o, at| {
        let width: u32 = o.header(at).split_once('<')?.1.split_once('>')?.0.parse().ok()?;
        let values = o.definition(at).filter(|(index, _)| enumerator(o, *index).is_some()).count();
        o.insert(at, "    ANOTHER;").filter(|_| takes_another(o, at) && values == 1 << width)
    }),
    kind("value too large", E0302, |o, at| {
        o.insert(at, "    ANOTHER = 4711;").filter(|_| takes_another(o, at))
    }),
    kind("value too large among others", E0302, |o, at| {
        let name = enumerator(o, at)?.trim_end_matches(';').split('=').next()?.trim();
        o.replace(at, format!("    {name} = 4711;"))
    }),
    kind("huge value", E0110, |o, at| {
        o.insert(at, "    ANOTHER = 0xfffffffffffffffffff;").filter(|_| takes_another(o, at))
    }),
    kind("value without semicolon", E0102, |o, at| {
        o.replace(at, enumerator(o, at)?.trim_end_matches(';'))
    }),
    kind("value with a sign", E0101, |o, at| {
        o.insert(at, "    ANOTHER = -1;").filter(|_| takes_another(o, at))
    }),
    // The base file.
    kind("misspelt register file", E0208, |o, at| body(o, at, ": GPR", ": GRP")),
    kind("run beyond its register file", E0306, |o, at| body(o, at, "..254]", "..255]")),
    kind("value with two meanings", E0309, |o, at| body(o, at, "= 255 : GPR", "= 254 : GPR")),
    kind("number format wider than its type", E0308, |o, at| {
        body(o, at, "Number = float<8, 23>", "Number = float<8, 24>")
    }),
    kind("misspelt number format", E0101, |o, at| body(o, at, "= unsigned", "= unsinged")),
    kind("misspelt statement of an immediate", E0105, |o, at| body(o, at, "Number", "Numbr")),
    kind("misspelt way to print", E0307, |o, at| body(o, at, "= HEX", "= HX")),
    kind("parts overlap", E0310, |o, at| body(o, at, "<17, 5>", "<16, 5>")),
    kind("format names no part", E0310, |o, at| body(o, at, "{bank}", "{bnak}")),
    kind("statement of a type without semicolon", E0102, |o, at| {
        let line =
            o.at(at, LineKind::Body).filter(|line| line.contains(" = ") && line.ends_with(';'))?;
        o.replace(at, line.trim_end_matches(';'))
            .filter(|_| !o.header(at).starts_with("__DefBitFieldType"))
    }),
    kind("instruction of seven bits", E0305, |o, at| header(o, at, "__DefIsa", "<128>", "<7>"))
        // Every field is beyond the seventh bit then.
        .also(&[E0402]),
];

const STATEMENTS: &[&str] = &["InList", "OutList", "Order", "Bitwidth", "AsmFormat", "ModiOrder"];

/// An undefined name that is close to a possibly defined name.
fn misspelt(name: &str) -> String {
    format!("{name}q")
}

/// The field of a line, except those that an opcode redeclares: a defect there makes the two
/// differ, which is another defect.
fn field<'t>(o: &Outline<'t>, at: usize) -> Option<Field<'t>> {
    let field = Field::of(o.at(at, LineKind::Encoding)?)?;
    let again = field.name.starts_with("pg") && ["IALU", "R2UR"].contains(&name(o.header(at))?);
    Some(field).filter(|_| !again)
}

fn is_default_name(binding: &str) -> bool {
    let value = binding.strip_prefix('=').filter(|value| !value.starts_with('='));
    value.is_some_and(|value| value.trim().starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// The binding of `stype` in the opcode before this one, if it has the same optype.
fn sibling_stype<'t>(o: &Outline<'t>, at: usize) -> Option<&'t str> {
    let parent = o.header(at).split_once('[')?.1;
    let before = (0..o.lines[at].header).rev().find_map(|line| {
        let field = field(o, line).filter(|field| field.name == "stype")?;
        Some((line, field.binding))
    });
    before.filter(|(line, _)| o.header(*line).ends_with(parent)).map(|(_, binding)| binding)
}

fn statement<'t>(o: &Outline<'t>, at: usize, words: &[&str]) -> Option<Statement<'t>> {
    Statement::of(o.at(at, LineKind::OperandInfo)?, words)
}

fn misspelt_name(o: &Outline<'_>, at: usize, word: &str) -> Option<Planted> {
    let statement = statement(o, at, &[word])?;
    let last = statement.names.len().checked_sub(1)?;
    let plain = !statement.names[last].contains([']', '[']);
    o.replace(at, statement.renamed(last, &misspelt(statement.names[last]))).filter(|_| plain)
}

/// The index of a name in a list that is an operand in a register without default.
fn required(o: &Outline<'_>, at: usize, statement: &Statement<'_>) -> Option<usize> {
    let fields = o.fields(at);
    let field = fields.iter().map(|(_, field)| field).find(|field| {
        field.ty.ends_with("Reg")
            && field.binding.is_empty()
            && statement.names.contains(&field.name)
    });
    field.and_then(|field| statement.names.iter().position(|name| *name == field.name))
}

/// The type of a field in the same definition.
fn type_of<'t>(o: &Outline<'t>, at: usize, name: &str) -> Option<&'t str> {
    o.fields(at).into_iter().find(|(_, field)| field.name == name).map(|(_, field)| field.ty)
}

/// The line of `Order` in the same definition, if it does not contain an indirect operand: the
/// register inside one need neither be listed nor have a width.
fn plain_order(o: &Outline<'_>, at: usize) -> Option<usize> {
    let (index, line) = o.definition(at).find(|(_, line)| line.text.starts_with("Order<"))?;
    Some(index).filter(|_| !line.text.contains('['))
}

/// A change in a statement of `__OperandInfo` that contains `from`.
fn change(o: &Outline<'_>, at: usize, word: &str, from: &str, to: &str) -> Option<Planted> {
    statement(o, at, &[word])?;
    let line = o.at(at, LineKind::OperandInfo).filter(|line| line.contains(from))?;
    o.replace(at, format!("    {}", line.replacen(from, to, 1)))
}

fn unended(o: &Outline<'_>, at: usize, word: &str) -> Option<Planted> {
    change(o, at, word, ";", "")
}

/// A change in a rule that contains `from`.
fn rule(o: &Outline<'_>, at: usize, from: &str, to: &str) -> Option<Planted> {
    let line =
        o.at(at, LineKind::Exception).filter(|line| line.contains(from) && line.ends_with(';'))?;
    o.replace(at, format!("    {}", line.replacen(from, to, 1)))
}

/// A rule with another condition.
fn condition(o: &Outline<'_>, at: usize, condition: &str) -> Option<Planted> {
    let line = o.at(at, LineKind::Exception)?;
    let (before, _) = line.split_once("> = ")?;
    o.replace(at, format!("    {before}> = {condition};"))
}

/// The name that a header defines.
fn name(header: &str) -> Option<&str> {
    let rest = header.split_once(' ')?.1;
    rest.split([' ', '<', ':']).find(|word| !word.is_empty())
}

fn parent(o: &Outline<'_>, at: usize, keyword: &str, parent: Option<&str>) -> Option<Planted> {
    let line = o.at(at, LineKind::Header).filter(|line| line.starts_with(keyword))?;
    let (before, rest) = line.split_once('[')?;
    let given = rest.split_once(']')?.0;
    let parent = parent.map_or_else(|| misspelt(given), str::to_string);
    o.replace(at, format!("{before}[{parent}]")).filter(|_| !given.is_empty())
}

fn header(o: &Outline<'_>, at: usize, keyword: &str, from: &str, to: &str) -> Option<Planted> {
    let line = o
        .at(at, LineKind::Header)
        .filter(|line| line.starts_with(keyword) && line.contains(from))?;
    o.replace(at, line.replacen(from, to, 1))
}

/// Repeats the whole definition after itself, except a definition that causes a warning itself.
fn defined_twice(o: &Outline<'_>, at: usize, keyword: &str) -> Option<Planted> {
    let header = o.at(at, LineKind::Header).filter(|line| line.starts_with(keyword))?;
    let lines: Vec<&str> = o.definition(at).map(|(_, line)| line.text).collect();
    o.insert(at + lines.len() - 1, lines.join("\n")).filter(|_| name(header) != Some("R2UR"))
}

/// Whether a line is the last of a definition that another one follows.
fn ends(o: &Outline<'_>, at: usize) -> bool {
    o.lines.get(at + 1).is_some_and(|next| next.place == LineKind::Header)
        && o.lines[at].place != LineKind::Top
}

fn enumerator<'t>(o: &Outline<'t>, at: usize) -> Option<&'t str> {
    let line =
        o.at(at, LineKind::Body).filter(|line| line.ends_with(';') && !line.starts_with("//"))?;
    Some(line).filter(|_| o.header(at).starts_with("__DefBitFieldType") && !line.contains(':'))
}

/// Whether a line is the last value of a type that may have another one: `CvtINegX` needs a
/// type of two values.
fn takes_another(o: &Outline<'_>, at: usize) -> bool {
    let values = o.definition(at).filter(|(index, _)| enumerator(o, *index).is_some());
    values.last().is_some_and(|(index, _)| index == at) && name(o.header(at)) != Some("IExt")
}

/// A change in the body of a type.
fn body(o: &Outline<'_>, at: usize, from: &str, to: &str) -> Option<Planted> {
    let line = o.at(at, LineKind::Body).filter(|line| line.contains(from))?;
    o.replace(at, format!("    {}", line.replacen(from, to, 1)))
}
