//! Calls of macros, and values of `%expression` in their arguments.

use crate::assembler::Assembler;
use crate::body::Argument;
use crate::expand::Statement;
use crate::expr::Malformed;
use crate::macros::Macro;

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
