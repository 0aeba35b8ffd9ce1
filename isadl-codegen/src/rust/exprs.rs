//! Expressions of widths as Rust expressions over a word.
//!
//! Conditions become `bool`, integers `i128` with the same wrapping as the interpreter's.

use isadl::ast::{BinaryOp, UnaryOp};
use isadl::isa::{Expr, NameId, Reading};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::plan::{Computed, Plan};

/// The value as an `i128`, with the word in `word`.
pub(super) fn value(plan: &Plan<'_>, computed: &Computed) -> TokenStream {
    int_of(plan.isa.expr(computed.expr), &computed.places)
}

type Places = [(NameId, u32, u32)];

fn bool_of(expr: &Expr, places: &Places) -> TokenStream {
    match expr {
        Expr::Unary(UnaryOp::Not, operand) => {
            let operand = bool_of(operand, places);
            quote!(!(#operand))
        }
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), ..) => {
            let mut operands = Vec::new();
            chain(expr, *op, places, &mut operands);
            if *op == BinaryOp::And { quote!(#(#operands)&&*) } else { quote!(#(#operands)||*) }
        }
        Expr::Binary(op, left, right) => match comparison(*op) {
            Some(sign) => comparison_of(&sign, left, right, places),
            None => nonzero(expr, places),
        },
        _ => nonzero(expr, places),
    }
}

/// The operands of a chain of one operator; what binds otherwise gets parentheses.
fn chain(expr: &Expr, op: BinaryOp, places: &Places, into: &mut Vec<TokenStream>) {
    match expr {
        Expr::Binary(found, left, right) if *found == op => {
            chain(left, op, places, into);
            chain(right, op, places, into);
        }
        Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
            let inner = bool_of(expr, places);
            into.push(quote!((#inner)));
        }
        _ => into.push(bool_of(expr, places)),
    }
}

fn nonzero(expr: &Expr, places: &Places) -> TokenStream {
    if let Expr::Int(value) = expr {
        let holds = *value != 0;
        return quote!(#holds);
    }
    let value = int_of(expr, places);
    quote!(#value != 0)
}

/// A comparison; of an unsigned field with a number that is one, or with another such field, without
/// widening to 128 bits.
fn comparison_of(sign: &TokenStream, left: &Expr, right: &Expr, places: &Places) -> TokenStream {
    if let (Expr::Field(name, Reading::Unsigned), Expr::Int(value)) = (left, right)
        && let Ok(value) = u64::try_from(*value)
    {
        let field = raw(*name, places);
        let value = Literal::u64_unsuffixed(value);
        return quote!(#field #sign #value);
    }
    if let (Expr::Field(left, Reading::Unsigned), Expr::Field(right, Reading::Unsigned)) =
        (left, right)
    {
        let (left, right) = (raw(*left, places), raw(*right, places));
        return quote!(#left #sign #right);
    }
    let (left, right) = (int_of(left, places), int_of(right, places));
    quote!(#left #sign #right)
}

fn comparison(op: BinaryOp) -> Option<TokenStream> {
    Some(match op {
        BinaryOp::Eq => quote!(==),
        BinaryOp::Ne => quote!(!=),
        BinaryOp::Lt => quote!(<),
        BinaryOp::Le => quote!(<=),
        BinaryOp::Gt => quote!(>),
        BinaryOp::Ge => quote!(>=),
        _ => return None,
    })
}

/// The bits of a field; a field that the opcode lacks is 0, which no checked rule has.
fn raw(name: NameId, places: &Places) -> TokenStream {
    match places.iter().find(|(other, _, _)| *other == name) {
        Some((_, lsb, width)) => {
            let (lsb, width) = (Literal::u32_unsuffixed(*lsb), Literal::u32_unsuffixed(*width));
            quote!(extract(word, #lsb, #width))
        }
        None => quote!(0),
    }
}

/// An integer, in a form that a method can be called on.
fn int_of(expr: &Expr, places: &Places) -> TokenStream {
    match expr {
        Expr::Int(value) => {
            let literal = Literal::i128_suffixed(*value);
            if *value < 0 { quote!((#literal)) } else { quote!(#literal) }
        }
        Expr::Field(name, Reading::Unsigned) => {
            let raw = raw(*name, places);
            quote!((#raw as i128))
        }
        Expr::Field(name, Reading::Signed) => {
            let raw = raw(*name, places);
            let width = places
                .iter()
                .find(|(other, _, _)| other == name)
                .map_or(64, |(_, _, width)| *width);
            let width = Literal::u32_unsuffixed(width);
            quote!((sign_extend(#raw, #width) as i128))
        }
        Expr::Unary(UnaryOp::Neg, operand) => {
            let operand = int_of(operand, places);
            quote!(#operand.wrapping_neg())
        }
        Expr::Unary(UnaryOp::Not, _) => as_int(expr, places),
        Expr::Binary(op, left, right) => binary(expr, *op, left, right, places),
    }
}

fn as_int(expr: &Expr, places: &Places) -> TokenStream {
    let condition = bool_of(expr, places);
    quote!(((#condition) as i128))
}

fn binary(expr: &Expr, op: BinaryOp, left: &Expr, right: &Expr, places: &Places) -> TokenStream {
    let method = match op {
        BinaryOp::Add => quote!(wrapping_add),
        BinaryOp::Sub => quote!(wrapping_sub),
        BinaryOp::Mul => quote!(wrapping_mul),
        BinaryOp::BitOr | BinaryOp::BitAnd => {
            let (left, right) = (int_of(left, places), int_of(right, places));
            return if op == BinaryOp::BitOr {
                quote!((#left | #right))
            } else {
                quote!((#left & #right))
            };
        }
        BinaryOp::Div | BinaryOp::Shl | BinaryOp::Shr => {
            let (left, right) = (int_of(left, places), int_of(right, places));
            return match op {
                BinaryOp::Div => quote!(divide(#left, #right)),
                BinaryOp::Shl => quote!(shift_left(#left, #right)),
                _ => quote!(shift_right(#left, #right)),
            };
        }
        _ => return as_int(expr, places),
    };
    let (left, right) = (int_of(left, places), int_of(right, places));
    quote!(#left.#method(#right))
}

/// Functions that expressions may call, for `support.rs`; only those that some expression does.
pub(super) fn helpers(plan: &Plan<'_>) -> TokenStream {
    let mut used = [false; 3];
    for computed in &plan.widths {
        find_helpers(plan.isa.expr(computed.expr), &mut used);
    }
    let [division, left, right] = used;
    let division = division.then(|| {
        quote! {
            /// Division where nothing divided by 0 is 0.
            const fn divide(a: i128, b: i128) -> i128 {
                if b == 0 { 0 } else { a.wrapping_div(b) }
            }
        }
    });
    let left = left.then(|| {
        quote! {
            /// Shift where a distance below 0 or above 127 gives 0.
            const fn shift_left(a: i128, b: i128) -> i128 {
                if b < 0 || b > 127 { 0 } else { a << b }
            }
        }
    });
    let right = right.then(|| {
        quote! {
            /// Shift where a distance below 0 or above 127 gives 0.
            const fn shift_right(a: i128, b: i128) -> i128 {
                if b < 0 || b > 127 { 0 } else { a >> b }
            }
        }
    });
    quote!(#division #left #right)
}

fn find_helpers(expr: &Expr, used: &mut [bool; 3]) {
    match expr {
        Expr::Int(_) | Expr::Field(..) => {}
        Expr::Unary(_, operand) => find_helpers(operand, used),
        Expr::Binary(op, left, right) => {
            match op {
                BinaryOp::Div => used[0] = true,
                BinaryOp::Shl => used[1] = true,
                BinaryOp::Shr => used[2] = true,
                _ => {}
            }
            find_helpers(left, used);
            find_helpers(right, used);
        }
    }
}
