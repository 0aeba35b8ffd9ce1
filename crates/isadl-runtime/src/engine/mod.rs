//! An instruction set at run time: words are decoded and printed, lines assembled, by the same engine as
//! in generated crates.
//!
//! ```
//! use isadl::engine::Loaded;
//!
//! # let mut sources = isadl::source::SourceMap::new();
//! # sources.add("tiny.isa", b"
//! # __DefIsa TINY<8>
//! # __DefImmediate Code<4>
//! #     Number = unsigned;
//! # __DefGroup ALL : []
//! # __DefOptype SKIP : [ALL]
//! # __DefOpcode SKIP_X : [SKIP]
//! #   __Encoding
//! #     field<0, 4> Code code == 7;
//! #     field<4, 4> Code count;
//! #   __OperandInfo
//! #     Order<count>;
//! # ".to_vec());
//! let isa = isadl::compile(&sources).into_isa().expect("no errors");
//! let loaded = Loaded::new(isa);
//! let engine = loaded.engine();
//! let inst = engine.decode(0x27)?;
//! assert_eq!(engine.text(inst), "SKIP 2");
//! assert_eq!(engine.assemble("SKIP 2").expect("an instruction"), inst);
//! assert!(engine.decode(0x28).is_err());
//! # Ok::<(), isadl::engine::DecodeError>(())
//! ```

mod addresses;
mod diagnose;
mod lengths;
mod loaded;
mod named;
mod operand_reader;
mod operands;
mod options;
mod relaxation;
mod stream;
mod targets;
mod written;

use isadl_engine::control;
use isadl_engine::decode::{self, Refusal, RowId};
use isadl_engine::encode;
use isadl_engine::flow;
use isadl_engine::image::{Image, slice};
use isadl_engine::image_text::Alias;
use isadl_engine::parse::{candidates, parse, parse_as, parse_within};
use isadl_engine::parse_error::ParseError;
use isadl_engine::parse_line::OperandText;
use isadl_engine::print::{self, print_plain};
use isadl_engine::set::known;
use isadl_engine::short::{lengthen, shorten};
use isadl_engine::target::Target;
use isadl_engine::tokens;

pub use crate::isa::{DecodeError, Effect, EncodeError, FlowControl, Inst, Resource, Use};
pub use addresses::{RelocateError, Relocation};
pub use diagnose::AsmError;
pub use isadl_engine::format::{Case, Commas, Radix, SymbolStyle, TextFormat};
pub use isadl_engine::names::Names;
pub use isadl_engine::number::{FloatError, parse_float};
pub use isadl_engine::tokens::TokenKind;
pub use named::{Assembled, Fixup};
pub use relaxation::{NotRelaxable, Relaxations};

pub use lengths::Lengths;
pub use loaded::{Loaded, Tables};
pub use operand_reader::OperandReader;
pub use operands::{Operand, Part, Value};
pub use options::{TextOf, TextOptions};
pub use stream::Stream;
pub use targets::TargetAddress;

use crate::explain::{Explanation, Found};
use crate::hex::{self, HexError, append_bytes};
use crate::isa::{
    ExtensionSet, Isa, Mnemonic, ModifierStyle, NameId, Opcode, OpcodeId, RegFileId, RuleId,
    RuleScope, SpecialId,
};
use crate::prove::set_of;

/// Limit on opcodes and aliases of a mnemonic that are all tried for a line among many.
const MAX_CANDIDATES: usize = 128;

/// Operand places that lines have room for without an allocation.
const PIECES: usize = 32;

/// Modifiers that lines have room for without an allocation.
const WORDS: usize = 32;

/// Decodes, prints, assembles and encodes the instructions of one instruction set.
#[derive(Debug, Clone)]
pub struct Engine<'l> {
    isa: &'l Isa,
    tables: &'l Tables,
    image: Image<'l>,
    target: Target,
}

impl<'l> Engine<'l> {
    /// Works by these tables, which are those of the instruction set, for its first generation and default extensions.
    pub fn new(isa: &'l Isa, tables: &'l Tables) -> Engine<'l> {
        let target = Target::new(0, isa.extensions().default);
        Engine { isa, tables, image: tables.image.view(), target }
    }

    /// Returns the engine for implementations with a set of extensions, instead of the default set.
    pub fn with_extensions(mut self, set: ExtensionSet) -> Engine<'l> {
        self.target.set = set;
        self
    }

    /// Returns the engine of an implementation that has the opcode of an instruction. For an instruction from the
    /// prover, it uses the extensions that the prover recorded.
    pub fn having(&self, inst: Inst) -> Engine<'l> {
        let extensions = self.isa.extensions();
        let found = set_of(inst.word, extensions.all());
        let opcode = self.isa.opcode(inst.opcode);
        let is_found = found != 0 && opcode.requires.holds(found) && extensions.allows(found);
        if is_found {
            let engine = self.clone().with_extensions(found);
            if engine.decode(inst.word).is_ok_and(|known| known.opcode == inst.opcode) {
                return engine;
            }
        }
        self.clone().with_extensions(self.isa.set_for(inst))
    }

    /// The extensions of its target.
    pub fn extensions(&self) -> ExtensionSet {
        self.target.set
    }

    /// The instruction set.
    pub fn isa(&self) -> &'l Isa {
        self.isa
    }

    /// The bytes of an instruction in memory; zeros after them.
    pub fn bytes(&self, inst: Inst) -> [u8; 16] {
        self.isa.word_layout().to_bytes(inst.word)
    }

    /// The opcode whose fixed bits a word has.
    pub fn find(&self, word: u128) -> Option<OpcodeId> {
        decode::find(&self.image, self.target, word).map(|row| self.opcode(row))
    }

    /// Decodes a word: the bits at the start of a stream, as many as the widest instruction has.
    ///
    /// Narrower instructions are in its lowest bits, or in its highest where the first unit is the highest. Bits beyond
    /// the instruction and bits that no field covers are ignored.
    pub fn decode(&self, word: u128) -> Result<Inst, DecodeError> {
        match decode::decode(&self.image, self.target, word) {
            Some((row, word)) => Ok(Inst { opcode: self.opcode(row), word }),
            None => Err(self.refusal(word)),
        }
    }

    /// Decodes the instruction at the start of `bytes`; also returns its length in bytes.
    pub fn decode_bytes(&self, bytes: &[u8]) -> Result<(Inst, usize), DecodeError> {
        let word = self.isa.word_layout().word(bytes);
        let found = decode::decode(&self.image, self.target, word);
        let needed = match found {
            Some((row, _)) => usize::from(self.image.words.rows[row.get() as usize].width) / 8,
            None => self.length(word).unwrap_or(self.tables.shortest),
        };
        match found {
            _ if needed > bytes.len() => Err(DecodeError::Truncated { needed }),
            Some((row, word)) => Ok((Inst { opcode: self.opcode(row), word }, needed)),
            None => Err(self.refusal(word)),
        }
    }

    /// Reads the word of one instruction from its bytes in hexadecimal, in memory order. Blanks may come between
    /// digits, and `0x` before the two digits of a byte.
    pub fn read_hex(&self, text: &[u8]) -> Result<u128, HexError> {
        let (shortest, longest) = (self.tables.shortest, self.isa().bytes());
        hex::read(
            text,
            |bytes| self.isa.word_layout().word(bytes),
            |word, found| self.length(word).unwrap_or_else(|| found.clamp(shortest, longest)),
        )
    }

    /// Appends the bytes of an instruction in hexadecimal.
    pub fn append_hex(&self, inst: Inst, text: &mut Vec<u8>) {
        let length = self.isa().opcode(inst.opcode).width as usize / 8;
        append_bytes(&self.isa.word_layout().to_bytes(inst.word)[..length], text);
    }

    /// The canonical text of an instruction.
    ///
    /// Assembling it gives the same word, with three exceptions: ignored bits, values with another canonical value, and
    /// instructions with a compressed encoding. `isadl prove` lists texts that are not read back.
    pub fn text(&self, inst: Inst) -> String {
        let mut text = Vec::new();
        self.append_text(inst, &mut text);
        // Texts are put together of texts.
        String::from_utf8(text).unwrap_or_default()
    }

    /// Appends the canonical text of an instruction, in UTF-8. A compressed encoding has the text of its long encoding.
    pub fn append_text(&self, inst: Inst, text: &mut Vec<u8>) {
        self.append_own_text(self.long(inst).unwrap_or(inst), text);
    }

    /// The long encoding of an instruction, if it is a compressed encoding.
    pub fn long(&self, inst: Inst) -> Option<Inst> {
        let row = self.tables.row_of[inst.opcode.index()];
        let (row, word) = lengthen(&self.image, known(self.target.set), row, inst.word)?;
        Some(Inst { opcode: self.opcode(row), word })
    }

    /// The text of an instruction in its own encoding, perhaps as an alias.
    pub fn own_text(&self, inst: Inst) -> String {
        let mut text = Vec::new();
        self.append_own_text(inst, &mut text);
        String::from_utf8(text).unwrap_or_default()
    }

    fn append_own_text(&self, inst: Inst, text: &mut Vec<u8>) {
        let row = self.tables.row_of[inst.opcode.index()];
        let alias = print::alias(&self.image, known(self.target.set), row, inst.word);
        self.append_as(alias.unwrap_or(row), inst.word, text);
    }

    /// Where execution goes after an instruction.
    pub fn flow_control(&self, inst: Inst) -> FlowControl {
        control::flow_control(&self.image, self.tables.row_of[inst.opcode.index()], inst.word)
    }

    /// The target address of an instruction at an address: the first address in its text.
    pub fn target(&self, inst: Inst, address: u64) -> Option<u64> {
        control::target(&self.image, self.tables.row_of[inst.opcode.index()], inst.word, address)
    }

    /// The alias that an instruction is printed with, as its index in [`Opcode::aliases`](crate::isa::Opcode).
    pub fn alias(&self, inst: Inst) -> Option<usize> {
        let row = self.tables.row_of[inst.opcode.index()];
        let alias = print::alias(&self.image, known(self.target.set), row, inst.word)?;
        Some(self.alias_row(alias)?.order as usize - 1)
    }

    /// The text of an instruction as an alias of its opcode, even if it is printed otherwise.
    pub fn text_as(&self, inst: Inst, alias: usize) -> String {
        let mut text = Vec::new();
        self.append_as(
            self.row_as(TextOf { opcode: inst.opcode, alias: Some(alias) }),
            inst.word,
            &mut text,
        );
        String::from_utf8(text).unwrap_or_default()
    }

    /// The row of an opcode's text, or of one of its aliases.
    fn row_as(&self, TextOf { opcode, alias }: TextOf) -> RowId {
        let row = self.tables.row_of[opcode.index()];
        let of_alias = alias.and_then(|alias| {
            let (first, _) = *self.image.texts.aliases_of.get(row.get() as usize)?;
            RowId::new((self.image.words.rows.len() + first as usize + alias) as u32)
        });
        of_alias.unwrap_or(row)
    }

    fn append_as(&self, row: RowId, word: u128, text: &mut Vec<u8>) {
        let start = text.len();
        text.resize(start + self.image.texts.room as usize, 0);
        // INVARIANT: the buffer has the room that the longest text needs.
        let length = print_plain(&self.image, row, word, &mut text[start..]).unwrap_or(0);
        text.truncate(start + length);
    }

    /// The alias of an alias row.
    fn alias_row(&self, row: RowId) -> Option<&'l Alias> {
        let at = (row.get() as usize - 1).checked_sub(self.tables.image.rows.len())?;
        self.image.texts.aliases.get(at)
    }

    /// The opcode of a row as its text has it: of an alias, its form.
    fn form(&self, row: RowId) -> &'l Opcode {
        let opcode = self.isa.opcode(self.opcode(row));
        match self.alias_row(row) {
            Some(alias) => &opcode.aliases[alias.order as usize - 1].form,
            None => opcode,
        }
    }

    /// Assembles one instruction, in its shortest encoding. A `;` may end it, and a `//` comment may follow.
    ///
    /// If the line fits several instructions, the shortest wins, and an instruction without a literal comes before one
    /// with a literal. Remaining ties go to the instruction that is printed this way.
    pub fn assemble(&self, line: &str) -> Result<Inst, AsmError> {
        self.assemble_with(line, TextOptions::default())
    }

    /// Assembles a line that is written in a way, in its shortest encoding unless the options keep the encoding that it
    /// names. Addresses are read as the distances to them; they may be hexadecimal or any other number.
    pub fn assemble_with(&self, line: &str, options: TextOptions) -> Result<Inst, AsmError> {
        self.parse_with(line, options)
            .map_err(|error| diagnose::diagnose(self, (line, options.address, None), error))
    }

    /// Assembles as [`Engine::assemble_with`] does, without a reason where the line is not an instruction.
    pub fn read_with(&self, line: &str, options: TextOptions) -> Option<Inst> {
        self.parse_with(line, options).ok()
    }

    /// The shortest encoding of an instruction.
    pub fn shortest(&self, inst: Inst) -> Inst {
        let row = self.tables.row_of[inst.opcode.index()];
        let (row, word) = shorten(&self.image, self.target, row, inst.word);
        Inst { opcode: self.opcode(row), word }
    }

    /// Assembles as [`Engine::assemble`] does, without a reason where the line is not an instruction.
    pub fn read(&self, line: &str) -> Option<Inst> {
        self.read_with(line, TextOptions::default())
    }

    /// Assembles a line as an instruction of one opcode, even if it also fits other opcodes.
    pub fn read_as(&self, opcode: OpcodeId, line: &str) -> Option<Inst> {
        let (mut words, mut pieces) = self.room();
        let row = self.tables.row_of[opcode.index()];
        let word = parse_as(&self.image, (self.target, row), line, &mut words, &mut pieces)?;
        Some(Inst { opcode, word })
    }

    /// The word of an opcode, or of one of its aliases, before any operand is written.
    pub fn blank(&self, text: TextOf) -> u128 {
        self.image.lines.rows[self.row_as(text).get() as usize].default
    }

    /// Whether very many opcodes and aliases share the mnemonic of a line: each is tried when it is assembled.
    pub fn is_crowded(&self, line: &str) -> bool {
        let (mut words, mut pieces) = self.room();
        candidates(&self.image, self.target, line, &mut words, &mut pieces) > MAX_CANDIDATES
    }

    /// Assembles a line in the encoding that it names, preferring the given opcodes where very many share the mnemonic.
    ///
    /// If the line fits none of the given opcodes, every opcode is considered.
    pub fn assemble_at(
        &self,
        homes: impl Iterator<Item = OpcodeId>,
        line: &str,
    ) -> Result<Inst, AsmError> {
        let rank = |inst: &Inst| {
            let row = self.tables.row_of[inst.opcode.index()];
            self.image.words.rows[row.get() as usize].rank
        };
        let homes = homes.filter(|_| self.is_crowded(line));
        let own = homes.filter_map(|id| self.read_as(id, line)).min_by_key(rank);
        own.map_or_else(|| self.assemble_with(line, TextOptions::PLAIN), Ok)
    }

    fn parse_with(&self, line: &str, options: TextOptions) -> Result<Inst, ParseError> {
        let inst = match options.address {
            Some(address) => self.parse_at(line, address)?,
            None => self.parse(line)?,
        };
        // A compressed encoding names the same addresses, as `check` ensures.
        Ok(if options.is_plain { inst } else { self.shortest(inst) })
    }

    fn parse(&self, line: &str) -> Result<Inst, ParseError> {
        let lines = &self.image.lines;
        let fits = lines.max_words as usize <= WORDS && lines.max_pieces as usize <= PIECES;
        let (row, word) = match fits {
            true => parse::<_, WORDS, PIECES>(&self.image, self.target, line)?,
            // The instructions have very many operands.
            false => {
                let (mut words, mut pieces) = self.room();
                parse_within(&self.image, self.target, line, &mut words, &mut pieces)?
            }
        };
        Ok(Inst { opcode: self.opcode(row), word })
    }

    /// Room for the parts of any line.
    fn room(&self) -> (Vec<(usize, usize)>, Vec<OperandText>) {
        let lines = &self.image.lines;
        let words = vec![(0, 0); lines.max_words as usize];
        (words, vec![OperandText::EMPTY; lines.max_pieces as usize])
    }

    /// Divides the canonical text of an instruction into tokens and classifies each.
    pub fn tokens<'t>(&self, inst: Inst, text: &'t str, sink: impl FnMut(TokenKind, &'t str)) {
        let opcode = self.isa.opcode(inst.opcode);
        let after_guard = text.strip_prefix('@').and_then(|rest| rest.split_once(' '));
        let own = after_guard.map_or(text, |(_, rest)| rest);
        let alias = self.alias(inst).map(|at| &opcode.aliases[at].form);
        // Value names can come from another name set than the first.
        let printed = |form: &Opcode| {
            let count = if form.syntax.pieces.is_empty() { 1 } else { usize::MAX };
            let all = self.isa.mnemonics(form).into_iter().take(count);
            let fits = |name: &Mnemonic| {
                name.fields.holds(inst.word) && own.starts_with(name.text.as_str())
            };
            let longest = all.filter(fits).max_by_key(|name| name.text.len());
            longest.map(|name| name.text)
        };
        let mnemonic = alias.and_then(printed).or_else(|| printed(opcode));
        let mnemonic = mnemonic.unwrap_or_else(|| opcode.syntax.mnemonic.clone());
        let has_words = self.isa.modifiers() == ModifierStyle::Words;
        tokens::tokens(text, &mnemonic, has_words, sink);
    }

    /// The reads and writes of an instruction, in the order of the specification, without duplicates.
    ///
    /// Constants do not count as reads, and writes to them are discarded.
    pub fn uses(&self, inst: Inst) -> impl Iterator<Item = Use> {
        let row = self.tables.row_of[inst.opcode.index()];
        let memory_types = &self.tables.image.flows.memory_types;
        flow::uses(&self.image, row, inst.word, flow::Effects::ALL).map(|found| {
            let resource = match found.resource {
                flow::Resource::Registers { file, first, count } => Resource::Registers {
                    file: RegFileId::new(file as usize),
                    first: u32::from(first),
                    count: u32::from(count),
                },
                flow::Resource::Unknown { file } => {
                    Resource::Unknown { file: RegFileId::new(file as usize) }
                }
                flow::Resource::Special(special) => {
                    Resource::Special(SpecialId::new(special as usize))
                }
                flow::Resource::Memory { ty, raw } => {
                    Resource::Memory { ty: memory_types[ty as usize], raw }
                }
            };
            Use { resource, effect: found.effect }
        })
    }

    /// Builds an instruction from encoded field values; fields with a default may be left out.
    pub fn encode(&self, opcode: OpcodeId, values: &[(NameId, u64)]) -> Result<Inst, EncodeError> {
        let names = &self.tables.image.words.field_names;
        let unknown = values.iter().find(|(name, _)| names.binary_search(name).is_err());
        if let Some((name, _)) = unknown {
            return Err(EncodeError::NoSuchField(*name));
        }
        let row = self.tables.row_of[opcode.index()];
        let number = |name: NameId| names.binary_search(&name).unwrap_or_default() as u16;
        let numbers = values.iter().map(|(name, raw)| (number(*name), *raw));
        let word = encode::from_values(&self.image, row, numbers);
        let valid = word.and_then(|word| {
            encode::validate_in(&self.image, self.target.set, row, word)?;
            Ok(Inst { opcode, word })
        });
        valid.map_err(|refusal| self.encode_error(opcode, refusal))
    }

    /// The assembler rule that a legal instruction breaks: assemblers do not generate such instructions.
    pub fn advice(&self, inst: Inst) -> Option<RuleId> {
        let row = self.tables.row_of[inst.opcode.index()];
        let definition = &self.image.words.rows[row.get() as usize];
        let set = self.target.set;
        let holds = definition.advice != 0
            && decode::meets(&self.image, known(set), definition.advice, inst.word);
        let mut rules = self.isa.opcode(inst.opcode).rules.iter().copied().filter(|_| holds);
        rules.find(|rule| {
            self.isa.rule(*rule).scope == RuleScope::Assembler
                && self.isa.breaks_in(set, inst, *rule)
        })
    }

    /// Explains in one line why a word does not decode.
    pub fn reason(&self, word: u128, error: DecodeError) -> String {
        self.isa.reason(word, error)
    }

    /// Explains any word, legal or not.
    pub fn explain(&self, word: u128) -> Explanation {
        if let Err(DecodeError::Absent { opcode }) = self.decode(word) {
            let mut explanation = self.isa.explain(self.target.set, Some(opcode), word);
            if let Found::One(known) = &mut explanation.opcode {
                let requires = &self.isa.opcode(opcode).requires;
                known.needs = Some(self.isa.extensions().needs(requires));
            }
            return explanation;
        }
        self.isa.explain(self.target.set, self.find(word), word)
    }

    fn opcode(&self, row: RowId) -> OpcodeId {
        let own = self.alias_row(row).map_or(row.get(), |alias| alias.row);
        self.tables.image.rows[own as usize - 1]
    }

    #[cold]
    fn refusal(&self, word: u128) -> DecodeError {
        let words = &self.image.words;
        match decode::refusal(&self.image, self.target, word) {
            Refusal::Unknown => DecodeError::Unknown,
            Refusal::Absent(row) => DecodeError::Absent { opcode: self.opcode(row) },
            Refusal::Field(row, at) => {
                let fields = slice(words.fields, words.rows[row.get() as usize].fields);
                let name = usize::from(fields[at].name);
                let field = self.tables.image.words.field_names[name];
                DecodeError::IllegalValue { opcode: self.opcode(row), field }
            }
            Refusal::Rule(row, rule) => {
                DecodeError::Rule { opcode: self.opcode(row), rule: RuleId::new(usize::from(rule)) }
            }
        }
    }

    #[cold]
    fn encode_error(&self, opcode: OpcodeId, refusal: encode::Refusal) -> EncodeError {
        let name = |name: u16| self.tables.image.words.field_names[usize::from(name)];
        match refusal {
            encode::Refusal::NoSuchField(field) => EncodeError::NoSuchField(name(field)),
            encode::Refusal::Missing(field) => EncodeError::Missing(name(field)),
            encode::Refusal::Fixed(field) | encode::Refusal::IllegalValue(field) => {
                EncodeError::IllegalValue(name(field))
            }
            encode::Refusal::Shared(field) => EncodeError::Shared(name(field)),
            encode::Refusal::Rule(rule) => EncodeError::Rule(RuleId::new(usize::from(rule))),
            encode::Refusal::SpecialCase(case) => {
                let case = &self.tables.image.words.case_names[usize::from(case)];
                let cases = &self.isa().opcode(opcode).special_cases;
                let index = cases.iter().position(|known| known.name == *case);
                EncodeError::SpecialCase(index.unwrap_or_default())
            }
        }
    }
}
