//! The claims of examples and laws: `R1 = 2, R2 = 3: R0 = 5`.

use isadl_diagnostics::diagnostic::Diagnostics;

use super::ast::{Claims, Statement};
use super::parse::{Fault, Parsed, Parser};
use super::token::{Line, Token, tokens};

/// Parses claims. `None` if they cannot be read, which is reported with `E1201`.
pub fn parse_claims<'s>(line: Line<'s>, diagnostics: &mut Diagnostics) -> Option<Claims<'s>> {
    let mut found = Diagnostics::default();
    let tokens = tokens(&[line], &mut found);
    if found.has_errors() || tokens.is_empty() {
        diagnostics.extend(found.iter().cloned());
        return None;
    }
    let claims = Parser::new(tokens, &mut found).claims();
    diagnostics.extend(found.iter().cloned());
    match claims {
        Ok(claims) => Some(claims),
        Err(Fault(fault)) => {
            let help = "write what is given, a colon, and what follows: `R1 = 2, R2 = 3: R0 = 5`";
            diagnostics.push(fault.with_help(help));
            None
        }
    }
}

impl<'s> Parser<'s, '_> {
    /// `given: claims`, or only claims.
    fn claims(&mut self) -> Parsed<Claims<'s>> {
        let first = self.claim_list()?;
        let (given, claims) = match self.accept(":") {
            true => (first, self.claim_list()?),
            false => (Vec::new(), first),
        };
        match self.next() {
            Token::End => Ok(Claims { given, claims }),
            _ => Err(self.fault("expected `,` or the end of the line")),
        }
    }

    fn claim_list(&mut self) -> Parsed<Vec<Statement<'s>>> {
        let mut found = vec![self.statement()?];
        while self.accept(",") {
            found.push(self.statement()?);
        }
        Ok(found)
    }
}
