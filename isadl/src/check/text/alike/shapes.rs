//! The texts of operands made of fields, word by word. That two such operands have no text in common is seen without listing
//! their texts, which are very many.

use std::collections::HashSet;
use std::rc::Rc;

use crate::check::text::readback::values_of;
use crate::isa::{Composite, CompositeSegment, Entry, Enumerator, Isa, Type, TypeKind};

/// The characters between words. No word contains any of them.
pub(super) const SIGNS: &str = " ,[](){}!";

/// Limit on the ways to write an operand, each with other optional pieces.
const MAX_VARIANTS: usize = 64;

/// Limit on the texts of a word that are all listed.
const MAX_WORDS: u128 = 1 << 13;

/// How an operand may be written.
#[derive(Debug)]
pub(super) struct Shape {
    variants: Vec<Vec<Token>>,
    /// Whether words are only read from words in any spelling: no sign is part of a word.
    reads_words: bool,
}

#[derive(Debug, Clone)]
enum Token {
    Sign(char),
    Word(Rc<Words>),
}

/// The words that are possible in a place.
#[derive(Debug)]
struct Words {
    /// All of them; `None` if they are too many.
    texts: Option<HashSet<String>>,
    leads: HashSet<String>,
}

impl Words {
    fn may_meet(&self, other: &Words) -> bool {
        match (&self.texts, &other.texts) {
            (Some(own), Some(others)) => !own.is_disjoint(others),
            _ => !self.leads.is_disjoint(&other.leads),
        }
    }
}

impl Token {
    fn may_meet(&self, other: &Token) -> bool {
        match (self, other) {
            (Token::Sign(own), Token::Sign(other)) => own == other,
            (Token::Word(own), Token::Word(other)) => own.may_meet(other),
            _ => false,
        }
    }
}

impl Shape {
    /// How the values of a composite are written; `None` if it does not consist of words with signs between them.
    pub(super) fn of(isa: &Isa, composite: &Composite) -> Option<Shape> {
        let words: Option<Vec<Rc<Words>>> =
            composite.parts.iter().map(|part| words(isa, isa.ty(part.ty)).map(Rc::new)).collect();
        let words = words?;
        let mut variants = vec![Vec::new()];
        let is_split = extend(isa, &mut variants, &composite.format, &words);
        let mut parts = composite.parts.iter().map(|part| isa.ty(part.ty));
        is_split.then(|| Shape { variants, reads_words: parts.all(reads_words) })
    }

    /// How operands are written whose texts are all known; `None` if too many have signs in them.
    pub(super) fn of_texts<'t>(texts: impl Iterator<Item = &'t str>) -> Option<Shape> {
        let (mut words, mut leads, mut variants) = (HashSet::new(), HashSet::new(), Vec::new());
        for text in texts.filter(|text| !text.is_empty()) {
            if !text.contains(|c| SIGNS.contains(c)) {
                leads.insert(lead(text));
                words.insert(text.to_string());
            } else if variants.len() < MAX_VARIANTS {
                variants.push(tokens(text));
            } else {
                return None;
            }
        }
        if !words.is_empty() {
            variants.push(vec![Token::Word(Rc::new(Words { texts: Some(words), leads }))]);
        }
        Some(Shape { variants, reads_words: false })
    }

    /// Whether it can be read from a text of the other. Where only words are read from words, each sign of the text,
    /// except spaces, must be a sign of its syntax.
    pub(super) fn may_read(&self, other: &Shape) -> bool {
        let signs = |variant: &[Token]| -> String {
            let sign = |token: &Token| match token {
                Token::Sign(sign) => Some(*sign).filter(|sign| *sign != ' '),
                Token::Word(_) => None,
            };
            variant.iter().filter_map(sign).collect()
        };
        let mut others = other.variants.iter();
        !self.reads_words
            || others.any(|other| self.variants.iter().any(|own| signs(own) == signs(other)))
    }

    /// Whether a text can belong to both.
    pub(super) fn may_meet(&self, other: &Shape) -> bool {
        self.variants.iter().any(|own| {
            other.variants.iter().any(|other| {
                own.len() == other.len() && own.iter().zip(other).all(|(a, b)| a.may_meet(b))
            })
        })
    }
}

/// Whether a type is read from words alone: of names, and of numbers without named relocations.
fn reads_words(ty: &Type) -> bool {
    let is_word = |text: &str| !text.contains(|c| SIGNS.contains(c));
    let is_plain = match &ty.kind {
        TypeKind::BitField(values) => {
            let texts = |value: &Enumerator| {
                let mut also = value.also.iter();
                is_word(&value.spelling) && also.all(|text| is_word(text))
            };
            values.iter().all(texts)
        }
        TypeKind::Operand(entries) => {
            let texts = |entry: &Entry| {
                let also = entry.also.iter().map(|other| other.at(0));
                also.chain([entry.text_at(0)]).collect::<Vec<_>>()
            };
            entries.iter().flat_map(texts).all(|text| is_word(&text))
        }
        TypeKind::Immediate(immediate) => {
            // One with a name is written in brackets, or with signs of its own.
            let mut relocations = immediate.relocations.iter();
            immediate.number.lanes == 1 && relocations.all(|one| one.name.is_none())
        }
        TypeKind::Composite(_) => false,
    };
    is_plain && ty.otherwise.is_none()
}

/// Adds pieces to each variant. `false` if words touch, or the variants are too many.
fn extend(
    isa: &Isa,
    variants: &mut Vec<Vec<Token>>,
    pieces: &[CompositeSegment],
    words: &[Rc<Words>],
) -> bool {
    for piece in pieces {
        match piece {
            CompositeSegment::Text(text) => {
                let tokens = tokens(&isa.folded(text));
                if !tokens.iter().all(|token| push(variants, token)) {
                    return false;
                }
            }
            CompositeSegment::Part(part) | CompositeSegment::Next(part, _) => {
                if !push(variants, &Token::Word(Rc::clone(&words[*part]))) {
                    return false;
                }
            }
            CompositeSegment::Optional { pieces, .. }
            | CompositeSegment::Otherwise { pieces, .. } => {
                let mut with = variants.clone();
                if !extend(isa, &mut with, pieces, words) {
                    return false;
                }
                variants.extend(with);
            }
        }
        if variants.len() > MAX_VARIANTS {
            return false;
        }
    }
    true
}

/// The words of a text and the signs between them.
fn tokens(text: &str) -> Vec<Token> {
    let (mut tokens, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| SIGNS.contains(c)).unwrap_or(rest.len());
        let (token, len) = match end {
            0 => (Token::Sign(first), first.len_utf8()),
            end => (Token::Word(Rc::new(one_word(&rest[..end]))), end),
        };
        tokens.push(token);
        rest = &rest[len..];
    }
    tokens
}

/// `false` if a word follows a word.
fn push(variants: &mut [Vec<Token>], token: &Token) -> bool {
    variants.iter_mut().all(|variant| {
        let is_word = |token: &Token| matches!(token, Token::Word(_));
        let touches = variant.last().is_some_and(is_word) && is_word(token);
        variant.push(token.clone());
        !touches
    })
}

fn one_word(text: &str) -> Words {
    Words { texts: Some([text.to_string()].into()), leads: [lead(text)].into() }
}

/// The words that are values of a type; `None` if a word is empty or contains a sign.
fn words(isa: &Isa, ty: &Type) -> Option<Words> {
    if matches!(ty.kind, TypeKind::Composite(_)) {
        return None;
    }
    let is_complete = legal_count(ty) <= MAX_WORDS;
    let values = if is_complete { legal_values(ty) } else { values_of(isa, ty) };
    let texts = values.into_iter().map(|raw| isa.folded(&isa.value_text(ty, raw)).into_owned());
    let texts: HashSet<String> = texts.collect();
    if texts.iter().any(|text| text.is_empty() || text.contains(|c| SIGNS.contains(c))) {
        return None;
    }
    let mut leads: HashSet<String> = texts.iter().map(|text| lead(text)).collect();
    // A number that no sample has may be negative.
    if !is_complete && leads.contains("0") {
        leads.insert("-0".to_string());
    }
    Some(Words { texts: is_complete.then_some(texts), leads })
}

/// The beginning of a text: its marks, and the character after them. All digits count as the same character.
pub(super) fn lead(text: &str) -> String {
    let end = text.find(|c| !"-!~|".contains(c)).unwrap_or(text.len());
    let next = text[end..].chars().next().map(|c| if c.is_ascii_digit() { '0' } else { c });
    text[..end].chars().chain(next).collect()
}

/// How many legal values a type has.
pub(super) fn legal_count(ty: &Type) -> u128 {
    let reserved_values: u128 =
        ty.reserved_values().iter().map(|(first, end)| end - u128::from(*first)).sum();
    (1 << ty.width) - reserved_values
}

pub(super) fn legal_values(ty: &Type) -> Vec<u64> {
    let mut values = Vec::new();
    let mut next = 0;
    for (first, end) in ty.reserved_values() {
        values.extend(next..first);
        next = end as u64;
    }
    // INVARIANT: a type whose values are listed is narrow.
    values.extend(next..1 << ty.width);
    values
}
