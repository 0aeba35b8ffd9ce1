//! The edition in `spec/simt` compared with the source files: to the compiler they are the same except
//! for the rows of the table `Deviations in the model` in `spec/simt/README.md`.
//!
//! Both instruction sets are turned into facts: a named item, an aspect and its value as text. A fact
//! that differs must have a row with both values; a row without a difference fails as well.

mod rows;

use std::collections::{BTreeMap, BTreeSet};

use isadl::ast::{BinaryOp, OperandStatementKind, UnaryOp};
use isadl::diagnostic::Diagnostics;
use isadl::isa::{
    Access, Binding, Composite, Expr, Field, FieldRole, FlowPlace, GroupId, Isa, Meaning, Opcode,
    Operand, OperandLocation, Reading, RegFileId, Rule, Type, TypeKind,
};
use isadl::model::LayerKind;
use isadl::source::SourceMap;
use isadl::{parse, resolve};
use isadl_test_support::{root, seed_texts, source_map};
use rows::{Row, rows, squeeze};

/// The facts on a named item: aspects with their values, in order.
type Aspects = Vec<(String, String)>;

/// The named items of an instruction set, by kind and name.
type Facts = BTreeMap<(&'static str, String), Aspects>;

/// The aspect for which an item may have several values.
const RULE: &str = "rule";

/// A fact that differs.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Difference {
    name: String,
    aspect: String,
    source: String,
    ours: String,
}

// ---- facts --------------------------------------------------------------------------------

/// The groups that the README says are of the edition alone.
fn own_groups() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("spec/simt/README.md")).expect("readable");
    let mut lines = text.lines();
    let line = lines.find(|line| line.starts_with("Groups of the edition alone")).expect("a line");
    line.split('`').skip(1).step_by(2).map(str::to_string).collect()
}

fn facts(sources: &SourceMap) -> Facts {
    let compilation = isadl::compile(sources);
    let found: Vec<&str> = compilation.diagnostics.iter().map(|d| d.message.as_str()).collect();
    let isa = compilation
        .family
        .map(isadl::isa::Family::into_first)
        .unwrap_or_else(|| panic!("does not compile: {found:#?}"));
    let mut facts = Facts::new();
    let mut add = |kind, name: &str, aspects: Aspects| {
        let before = facts.insert((kind, name.to_string()), aspects);
        assert!(before.is_none(), "two {kind}s are named {name}");
    };
    add(
        "isa",
        isa.name(),
        vec![one("width", isa.width()), one("generations", format!("{:?}", isa.generations()))],
    );
    for file in isa.reg_files() {
        add("register file", &file.name, vec![one("width", file.width), one("count", file.count)]);
    }
    for ty in isa.types() {
        add("type", &ty.name, type_aspects(&isa, ty));
    }
    let own = own_groups();
    for group in isa.groups().iter().filter(|group| !own.contains(&group.name)) {
        add("group", &group.name, vec![one("parents", names(&isa, &group.parents, &own))]);
    }
    for optype in isa.optypes() {
        let opcodes: Vec<&str> =
            optype.opcodes.iter().map(|id| isa.opcode(*id).name.as_str()).collect();
        let aspects = vec![
            one("groups", names(&isa, &optype.groups, &own)),
            one("opcodes", opcodes.join(", ")),
            one("mnemonic", &optype.mnemonic),
        ];
        add("optype", &optype.name, aspects);
    }
    let lists = written_lists(sources);
    for opcode in isa.opcodes() {
        let mut aspects = opcode_aspects(&isa, opcode, &own);
        aspects.extend(lists[&opcode.name].iter().cloned());
        add("opcode", &opcode.name, aspects);
    }
    facts
}

fn one(aspect: impl ToString, value: impl ToString) -> (String, String) {
    (aspect.to_string(), value.to_string())
}

fn type_aspects(isa: &Isa, ty: &Type) -> Aspects {
    let mut aspects = vec![one("width", ty.width)];
    match &ty.kind {
        TypeKind::BitField(values) => {
            for value in values {
                let spelling = if value.spelling == value.name {
                    String::new()
                } else {
                    format!(" as {:?}", value.spelling)
                };
                let format = value.format.map_or(String::new(), |format| format!(" : {format:?}"));
                aspects.push(one(
                    format!("enumerator {}", value.name),
                    format!("{} = {}{spelling}{format}", value.name, value.value),
                ));
            }
        }
        TypeKind::Operand(entries) => {
            aspects.extend(
                entries
                    .iter()
                    .map(|entry| one(format!("entry {}", entry.value), format!("{entry:?}"))),
            );
        }
        TypeKind::Immediate(immediate) => aspects.push(one("number", format!("{immediate:?}"))),
        TypeKind::Composite(composite) => {
            aspects.push(one("parts", composite_text(isa, composite)))
        }
    }
    aspects
}

fn composite_text(isa: &Isa, composite: &Composite) -> String {
    let parts = composite
        .parts
        .iter()
        .map(|part| format!("{} {} at {}; ", isa.ty(part.ty).name, part.name, part.bits.lsb()));
    parts.chain([composite.format_text()]).collect()
}

fn opcode_aspects(isa: &Isa, opcode: &Opcode, own: &[String]) -> Aspects {
    let mut aspects = Aspects::new();
    for field in &opcode.fields {
        let name = isa.name_of(field.name);
        aspects.push(one(format!("field {name}"), field_text(isa, field)));
        aspects.push(one(format!("role of {name}"), role_text(isa, field.role)));
    }
    let order: Vec<String> =
        opcode.operands.iter().map(|operand| place_text(isa, operand.place)).collect();
    aspects.push(one("Order", format!("Order<{}>", order.join(", "))));
    for operand in &opcode.operands {
        let place = place_text(isa, operand.place);
        aspects.push(one(format!("access to {place}"), access_text(operand)));
        if let Some(width) = operand.width {
            let width = expr_text(isa, opcode, isa.expr(width), 0);
            aspects.push(one(format!("Bitwidth {place}"), format!("Bitwidth<{place}> = {width}")));
        }
    }
    for item in &opcode.flow {
        let (FlowPlace::Field(name), Some(condition)) = (item.place, item.condition) else {
            continue;
        };
        let statement = if item.access == Access::Write { "Writes" } else { "Reads" };
        let condition = expr_text(isa, opcode, isa.expr(condition), 0);
        let name = isa.name_of(name);
        let text = format!("{statement}<{name} if {condition}>");
        aspects.push(one(format!("{statement} {name}"), text));
    }
    for operand in opcode.syntax.guard.iter().chain(&opcode.syntax.operands) {
        for mark in &operand.marks {
            let Some(ext) = mark.extension else { continue };
            let field = isa.name_of(mark.field);
            let function = format!("AsmFormat<{field}> = CvtINegX({field}, {})", isa.name_of(ext));
            aspects.push(one(format!("AsmFormat {field}"), function));
        }
        let Some(format) = operand.format else { continue };
        let field = place_text(isa, operand.place(opcode));
        let function = format!("AsmFormat<{field}> = CvtFImm({field}, {})", isa.name_of(format));
        aspects.push(one(format!("AsmFormat {field}"), function));
    }
    let mut ranked: Vec<_> =
        opcode.syntax.modifiers.iter().filter(|modifier| modifier.rank.is_some()).collect();
    ranked.sort_by_key(|modifier| modifier.rank);
    let modifiers: Vec<&str> = ranked.iter().map(|modifier| isa.name_of(modifier.field)).collect();
    aspects.push(one("ModiOrder", format!("ModiOrder<{}>", modifiers.join(", "))));
    aspects.extend(opcode.rules.iter().map(|id| one(RULE, rule_text(isa, opcode, isa.rule(*id)))));
    let optypes: Vec<&str> =
        opcode.optypes.iter().map(|id| isa.optypes()[id.index()].name.as_str()).collect();
    aspects.push(one("optypes", optypes.join(", ")));
    aspects.push(one("groups", names(isa, &opcode.groups, own)));
    aspects
}

/// The names of groups, except groups that exist only in the edition.
fn names(isa: &Isa, groups: &[GroupId], own: &[String]) -> String {
    let all = groups.iter().map(|id| isa.groups()[id.index()].name.clone());
    all.filter(|name| !own.contains(name)).collect::<Vec<_>>().join(", ")
}

fn field_text(isa: &Isa, field: &Field) -> String {
    let ty = isa.ty(field.ty);
    let binding = match field.binding {
        Binding::Required => String::new(),
        Binding::Default(raw) => format!(" = {}", value_text(ty, raw)),
        Binding::Fixed(raw) => format!(" == {}", value_text(ty, raw)),
    };
    format!("<{}, {}> {} {}{binding}", field.lsb(), field.width(), ty.name, isa.name_of(field.name))
}

fn role_text(isa: &Isa, role: FieldRole) -> String {
    match role {
        FieldRole::Operand => "operand".to_string(),
        FieldRole::Attribute { of } => format!("attribute of {}", isa.name_of(of)),
        FieldRole::Part { of } => format!("part of {}", isa.name_of(of)),
        FieldRole::Modifier => "modifier".to_string(),
        FieldRole::Mnemonic => "part of the mnemonic".to_string(),
        FieldRole::Control => "control".to_string(),
    }
}

/// A value as a specification writes it.
fn value_text(ty: &Type, raw: u64) -> String {
    match &ty.kind {
        TypeKind::BitField(values) => {
            values.iter().find(|value| value.value == raw).map(|value| value.name.clone())
        }
        TypeKind::Operand(entries) => {
            entries.iter().find_map(|entry| Some(entry.name_at(entry.position(raw)?)))
        }
        TypeKind::Immediate(_) | TypeKind::Composite(_) if ty.reading() == Reading::Signed => {
            let unused = 64 - ty.width;
            Some(((raw << unused) as i64 >> unused).to_string())
        }
        TypeKind::Immediate(_) | TypeKind::Composite(_) => Some(raw.to_string()),
    }
    .unwrap_or_else(|| panic!("{raw} is no value of {}", ty.name))
}

fn place_text(isa: &Isa, place: OperandLocation) -> String {
    match place {
        OperandLocation::Field(name) => isa.name_of(name).to_string(),
        OperandLocation::File(file) => isa.reg_files()[file.index()].name.clone(),
        OperandLocation::Indirect { file, base, offset } => {
            let offset =
                offset.map_or(String::new(), |offset| format!(", {}", isa.name_of(offset)));
            format!("{}[{}{offset}]", prefix(isa, file), isa.name_of(base))
        }
    }
}

/// The text before the numbers of a file's registers.
fn prefix(isa: &Isa, wanted: RegFileId) -> &str {
    let kinds = isa.types().iter().map(|ty| &ty.kind);
    let entries = kinds.filter_map(|kind| match kind {
        TypeKind::Operand(entries) => Some(entries),
        _ => None,
    });
    let prefix = entries.flatten().find_map(|entry| match &entry.meaning {
        Meaning::Registers { file, prefix, .. } if *file == wanted => Some(prefix.as_str()),
        _ => None,
    });
    prefix.expect("an operand type names the registers")
}

fn access_text(operand: &Operand) -> &'static str {
    match operand.access {
        Access::None => "none",
        Access::Read => "read",
        Access::Write => "written",
        Access::ReadWrite => "read and written",
    }
}

fn rule_text(isa: &Isa, opcode: &Opcode, rule: &Rule) -> String {
    let condition = expr_text(isa, opcode, isa.expr(rule.condition), 0);
    format!("EncodingError<{}, {:?}> = {condition}", rule.kind, rule.message)
}

/// An expression with as few parentheses as possible; values of fields by name. `binding` is how
/// strongly the operator around it binds.
fn expr_text(isa: &Isa, opcode: &Opcode, expr: &Expr, binding: u32) -> String {
    let (text, own) = match expr {
        Expr::Int(value) => (value.to_string(), u32::MAX),
        Expr::Field(name, _) => (isa.name_of(*name).to_string(), u32::MAX),
        Expr::Unary(UnaryOp::Not, operand) => {
            (format!("not {}", expr_text(isa, opcode, operand, 3)), 3)
        }
        Expr::Unary(op, operand) => {
            (format!("{}{}", op.symbol(), expr_text(isa, opcode, operand, 11)), 11)
        }
        Expr::Extensions(presence) => (isa.extensions().condition(presence), 0),
        Expr::Call(function, arguments) => {
            let arguments: Vec<String> =
                arguments.iter().map(|one| expr_text(isa, opcode, one, 0)).collect();
            (format!("{}({})", function.name(), arguments.join(", ")), u32::MAX)
        }
        Expr::Binary(op, left, right) => {
            let own = strength(*op);
            let right = match named_value(isa, opcode, *op, left, right) {
                Some(name) => format!("{name:?}"),
                None => expr_text(isa, opcode, right, own + 1),
            };
            (format!("{} {} {right}", expr_text(isa, opcode, left, own), op.symbol()), own)
        }
    };
    if own < binding { format!("({text})") } else { text }
}

/// The name of the value that a field is compared with.
fn named_value(
    isa: &Isa,
    opcode: &Opcode,
    op: BinaryOp,
    left: &Expr,
    right: &Expr,
) -> Option<String> {
    let (BinaryOp::Eq | BinaryOp::Ne, Expr::Field(name, _), Expr::Int(value)) = (op, left, right)
    else {
        return None;
    };
    let ty = isa.ty(opcode.field(*name)?.ty);
    matches!(ty.kind, TypeKind::BitField(_) | TypeKind::Operand(_))
        .then(|| value_text(ty, *value as u64))
}

fn strength(op: BinaryOp) -> u32 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
            4
        }
        BinaryOp::BitOr => 5,
        BinaryOp::BitXor => 6,
        BinaryOp::BitAnd => 7,
        BinaryOp::Shl | BinaryOp::Shr => 8,
        BinaryOp::Add | BinaryOp::Sub => 9,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 10,
    }
}

/// `InList` and `OutList` of each opcode as written: the lowered form keeps of them only how the
/// operands in `Order` are accessed.
fn written_lists(sources: &SourceMap) -> BTreeMap<String, Aspects> {
    let mut diagnostics = Diagnostics::default();
    let files = parse::parse(sources, &mut diagnostics);
    let model = resolve::resolve(sources, &files, &mut diagnostics);
    let opcodes = model.layers.iter().filter(|layer| layer.kind == LayerKind::Opcode);
    let lists = opcodes.map(|opcode| {
        let written = |word: &'static str| {
            let layers = opcode.chain.iter().rev();
            let mut statements = layers.flat_map(|id| &model.layer(*id).ast.operand_info);
            let list = statements.find_map(|statement| match &statement.kind {
                OperandStatementKind::InList(list) if word == "InList" => Some(list),
                OperandStatementKind::OutList(list) if word == "OutList" => Some(list),
                _ => None,
            })?;
            let operands = list.iter().map(|operand| sources.text(operand.span()));
            let operands: Vec<&str> = operands.collect();
            Some(one(word, squeeze(&format!("{word}<{}>", operands.join(", ")))))
        };
        let aspects = ["InList", "OutList"].into_iter().filter_map(written).collect();
        (opcode.name.text.to_string(), aspects)
    });
    lists.collect()
}

// ---- comparison ---------------------------------------------------------------------------

fn compare(source: &Facts, ours: &Facts) -> Vec<Difference> {
    let mut differences = Vec::new();
    for key in source.keys().chain(ours.keys()).collect::<BTreeSet<_>>() {
        let (kind, name) = key;
        let presence =
            |aspects: Option<&Aspects>| if aspects.is_some() { "defined" } else { "none" };
        match (source.get(key), ours.get(key)) {
            (Some(source), Some(ours)) => compare_aspects(name, source, ours, &mut differences),
            (source, ours) => {
                differences.push(difference(name, kind, presence(source), presence(ours)))
            }
        }
    }
    differences
}

fn difference(name: &str, aspect: &str, source: &str, ours: &str) -> Difference {
    Difference {
        name: name.to_string(),
        aspect: aspect.to_string(),
        source: source.to_string(),
        ours: ours.to_string(),
    }
}

fn compare_aspects(name: &str, source: &Aspects, ours: &Aspects, into: &mut Vec<Difference>) {
    let only = |these: &Aspects, those: &Aspects| -> Aspects {
        these.iter().filter(|fact| !those.contains(fact)).cloned().collect()
    };
    let (gone, new) = (only(source, ours), only(ours, source));
    for (aspect, value) in &gone {
        let instead = new.iter().find(|(other, _)| other == aspect && aspect != RULE);
        into.push(difference(name, aspect, value, instead.map_or("none", |(_, value)| value)));
    }
    for (aspect, value) in &new {
        if aspect == RULE || gone.iter().all(|(other, _)| other != aspect) {
            into.push(difference(name, aspect, "none", value));
        }
    }
    // The first rule that a word breaks is the one reported, so their order is a fact too.
    let rules = |these: &Aspects, those: &Aspects| -> Vec<String> {
        these
            .iter()
            .filter(|fact| fact.0 == RULE && those.contains(fact))
            .map(|(_, text)| text.clone())
            .collect()
    };
    let (before, after) = (rules(source, ours), rules(ours, source));
    if before != after {
        into.push(difference(name, "order of rules", &before.join("; "), &after.join("; ")));
    }
}

fn edition() -> SourceMap {
    SourceMap::read(&[root().join("spec/simt")]).expect("spec/simt is readable")
}

fn opcode_names(facts: &Facts) -> Vec<&String> {
    facts.keys().filter(|(kind, _)| *kind == "opcode").map(|(_, name)| name).collect()
}

#[test]
fn the_edition_differs_from_the_source_files_as_listed() {
    let Some(texts) = seed_texts() else { return };
    let (source, ours) = (facts(&source_map(&texts)), facts(&edition()));
    assert_eq!(opcode_names(&source), opcode_names(&ours), "opcodes on one side only");
    let readme = std::fs::read_to_string(root().join("spec/simt/README.md"))
        .expect("the README is readable");
    let rows = rows(&readme);
    let found = compare(&source, &ours);
    let (unlisted, unused) = against(&found, &rows);
    assert!(
        unlisted.is_empty() && unused.is_empty(),
        "not in the table: {unlisted:#?}\nrows without a difference: {unused:#?}"
    );
    assert_eq!(
        found.len(),
        rows.iter().map(|row| row.names.len()).sum::<usize>(),
        "two rows for one difference"
    );
}

/// The differences that no row lists, and the rows that list none.
fn against<'d>(found: &'d [Difference], rows: &[Row]) -> (Vec<&'d Difference>, Vec<String>) {
    let is_listed = |found: &&Difference| rows.iter().any(|row| row.accepts(found));
    let unlisted = found.iter().filter(|found| !is_listed(found)).collect();
    let mut unused = Vec::new();
    for row in rows {
        for name in &row.names {
            let is_used = |found: &&Difference| found.name == *name && row.accepts(found);
            let uses = found.iter().filter(is_used).count();
            if uses != 1 {
                unused.push(format!("`{name}` | {} is used {uses} times", row.aspect));
            }
        }
    }
    (unlisted, unused)
}

/// The edition with some of its text replaced.
fn changed(edition: &SourceMap, from: &str, to: &str) -> SourceMap {
    let mut changed = SourceMap::new();
    let mut hits = 0;
    for file in edition.specification().map(|id| edition.file(id)) {
        hits += file.text().matches(from).count();
        // Lists that change without the programs would be errors, and claims need the programs.
        let text = file.text().replacen(from, to, 1).replace("```isa", "```text");
        let text = text.replace("```law", "```text").replace("//=", "//");
        changed.add(file.name(), text.into_bytes());
    }
    assert!(hits > 0, "the edition does not hold {from:?}");
    changed
}

#[test]
fn a_table_lists_every_difference_and_nothing_else() {
    let edition = edition();
    let other = changed(&edition, "    NoSH;", "    NoSH as \"NOSH\";");
    let found = compare(&facts(&edition), &facts(&other));
    let table =
        "## Deviations in the model\n\n| Where | Aspect | Source | Ours | Reason |\n|:--|\n";
    let right =
        "| `FLOSH` | enumerator NoSH | `NoSH = 0 as \"\"` | `NoSH = 0 as \"NOSH\"` | A sample. |\n";
    let wrong = right.replace("NOSH", "NOSY");
    let held = |lines: &str| {
        let (unlisted, unused) = against(&found, &rows(&format!("{table}{lines}")));
        (unlisted.len(), unused.len())
    };
    assert_eq!(held(right), (0, 0), "{found:#?}");
    assert_eq!((held(""), held(&wrong)), ((1, 0), (1, 1)));
}

#[test]
fn fixed_bits_follow_from_the_fields_that_are_compared() {
    for sources in
        [Some(edition()), seed_texts().map(|texts| source_map(&texts))].into_iter().flatten()
    {
        let isa = isadl::compile(&sources).into_isa().expect("no errors");
        for opcode in isa.opcodes() {
            let fixed = opcode.fields.iter().filter_map(|field| match field.binding {
                Binding::Fixed(raw) => Some((field.mask(), field.bits.place(raw))),
                _ => None,
            });
            let (mask, value) = fixed.fold((0, 0), |(mask, value), (m, v)| (mask | m, value | v));
            let covered = opcode.fields.iter().fold(0, |bits, field| bits | field.mask());
            assert_eq!(
                (opcode.mask, opcode.value, opcode.significant),
                (mask, value, covered),
                "{}",
                opcode.name
            );
        }
    }
}

/// Changes of the edition, each with the aspect that must show it.
const CHANGES: [(&str, &str, &str); 15] = [
    ("    NoSH;", "    NoSH as \"NOSH\";", "enumerator NoSH"),
    ("    PAND;", "    PXOR;", "enumerator PXOR"),
    ("IExt     ext    = NoX;", "IExt     ext;", "field ext"),
    (
        "    field<97, 1> SignModi rb.neg = False;",
        "    field<96, 1> SignModi rb.neg = False;",
        "field rb.neg",
    ),
    (
        "    Operands<in pg, out urd : 32, in rb : 32>;",
        "    Operands<in pg, in rb : 32, out urd : 32>;",
        "Order",
    ),
    ("in ra : 32, in vb : 32, in pp>;", "in ra : 32, vb : 32, in pp>;", "InList"),
    ("<in pg, out urd : 32, in rb : 32>", "<in pg, in urd : 32, in rb : 32>", "access to urd"),
    ("in urb : 32", "in urb : 64", "Bitwidth urb"),
    ("= CvtINegX(rb.neg, ext);", "= CvtINegX(rb.neg, ext) ;// \n    ModiOrder<ext>;", "ModiOrder"),
    ("MOV_I does not support .64 .", "MOV_I does not support .64.", "rule"),
    ("= width == \"64\";", "= width == \"32\";", "rule"),
    (
        "__DefOptype R2UR : [IALU]",
        "__DefOptype R2UR : [ALL]\n  __Encoding\n    field<12, 3> Pred pg = PT;",
        "groups",
    ),
    ("R2UR URd, Rb $sched", "R2URX URd, Rb $sched", "mnemonic"),
    ("SType stype == R;", "SType stype == X;", "field stype"),
    ("    AsmFormat<vb.neg> = CvtINegX(vb.neg, ext);\n", "", "AsmFormat vb.neg"),
];

#[test]
fn a_change_of_the_edition_is_noticed() {
    let edition = edition();
    let ours = facts(&edition);
    assert_eq!(compare(&ours, &ours), []);
    for (from, to, aspect) in CHANGES {
        let found = compare(&ours, &facts(&changed(&edition, from, to)));
        let aspects: Vec<String> = found.into_iter().map(|found| found.aspect).collect();
        assert!(aspects.iter().any(|other| other == aspect), "{to:?} shows only in {aspects:?}");
    }
}
