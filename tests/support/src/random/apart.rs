//! Finds restrictions that separate two opcodes which share a word, by examining every word.

use isadl::isa::{Field, Isa, Meaning, Opcode, OpcodeId, TypeKind};

use crate::oracle::{self, Verdict};

/// The words of an opcode: legal, and outside its special cases.
fn own(isa: &Isa, id: OpcodeId) -> Vec<u128> {
    let is_own = |word: &u128| {
        matches!(oracle::verdict(isa, id, *word), Verdict::Legal { .. })
            && oracle::candidates(isa, *word).contains(&id)
    };
    let opcode = &isa.opcodes()[id.index()];
    (0..1u128 << isa.width())
        .filter(|word| word & opcode.mask == opcode.value)
        .filter(is_own)
        .collect()
}

/// The name of a value after `==`; `None` if it does not have one.
fn name(isa: &Isa, field: &Field, raw: u64) -> Option<String> {
    let ty = &isa.types()[field.ty.index()];
    match &ty.kind {
        TypeKind::BitField(list) => {
            list.iter().find(|value| value.value == raw).map(|value| value.name.clone())
        }
        TypeKind::Operand(list) => {
            let entry = list.iter().find(|e| e.value <= raw && raw - e.value < e.count)?;
            let name = entry.name_at(raw - entry.value);
            let is_first = (0..raw - entry.value).all(|at| entry.name_at(at) != name);
            (entry.meaning != Meaning::Literal && is_first).then_some(name)
        }
        TypeKind::Immediate(immediate) if immediate.computed.is_some() => {
            let value = immediate.value(raw, ty.width);
            let is_lowest =
                (0..raw).all(|low| !ty.is_legal(low) || immediate.value(low, ty.width) != value);
            is_lowest.then(|| value.to_string())
        }
        TypeKind::Immediate(immediate) => {
            let is_signed = ty.reading() == isadl::isa::Reading::Signed;
            let sign = if is_signed { 1i128 << (field.width() - 1) } else { 0 };
            let number = (i128::from(raw) ^ sign) - sign;
            let value = number * i128::from(immediate.scale) + i128::from(immediate.bias);
            Some(value.to_string())
        }
        TypeKind::Composite(_) => Some(raw.to_string()),
    }
}

/// Whether other values of a field are the same number.
fn has_twins(isa: &Isa, field: &Field, raw: u64) -> bool {
    let ty = &isa.types()[field.ty.index()];
    let TypeKind::Immediate(immediate) = &ty.kind else { return false };
    let is_twin = |other: &u64| {
        *other != raw
            && ty.is_legal(*other)
            && immediate.value(*other, ty.width) == immediate.value(raw, ty.width)
    };
    immediate.computed.is_some() && (0..1 << ty.width).any(|other| is_twin(&other))
}

/// A restriction of one opcode: a field, a value, and whether the field has only that value or all others.
struct Restriction<'i> {
    id: OpcodeId,
    field: &'i Field,
    raw: u64,
    is_only: bool,
    is_missing: bool,
}

impl Restriction<'_> {
    fn allows(&self, word: &u128) -> bool {
        (self.field.extract(*word) == self.raw) == self.is_only
    }

    fn text(&self, isa: &Isa) -> Option<String> {
        let value = name(isa, self.field, self.raw)?;
        let (field, opcode) = (isa.name_of(self.field.name), &isa.opcodes()[self.id.index()].name);
        Some(match (self.is_only, self.is_missing) {
            (true, true) => {
                format!("for example, give `{opcode}` the field `{field}` fixed to `{value}`")
            }
            (true, false) => format!("for example, fix `{field}` of `{opcode}` to `{value}`"),
            _ => format!("for example, forbid by a rule that `{field}` of `{opcode}` is `{value}`"),
        })
    }

    /// Whether an opcode with these fixed bits takes precedence over others as before, or takes no words of them.
    fn keeps_special_cases(&self, isa: &Isa, owns: &[Vec<u128>]) -> bool {
        if !self.is_only {
            return true;
        }
        let opcode = &isa.opcodes()[self.id.index()];
        let mask = opcode.mask | self.field.mask();
        let value = opcode.value | self.field.insert(0, self.raw);
        let is_special = |of: &Opcode, general: u128| {
            !of.has_match && of.mask & general == general && of.mask != general
        };
        isa.opcodes().iter().zip(owns).all(|(other, own)| {
            if std::ptr::eq(other, opcode) || (other.value ^ value) & other.mask & mask != 0 {
                return true;
            }
            let narrowed = Opcode { mask, value, ..opcode.clone() };
            if is_special(other, opcode.mask) {
                return is_special(other, mask);
            }
            let becomes = is_special(&narrowed, other.mask) && !is_special(opcode, other.mask);
            !becomes || own.iter().all(|word| word & mask != value)
        })
    }
}

/// Checks a proposal: it separates the two opcodes; if there is none, nothing separates them.
pub fn is_proposal(isa: &Isa, names: [&str; 2], proposal: Option<&str>) -> Result<(), String> {
    let owns: Vec<Vec<u128>> = isa.opcode_ids().map(|id| own(isa, id)).collect();
    let of =
        |name: &str| isa.opcode_ids().filter(|id| isa.opcodes()[id.index()].name == name).collect();
    let (firsts, seconds): (Vec<OpcodeId>, Vec<OpcodeId>) = (of(names[0]), of(names[1]));
    // The forms of an opcode with and without a literal share a finding.
    let ([first], [second]) = (firsts.as_slice(), seconds.as_slice()) else { return Ok(()) };
    let mut found = Vec::new();
    for (id, other) in [(*first, *second), (*second, *first)] {
        let (opcode, rival) = (&isa.opcodes()[id.index()], &isa.opcodes()[other.index()]);
        let stated = opcode.significant | opcode.mask | opcode.ignored | !opcode.width_mask;
        let missing = rival.encoded().filter(|field| {
            field.mask() & !rival.mask == 0
                && field.mask() & stated == 0
                && opcode.fields.iter().all(|own| own.name != field.name)
        });
        let open = opcode.encoded().filter(|field| field.mask() & !opcode.mask != 0);
        let open = open.map(|field| (field, false));
        for (field, is_missing) in open.chain(missing.map(|field| (field, true))) {
            for raw in 0..1u64 << field.width() {
                if !isa.types()[field.ty.index()].is_legal(raw) {
                    continue;
                }
                for is_only in [true, false] {
                    // A rule is about a number in all its encodings.
                    if !is_only && (is_missing || has_twins(isa, field, raw)) {
                        continue;
                    }
                    let restriction = Restriction { id, field, raw, is_only, is_missing };
                    let left: Vec<&u128> =
                        owns[id.index()].iter().filter(|word| restriction.allows(word)).collect();
                    let separates = !left.is_empty()
                        && left.iter().all(|word| owns[other.index()].binary_search(word).is_err())
                        && restriction.keeps_special_cases(isa, &owns);
                    found.extend(restriction.text(isa).filter(|_| separates));
                }
            }
        }
    }
    match proposal {
        None if found.is_empty() => Ok(()),
        None => Err(format!("nothing is proposed for {names:?}, but there is: {}", found[0])),
        Some(text) => {
            // Where the field is, perhaps in pieces, comes between commas; nothing else differs.
            let (start, rest) = text.rsplit_once(", bit").unwrap_or((text, ""));
            let is_place = |c: char| c.is_ascii_digit() || matches!(c, 's' | ' ' | ',' | ':');
            let rest = rest.trim_start_matches(is_place);
            let text = format!("{start} {rest}");
            let is_it = |wanted: &String| *wanted == text;
            match found.iter().any(is_it) {
                true => Ok(()),
                false => Err(format!("{text}: this does not separate {names:?}")),
            }
        }
    }
}
