//! Differences of aliases and of compressed encodings.

use isadl_ir::dump;
use isadl_ir::isa::{Alias, Binding, Expr, ExprId, Isa, Move, Moved, Opcode, Short};

use super::kind::Kind;
use super::opcodes::Forms;
use super::places::Key;
use super::syntax::Written;
use super::{Change, Pair, types};
use crate::wording::expressions;

/// An alias in words.
struct Other {
    name: String,
    /// With the names of values.
    text: String,
    /// With their numbers.
    numbers: String,
    is_printed: bool,
    /// The fixed bits, and their values.
    fixed: (u128, u128),
}

impl Other {
    /// Whether it is the same; values may have other names or other numbers.
    fn is_alike(&self, other: &Other) -> bool {
        self.text == other.text || self.numbers == other.numbers
    }

    /// Whether both may be for the same word.
    fn may_meet(&self, other: &Other) -> bool {
        (self.fixed.1 ^ other.fixed.1) & self.fixed.0 & other.fixed.0 == 0
    }
}

/// How values are written.
#[derive(Clone, Copy)]
enum Values {
    Names,
    Numbers,
}

impl Values {
    fn expr(self, isa: &Isa, opcode: &Opcode, expr: &Expr) -> String {
        match self {
            Values::Names => expressions::text(isa, opcode, expr),
            Values::Numbers => dump::expr(isa, expr),
        }
    }

    /// An alias in words: its text, and the instructions that have it.
    fn alias(self, isa: &Isa, opcode: &Opcode, alias: &Alias) -> String {
        let expr = |id: ExprId| self.expr(isa, opcode, isa.expr(id));
        let is_open = |name| {
            let own = opcode.field(name);
            own.is_some_and(|field| !matches!(field.binding, Binding::Fixed(_)))
        };
        let fixed = alias.form.encoded().filter_map(|field| match field.binding {
            Binding::Fixed(raw) if is_open(field.name) => {
                let value = match self {
                    Values::Names => types::named(isa, isa.ty(field.ty), raw),
                    Values::Numbers => raw.to_string(),
                };
                Some(format!("{} == {value}", isa.name_of(field.name)))
            }
            _ => None,
        });
        let equal = alias.equal.iter();
        let equal = equal.map(|(to, of)| format!("{} == {}", isa.name_of(*to), expr(*of)));
        let views = alias.form.composite_operands.iter();
        let views =
            views.filter_map(|of| Some(format!("{} = {}", isa.name_of(of.name), expr(of.value?))));
        let needed = (alias.form.requires != opcode.requires)
            .then(|| format!("with {}", isa.extensions().condition(&alias.form.requires)));
        let conditions = fixed.chain(equal).chain(alias.condition.map(expr));
        let conditions: Vec<String> = conditions.chain(views).chain(needed).collect();
        let read = if alias.is_printed { "" } else { ", only read" };
        let text = Written::new(isa, &alias.form).alias(Written::new(isa, opcode));
        format!("`{text}` for {}{read}", conditions.join(", "))
    }
}

fn aliases(isa: &Isa, opcode: &Opcode, renamed: &dyn Fn(&str) -> String) -> Vec<Other> {
    let other = |alias: &Alias| Other {
        name: alias.form.name.clone(),
        text: renamed(&Values::Names.alias(isa, opcode, alias)),
        numbers: renamed(&Values::Numbers.alias(isa, opcode, alias)),
        is_printed: alias.is_printed,
        fixed: (alias.form.mask, alias.form.value),
    };
    opcode.aliases.iter().map(other).collect()
}

/// The long encoding of an opcode, in words.
fn short(isa: &Isa, opcode: &Opcode) -> String {
    let Some(short) = opcode.shorter() else { return "of none".to_string() };
    let moves: Vec<String> = short.moves.iter().map(|one| moved(isa, one)).collect();
    let needed = match needs_more(opcode, short) {
        true => format!(", with {}", isa.extensions().condition(&short.requires)),
        false => String::new(),
    };
    format!("of `{}` where {}{needed}", short.of, moves.join(", "))
}

fn needs_more(opcode: &Opcode, short: &Short) -> bool {
    !short.requires.is_always() && short.requires != opcode.requires
}

fn moved(isa: &Isa, one: &Move) -> String {
    let to = isa.name_of(one.to);
    match &one.is {
        Moved::Bits(bits) => format!("{to} is {bits}"),
        Moved::Line { from, is_signed, factor, offset } => {
            let sign = if *is_signed { ", signed," } else { "" };
            format!("{to} is {}{sign} * {factor} + {offset}", isa.name_of(*from))
        }
        Moved::Listed { from, pairs } => {
            let from = isa.name_of(*from);
            let pairs = pairs.iter().map(|(is, bits)| format!("{bits} where {from} is {is}"));
            format!("{to} is {}", pairs.collect::<Vec<_>>().join(" and "))
        }
    }
}

impl Pair<'_> {
    pub(super) fn aliases(&mut self, forms: &Forms<'_>) {
        let mut olds = aliases(self.old, forms.was, &|text| forms.renamed(text));
        let mut news = aliases(self.new, forms.is, &str::to_string);
        self.order(forms, [&olds, &news]);
        self.paired(forms, (&mut olds, &mut news), |old, new| old.name == new.name);
        self.paired(forms, (&mut olds, &mut news), Other::is_alike);
        let opcode = [forms.is.name.as_str()];
        for alias in olds {
            let place = (self.places.0.get(&Key::Layer(alias.name.clone()), None), None);
            let change = Change(alias.text, String::new());
            let item = format!("alias `{}`", alias.name);
            self.add(Kind::AliasRemoved, item, change, place, &opcode);
        }
        for alias in news {
            let place = (None, self.places.1.get(&Key::Layer(alias.name.clone()), None));
            let change = Change(String::new(), alias.text);
            let item = format!("alias `{}`", alias.name);
            self.add(Kind::AliasAdded, item, change, place, &opcode);
        }
        let (was, is) = (forms.renamed(&short(self.old, forms.was)), short(self.new, forms.is));
        if was != is {
            let item = format!("opcode `{}`", forms.is.name);
            self.add(Kind::Short, item, Change(was, is), forms.place(self), &opcode);
        }
    }

    /// Takes the pairs that belong together out of the lists, and reports how they differ.
    fn paired(
        &mut self,
        forms: &Forms<'_>,
        (olds, news): (&mut Vec<Other>, &mut Vec<Other>),
        belong: impl Fn(&Other, &Other) -> bool,
    ) {
        let opcode = [forms.is.name.as_str()];
        let mut left = Vec::new();
        for old in std::mem::take(olds) {
            let Some(at) = news.iter().position(|new| belong(&old, new)) else {
                left.push(old);
                continue;
            };
            let new = news.remove(at);
            let place = self.at(&Key::Layer(old.name.clone()), &Key::Layer(new.name.clone()));
            let item = format!("alias `{}`", old.name);
            if old.name != new.name {
                let change = Change(format!("`{}`", old.name), format!("`{}`", new.name));
                self.add(Kind::AliasRenamed, item.clone(), change, place.clone(), &opcode);
            }
            if !old.is_alike(&new) {
                let change = Change(old.text, new.text);
                self.add(Kind::AliasChanged, item, change, place, &opcode);
            }
        }
        *olds = left;
    }

    /// Reports that two aliases for the same instructions changed their order. The first alias that fits is printed.
    fn order(&mut self, forms: &Forms<'_>, lists: [&[Other]; 2]) {
        let [olds, news] = lists.map(|list| list.iter().filter(|one| one.is_printed));
        let (olds, news): (Vec<&Other>, Vec<&Other>) = (olds.collect(), news.collect());
        let place = |name: &str| news.iter().position(|one| one.name == name);
        for (at, first) in olds.iter().enumerate() {
            for second in olds[at + 1..].iter().filter(|second| first.may_meet(second)) {
                let is_swapped = matches!(
                    (place(&first.name), place(&second.name)),
                    (Some(first), Some(second)) if second < first
                );
                if is_swapped {
                    let item = format!("aliases of `{}`", forms.is.name);
                    let say = |[a, b]: [&Other; 2]| format!("`{}` before `{}`", a.name, b.name);
                    let change = Change(say([first, second]), say([second, first]));
                    let opcode = [forms.is.name.as_str()];
                    self.add(Kind::AliasOrder, item, change, forms.place(self), &opcode);
                }
            }
        }
    }
}
