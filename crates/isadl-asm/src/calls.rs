//! Calls of macros, and values of `%expression` in their arguments.

use isadl::diagnostic::Code;

use crate::assembler::Assembler;
use crate::body::Argument;
use crate::expand::Statement;
use crate::expr::Malformed;
use crate::macros::Macro;
use crate::text::{Text, parts};

impl Assembler<'_, '_> {
    /// Reads the body of a macro next.
    pub(crate) fn call(&mut self, called: &Macro, statement: &Statement, place: (usize, usize)) {
        let text = statement.as_str();
        let is_evaluated = self.expander.is_alternate && text.contains('%');
        // What an expression is may change from call to call.
        if place.0 == 0 && !is_evaluated {
            self.begin_recording(text);
        }
        let values = self.expander.arguments(called, statement, place);
        let entered = values.and_then(|mut values| {
            if is_evaluated {
                self.evaluate_arguments(statement, place.1, &mut values);
            }
            self.expander.enter(called, values, statement.loc(place.0, text.len()), statement)
        });
        self.checked(entered);
    }

    /// `.with_base number(base), macro, rest`: calls a macro with what is before the last parentheses of an operand, what is in
    /// them, and the rest.
    pub(crate) fn with_base(&mut self, statement: &Statement, start: usize) {
        let text = statement.as_str();
        let loc = statement.loc(start, text.len());
        let given = parts(&text[start..]);
        let [(at, place), (_, called), rest @ ..] = given.as_slice() else {
            return self.error(Code::E1102, loc, "expected an operand and a macro");
        };
        let inner = place.strip_suffix(')').and_then(|own| own.rsplit_once('('));
        let Some((number, base)) = inner else {
            let loc = statement.loc(start + at, start + at + place.len());
            return self.error(
                Code::E1102,
                loc,
                format!("expected `number(base)`, found `{place}`"),
            );
        };
        let number = if number.trim().is_empty() { "0" } else { number };
        let mut made = Text::made(loc.site.unwrap_or(loc.span));
        made.begin(loc.span);
        made.put(&format!("{called} {number}, {base}"), None);
        for (_, part) in rest {
            made.put(&format!(", {part}"), None);
        }
        let end = made.text.len();
        self.rest(&Statement { text: made.into(), start: 0, end }, 0);
    }

    /// Replaces arguments that begin with `%` by the values of their expressions; errors are reported.
    fn evaluate_arguments(
        &mut self,
        statement: &Statement,
        operands: usize,
        values: &mut [Argument],
    ) {
        for value in values.iter_mut().filter(|value| value.text.starts_with('%')) {
            let (start, end) = (operands + value.place.0 + 1, operands + value.place.1);
            // A default has no place in the statement, and stays as it is written.
            if statement.as_str().get(start..end) != Some(&value.text[1..]) {
                continue;
            }
            let Some((expr, after)) = self.expression(statement, start) else { continue };
            if after < end {
                let message = "expected the end of the argument".to_string();
                self.malformed(statement, after, &Malformed { at: 0, message });
            } else if let Some(number) = self.number_of(&expr, statement.loc(start, end)) {
                value.text = number.to_string();
                value.span = None;
            }
        }
    }
}
