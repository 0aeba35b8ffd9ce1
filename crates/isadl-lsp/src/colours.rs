//! Semantic tokens: the kind of each word.

use std::collections::HashMap;

use isadl::parse::{GrammarSegment, TokenKind};
use lsp_types as lsp;

use crate::index::Index;
use crate::symbols::{Lookup, Space};
use crate::text::Text;

/// The kinds of tokens, by their numbers in the protocol.
pub(crate) const LEGEND: [lsp::SemanticTokenType; 10] = [
    lsp::SemanticTokenType::KEYWORD,
    lsp::SemanticTokenType::TYPE,
    lsp::SemanticTokenType::PROPERTY,
    lsp::SemanticTokenType::ENUM_MEMBER,
    lsp::SemanticTokenType::CLASS,
    lsp::SemanticTokenType::NUMBER,
    lsp::SemanticTokenType::STRING,
    lsp::SemanticTokenType::FUNCTION,
    lsp::SemanticTokenType::MACRO,
    lsp::SemanticTokenType::VARIABLE,
];

const KEYWORD: u32 = 0;
const TYPE: u32 = 1;
const PROPERTY: u32 = 2;
const ENUM_MEMBER: u32 = 3;
const CLASS: u32 = 4;
const NUMBER: u32 = 5;
const STRING: u32 = 6;
const FUNCTION: u32 = 7;
/// A generation or extension.
const MACRO: u32 = 8;
/// Words that only the statement around them knows, and names that are not defined.
const VARIABLE: u32 = 9;

fn of_space(space: Space) -> u32 {
    match space {
        Space::Isa | Space::Layer => CLASS,
        Space::Type | Space::RegFile => TYPE,
        Space::Field => PROPERTY,
        Space::Value => ENUM_MEMBER,
        Space::Condition => MACRO,
    }
}

/// The tokens of a file, each relative to the previous token.
pub(crate) fn tokens(index: &Index, file: usize) -> Vec<lsp::SemanticToken> {
    let of = &index.files[file];
    let mut kinds: HashMap<usize, u32> = HashMap::new();
    for used in &of.symbols.uses {
        let kind = match used.lookup {
            Lookup::Type | Lookup::RegFile => TYPE,
            Lookup::Layer => CLASS,
            Lookup::Condition => MACRO,
            _ => index
                .resolve(file, used)
                .first()
                .map_or(VARIABLE, |id| of_space(index.def(*id).space)),
        };
        kinds.insert(used.span.start, kind);
    }
    for def in &of.symbols.defs {
        kinds.insert(def.span.start, of_space(def.space));
    }
    let mut places: Vec<(usize, usize, u32)> = Vec::new();
    for piece in &of.symbols.pieces {
        let GrammarSegment::Tokens { tokens, .. } = piece else {
            if let GrammarSegment::Heading(span, _) = piece {
                places.push((span.start as usize, span.end as usize, KEYWORD));
            }
            continue;
        };
        for token in tokens {
            let (start, end) = (token.span.start as usize, token.span.end as usize);
            let kind = match token.kind {
                TokenKind::Keyword => KEYWORD,
                TokenKind::Number => NUMBER,
                TokenKind::Text => STRING,
                TokenKind::Function => FUNCTION,
                TokenKind::Sign => continue,
                TokenKind::Name => {
                    // The two parts of an attribute are tokens of their own.
                    let dot = of.text.text[start..end].find('.').map(|dot| start + dot);
                    if let Some(dot) = dot {
                        places.push((start, dot, kinds.get(&start).copied().unwrap_or(PROPERTY)));
                    }
                    let from = dot.map_or(start, |dot| dot + 1);
                    places.push((from, end, kinds.get(&from).copied().unwrap_or(VARIABLE)));
                    continue;
                }
            };
            places.push((start, end, kind));
        }
    }
    relative(&of.text, &places)
}

fn relative(text: &Text, places: &[(usize, usize, u32)]) -> Vec<lsp::SemanticToken> {
    let mut before = lsp::Position::default();
    let token = |(start, end, kind): &(usize, usize, u32)| {
        let here = text.position(*start);
        let is_same = here.line == before.line;
        let token = lsp::SemanticToken {
            delta_line: here.line - before.line,
            delta_start: if is_same { here.character - before.character } else { here.character },
            length: text.text[*start..*end].encode_utf16().count() as u32,
            token_type: *kind,
            token_modifiers_bitset: 0,
        };
        before = here;
        token
    };
    places.iter().map(token).collect()
}
