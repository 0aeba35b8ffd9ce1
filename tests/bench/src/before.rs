//! The decoder that was generated for SIMT before there was an engine (commit 4a3886a), frozen: it is
//! what the engine is compared with. Only its way from a word to an instruction is here; of an illegal
//! value it does not say which field holds it. Do not change it.

#![allow(missing_docs, clippy::all, clippy::pedantic, reason = "it stays as it was generated")]

#[rustfmt::skip]
mod tables;

pub type Word = u128;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(non_camel_case_types, clippy::upper_case_acronyms)]
#[repr(u16)]
#[rustfmt::skip]
pub enum Opcode {
    HADD2_RR, HADD2_RU, HADD2_RI, HADD2_RC, HMUL2_RR, HMUL2_RU, HMUL2_RI, HMUL2_RC, HFMA2_RRR, HFMA2_RRI,
    HFMA2_RIR, HFMA2_RRU, HFMA2_RUR, HFMA2_RRC, HFMA2_RCR, HMNMX2_RR, HMNMX2_RU, HMNMX2_RI, HMNMX2_RC,
    HSETP2_RR, HSETP2_RU, HSETP2_RI, HSETP2_RC, HSET2_RR, HSET2_RU, HSET2_RI, HSET2_RC, IADD_RR, IADD_RU,
    IADD_RI, IADD_RC, IMAD_RRR, IMAD_RRI, IMAD_RIR, IMAD_RRC, IMAD_RCR, IMAD_RRU, IMAD_RUR, IMAD_WIDE_RRR,
    IMAD_WIDE_RIR, IMAD_WIDE_RRC, IMAD_WIDE_RCR, IMAD_WIDE_RRU, IMAD_WIDE_RUR, IDP2A_RRR, IDP2A_RRI, IDP2A_RIR,
    IDP2A_RRC, IDP2A_RCR, IDP2A_RRU, IDP2A_RUR, IDP4A_RRR, IDP4A_RRI, IDP4A_RIR, IDP4A_RRC, IDP4A_RCR,
    IDP4A_RRU, IDP4A_RUR, IMUL_RR, IMUL_RU, IMUL_RI, IMUL_RC, LEA_RRR, LEA_RIR, LEA_RCR, LEA_RUR, IABS_R,
    IABS_U, IABS_I, IABS_C, IMNMX_RR, IMNMX_RU, IMNMX_RI, IMNMX_RC, P2R_RR, P2R_RU, P2R_RI, P2R_RC, R2P_RR,
    R2P_RU, R2P_RI, R2P_RC, ISETP_RR, ISETP_RU, ISETP_RI, ISETP_RC, ISET_RR, ISET_RU, ISET_RI, ISET_RC, SEL_RR,
    SEL_RU, SEL_RI, SEL_RC, LOP3_RRR, LOP3_RIR, LOP3_RCR, LOP3_RUR, PLOP3_X, PLOP3_U, SHF_RRR, SHF_RRI, SHF_RIR,
    SHF_RRC, SHF_RCR, SHF_RRU, SHF_RUR, MOV_R, MOV_U, MOV_I, MOV_C, PRMT_RRR, PRMT_RRI, PRMT_RIR, PRMT_RRC,
    PRMT_RCR, PRMT_RRU, PRMT_RUR, I2I_R, I2I_U, I2I_I, I2I_C, I2IP_RRR, I2IP_RUR, I2IP_RIR, I2IP_RCR, R2UR_R,
    SETGPR_U, GETGPR_U, SHFL_RRR, SHFL_RRI, SHFL_RIR, SHFL_RI, MOVM_R, VOTE_X, VOTEU_X, REDUX_R, REDUXU_R,
    MATCH_R, ELECTU_X, ELECTU_U, ELECT_X, ELECT_U, MUFU_R, MUFU_I, MUFU_C, MUFU_U, POPC_R, POPC_I, POPC_U,
    POPC_C, FLO_R, FLO_I, FLO_U, FLO_C, BREV_R, BREV_I, BREV_U, BREV_C, BMSK_RR, BMSK_RI, BMSK_RU, BMSK_RC,
    SGXT_RR, SGXT_RI, SGXT_RU, SGXT_RC,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule(u16);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeError {
    Truncated { needed: usize },
    Unknown,
    IllegalValue { opcode: Opcode, field: u8 },
    Rule { opcode: Opcode, rule: Rule },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inst {
    pub word: Word,
    pub opcode: Opcode,
}

struct Layout {
    significant: Word,
    sums: [(Word, Word, Word); 2],
}

struct Node(u8, u8, u32, u32);

const LEAF: u8 = u8::MAX;
const IS_NODE: u32 = 2147483648u32;
const IS_EXACT: u32 = 1073741824u32;

const fn low_bits(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

#[inline]
const fn extract(word: Word, lsb: u32, width: u32) -> u64 {
    (word >> lsb) as u64 & low_bits(width)
}

const fn spread<const N: usize>(pairs: &[(usize, u32)]) -> [u32; N] {
    let mut table = [0; N];
    let mut i = 0;
    while i < pairs.len() {
        table[pairs[i].0] = pairs[i].1;
        i += 1;
    }
    table
}

impl Layout {
    #[inline]
    const fn is_within_sums(&self, word: Word) -> bool {
        let [(mask, addend, carry), (mask_2, addend_2, carry_2)] = self.sums;
        let sum = ((word & mask).wrapping_add(addend) & carry)
            | ((word & mask_2).wrapping_add(addend_2) & carry_2);
        sum == 0
    }
}

impl Inst {
    #[inline]
    pub const fn decode_word(word: Word) -> Result<Inst, DecodeError> {
        let Some(opcode) = find(word) else { return Err(DecodeError::Unknown) };
        let layout = &tables::LAYOUTS[tables::LAYOUT_OF[opcode as usize] as usize];
        let word = word & layout.significant;
        if !layout.is_within_sums(word) {
            return Err(illegal_value(opcode, word));
        }
        let rules = tables::RULES_OF[opcode as usize];
        let broken = if rules == 0 { None } else { broken_rule(rules, word) };
        if let Some(rule) = broken {
            return Err(DecodeError::Rule { opcode, rule });
        }
        Ok(Inst { word, opcode })
    }

    #[inline]
    pub const fn opcode(self) -> Opcode {
        self.opcode
    }
}

#[cold]
#[inline(never)]
const fn illegal_value(opcode: Opcode, _word: Word) -> DecodeError {
    DecodeError::IllegalValue { opcode, field: 0 }
}

#[inline]
const fn find(word: Word) -> Option<Opcode> {
    match exact(word) {
        None => find_in_tree(tables::ROOT, word),
        found => found,
    }
}

#[inline]
const fn exact(word: Word) -> Option<Opcode> {
    EXACT[extract(word, 0, 12) as usize]
}

static EXACT: [Option<Opcode>; 4096] = {
    let mut table = [None; 4096];
    let mut i = 0;
    while i < 4096 {
        let entry = tables::CHILDREN[i];
        if entry & IS_EXACT != 0 && entry & IS_NODE == 0 {
            table[i] = tables::BY_NUMBER[(entry & !IS_EXACT) as usize - 1];
        }
        i += 1;
    }
    table
};

#[inline(never)]
const fn find_in_tree(mut entry: u32, word: Word) -> Option<Opcode> {
    while entry & IS_NODE != 0 {
        let node = &tables::NODES[(entry ^ IS_NODE) as usize];
        if node.0 == LEAF {
            return find_among(node, word);
        }
        let index = extract(word, node.0 as u32, node.1 as u32);
        entry = tables::CHILDREN[(node.2 as u64 + index) as usize];
    }
    if entry == 0 {
        return None;
    }
    let number = (entry & !IS_EXACT) as usize - 1;
    if entry & IS_EXACT != 0 || matches(number, word) { tables::BY_NUMBER[number] } else { None }
}

#[inline]
const fn matches(number: usize, word: Word) -> bool {
    let (mask, value) = tables::RECORDS[number];
    word & mask == value
}

const fn find_among(leaf: &Node, word: Word) -> Option<Opcode> {
    let mut i = leaf.2;
    while i < leaf.2 + leaf.3 {
        let number = tables::CANDIDATES[i as usize] as usize;
        if matches(number, word) {
            return tables::BY_NUMBER[number];
        }
        i += 1;
    }
    None
}

const fn broken_rule(set: u16, word: Word) -> Option<Rule> {
    match set {
        1 => {
            if extract(word, 94, 1) == 1 && (extract(word, 76, 1) == 1 || extract(word, 77, 1) == 1)
            {
                return Some(Rule(0));
            }
            None
        }
        2 => {
            if extract(word, 94, 1) == 1 && (extract(word, 76, 1) == 1 || extract(word, 77, 1) == 1)
            {
                return Some(Rule(0));
            }
            if extract(word, 77, 1) == 1 && extract(word, 92, 1) == 1 {
                return Some(Rule(1));
            }
            None
        }
        3 => {
            if extract(word, 80, 1) == 1 {
                return Some(Rule(2));
            }
            None
        }
        4 => {
            if extract(word, 81, 3) == 1 && extract(word, 78, 3) != 4 && extract(word, 78, 3) != 5 {
                return Some(Rule(3));
            }
            if (extract(word, 81, 3) == 4
                || extract(word, 81, 3) == 2
                || extract(word, 81, 3) == 5
                || extract(word, 81, 3) == 3)
                && extract(word, 78, 3) != 2
                && extract(word, 78, 3) != 7
            {
                return Some(Rule(4));
            }
            if extract(word, 81, 3) != 0
                && extract(word, 81, 3) != 1
                && (extract(word, 96, 1) == 1 || extract(word, 97, 1) == 1)
            {
                return Some(Rule(5));
            }
            None
        }
        5 => {
            if extract(word, 81, 3) == 1 && extract(word, 78, 3) != 4 && extract(word, 78, 3) != 5 {
                return Some(Rule(3));
            }
            if (extract(word, 81, 3) == 4
                || extract(word, 81, 3) == 2
                || extract(word, 81, 3) == 5
                || extract(word, 81, 3) == 3)
                && extract(word, 78, 3) != 2
                && extract(word, 78, 3) != 7
            {
                return Some(Rule(4));
            }
            None
        }
        6 => {
            if extract(word, 81, 3) == 1 && extract(word, 78, 3) != 4 && extract(word, 78, 3) != 5 {
                return Some(Rule(3));
            }
            if (extract(word, 81, 3) == 4
                || extract(word, 81, 3) == 2
                || extract(word, 81, 3) == 5
                || extract(word, 81, 3) == 3)
                && extract(word, 78, 3) != 2
                && extract(word, 78, 3) != 7
            {
                return Some(Rule(4));
            }
            if extract(word, 81, 3) != 0
                && extract(word, 81, 3) != 1
                && (extract(word, 96, 1) == 1 || extract(word, 97, 1) == 1)
            {
                return Some(Rule(6));
            }
            None
        }
        7 => {
            if extract(word, 81, 3) == 1 && extract(word, 78, 3) != 4 && extract(word, 78, 3) != 5 {
                return Some(Rule(3));
            }
            if (extract(word, 81, 3) == 4
                || extract(word, 81, 3) == 2
                || extract(word, 81, 3) == 5
                || extract(word, 81, 3) == 3)
                && extract(word, 78, 3) != 2
                && extract(word, 78, 3) != 7
            {
                return Some(Rule(4));
            }
            if extract(word, 81, 3) != 0
                && extract(word, 81, 3) != 1
                && (extract(word, 96, 1) == 1 || extract(word, 97, 1) == 1)
            {
                return Some(Rule(7));
            }
            None
        }
        _ => None,
    }
}
