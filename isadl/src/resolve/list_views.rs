//! Lists of pieces in operands made of fields: `{[ | ]{?a({a})}{?b({b})}none}`. Codes: E0519.
//!
//! A list becomes optional pieces: the separator before a piece is left out where all pieces before it are.

use super::Resolver;
use super::types::format::ListShape;
use super::views::{Maker, Roles};
use crate::isa::CompositeSegment;

impl<'a> Resolver<'a, '_> {
    /// The pieces of a list.
    pub(super) fn list_pieces(
        &mut self,
        maker: &mut Maker<'_, 'a>,
        roles: &Roles,
        list: &ListShape<'a>,
    ) -> Option<Vec<CompositeSegment>> {
        let separator = || CompositeSegment::Text(list.separator.clone());
        let (mut pieces, mut all) = (Vec::new(), Vec::new());
        let mut before: Vec<(usize, u64)> = Vec::new();
        for item in &list.items {
            let made = self.view_pieces(maker, roles, std::slice::from_ref(item))?;
            let Ok([CompositeSegment::Optional { pieces: inner, absent }]) =
                <[CompositeSegment; 1]>::try_from(made)
            else {
                let message = "a piece of a list has only fixed fields".to_string();
                self.wrong_view(list.span, message, |d| {
                    d.with_note("each piece of a list may be left out")
                });
                return None;
            };
            let mut with = Vec::new();
            if !before.is_empty() {
                all.push(separator());
                let absent = before.clone();
                with.push(CompositeSegment::Optional { pieces: vec![separator()], absent });
            }
            all.extend(inner.iter().cloned());
            with.extend(inner);
            before.extend(&absent);
            pieces.push(CompositeSegment::Optional { pieces: with, absent });
        }
        let otherwise = match list.otherwise.is_empty() {
            true => all,
            false => vec![CompositeSegment::Text(list.otherwise.clone())],
        };
        pieces.push(CompositeSegment::Otherwise { pieces: otherwise, absent: before });
        Some(pieces)
    }
}
