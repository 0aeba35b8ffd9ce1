//! Every word: what decodes prints as a line that assembles to the same word.

use toy::Inst;

#[test]
fn every_instruction_is_printed_and_read_back() {
    let mut instructions = 0;
    for word in 0..=u16::MAX {
        let Ok(inst) = Inst::decode_word(word.into()) else { continue };
        let text = inst.to_string();
        assert_eq!(text.parse::<Inst>().map(Inst::word), Ok(word.into()), "{text}");
        instructions += 1;
    }
    assert!(instructions > 0);
}

#[test]
fn a_line_is_this_word() {
    let inst: Inst = "add r1, r2, r3".parse().expect("an instruction");
    assert_eq!(inst.word(), 0x0298);
}
