//! Messages about expressions without a value.

use isadl::diagnostic::{Code, Diagnostic};

use crate::expr::NoValue;
use crate::functions::NoResult;
use crate::symbols::Symbols;
use crate::text::Loc;
use crate::tree::Function;

/// The message about an expression without a value.
pub(crate) fn no_value(error: NoValue, loc: Loc, symbols: &Symbols) -> Diagnostic {
    match error {
        NoValue::DivisionByZero => Diagnostic::new(Code::E1104, "division by zero", loc.span),
        NoValue::Circle(id) | NoValue::First(id) => {
            let message = format!("`{}` is defined by itself", symbols.get(id).name);
            Diagnostic::new(Code::E1103, message, loc.span)
        }
        NoValue::Call(id, why) => no_result(symbols.function(id), why, loc),
        NoValue::NotNumber => {
            let message = "the value of this expression is not known here";
            Diagnostic::new(Code::E1103, message, loc.span).with_help(
                "only the distance between two labels without variable-size instructions in between is known at once",
            )
        }
    }
}

/// A function that gives no value.
fn no_result(function: &Function, why: NoResult, loc: Loc) -> Diagnostic {
    let Function { name, parameters, .. } = function;
    let (code, message) = match why {
        NoResult::Undefined => (Code::E1103, format!("the function `{name}` is not defined")),
        NoResult::Arguments(given) => {
            let message = "wrong number of arguments of the function";
            (Code::E1103, format!("{message} `{name}`: {given} instead of {parameters}"))
        }
        NoResult::Endless => (Code::E1103, format!("the function `{name}` takes too many steps")),
        NoResult::DivisionByZero => {
            (Code::E1104, format!("division by zero in the function `{name}`"))
        }
        NoResult::NotNumber => {
            (Code::E1103, format!("a symbol in the function `{name}` is not a number here"))
        }
    };
    Diagnostic::new(code, message, loc.span)
}
