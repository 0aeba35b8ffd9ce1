//! Semantic tokens: the kind of each word.

use std::collections::HashMap;

use isadl::parse::{GrammarSegment, TokenKind};
use isadl::semantics::lookup::{Word, WordKind, builtin};
use lsp_types as lsp;

use crate::index::Index;
use crate::lookup::Lookup;
use crate::symbols::{Def, ProgramText, Space};
use crate::text::Text;

/// The kinds of tokens, by their numbers in the protocol.
pub(crate) const LEGEND: [lsp::SemanticTokenType; 11] = [
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
    lsp::SemanticTokenType::PARAMETER,
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
/// A name that a program binds.
const LOCAL: u32 = 10;

fn is_address(name: &str) -> bool {
    builtin(name).is_some_and(|builtin| builtin.signature == name)
}

fn of_def(def: &Def) -> u32 {
    match def.space {
        Space::Isa | Space::Layer | Space::Environment => CLASS,
        Space::Type | Space::RegFile => TYPE,
        Space::Field => PROPERTY,
        Space::Value => ENUM_MEMBER,
        Space::Condition => MACRO,
        Space::Declaration if def.keyword == "fn" => FUNCTION,
        Space::Declaration => PROPERTY,
        Space::Local => LOCAL,
    }
}

/// The tokens of a file, each relative to the previous token.
pub(crate) fn tokens(index: &Index, file: usize) -> Vec<lsp::SemanticToken> {
    let of = &index.files[file];
    let mut kinds: HashMap<usize, u32> = HashMap::new();
    for used in of.symbols.uses.iter().filter(|used| index.is_used(file, used)) {
        let kind = match used.lookup {
            Lookup::Type | Lookup::RegFile => TYPE,
            Lookup::Layer => CLASS,
            Lookup::Condition => MACRO,
            Lookup::Function => FUNCTION,
            // The language has a word for an address.
            Lookup::Value(_) if is_address(&used.name) => KEYWORD,
            _ => index.resolve(file, used).first().map_or(VARIABLE, |id| of_def(index.def(*id))),
        };
        kinds.insert(used.span.start, kind);
    }
    for (at, def) in of.symbols.defs.iter().enumerate() {
        if index.is_meant((file, at)) {
            kinds.insert(def.span.start, of_def(def));
        }
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
    for (at, program) in of.symbols.programs.iter().enumerate() {
        if index.is_program(file, at) {
            places.extend(program.words.iter().map(|word| coloured(word, program, &kinds)));
        }
    }
    places.sort_unstable();
    relative(&of.text, &places)
}

/// A word of a program. If all names are known, what is none of them is a keyword.
fn coloured(
    word: &Word,
    program: &ProgramText,
    kinds: &HashMap<usize, u32>,
) -> (usize, usize, u32) {
    let (start, end) = (word.span.start as usize, word.span.end as usize);
    let kind = match word.kind {
        WordKind::Keyword => KEYWORD,
        WordKind::Number => NUMBER,
        WordKind::Text => STRING,
        WordKind::Name => {
            let other = if program.is_broken { VARIABLE } else { KEYWORD };
            kinds.get(&start).copied().unwrap_or(other)
        }
    };
    (start, end, kind)
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
