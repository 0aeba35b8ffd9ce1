//! Programs of every operation, for registers of any width.

/// Programs, for registers of `W` bits; `H` is half of it, rounded up.
pub(crate) const PROGRAMS: [&str; 52] = [
    "rd = ra + rb",
    "rd = ra - rb",
    "rd = ra * rb",
    "rd = ra & rb",
    "rd = ra | rb",
    "rd = ra ^ ~rb",
    "rd = -ra; use(rb)",
    "rd = rb == 0 ? 0 : ra / rb",
    "rd = rb == 0 ? ra : ra % rb",
    "rd = rb == 0 ? 0 : (signed(ra) / signed(rb))[W - 1:0]",
    "rd = rb == 0 ? 0 : (signed(ra) % signed(rb))[W - 1:0]",
    "rd = ra < rb ? ra : rb",
    "rd = signed(ra) < signed(rb) ? ra : rb",
    "rd = max(signed(ra), signed(rb))",
    "rd = min(ra, rb)",
    "rd = ra == rb ? 0 : 1",
    "rd = (ra + rb)[W:W]",
    "rd = (ra - rb)[W:W]",
    "rd = (ra * rb) >> W",
    "rd = ((signed(ra) * signed(rb)) >> W)[W - 1:0]",
    "rd = ((signed(ra) * rb) >> W)[W - 1:0]",
    "rd = ra >> rb",
    "rd = (signed(ra) >> rb)[W - 1:0]",
    "rd = rb < W ? (ra << rb)[W - 1:0] : 0",
    "rd[H - 1:0] = ra[H - 1:0] >> rb",
    "rd[H - 1:0] = (signed(ra[H - 1:0]) >> rb)[H - 1:0]",
    "rd[H - 1:0] = rb < H ? (ra[H - 1:0] << rb)[H - 1:0] : 0",
    "rd[H - 1:0] = rotate_left(ra[H - 1:0], rb)",
    "rd = rotate_left(ra, rb)",
    "rd = rotate_right(ra, rb)",
    "rd = ra >> 1; use(rb)",
    "rd = (signed(ra) >> (W - 1))[W - 1:0]; use(rb)",
    "rd = (ra << (W - 1))[W - 1:0]; use(rb)",
    "rd = rotate_left(ra, W / 3); use(rb)",
    "rd = count(ra); use(rb)",
    "rd = leading_zeros(ra); use(rb)",
    "rd = trailing_zeros(ra); use(rb)",
    "rd = reverse(ra); use(rb)",
    "rd = carryless(ra, rb)[W - 1:0]",
    "rd = carryless(ra, rb)[2 * W - 1:W]",
    "rd = {ra[H - 1:0], rb[W - 1:H]}",
    "rd = {ra, rb}[W + H - 1:H]",
    "rd = signed(ra[H - 1:0]); use(rb)",
    "rd = ra[H - 1:0] + signed(rb[H - 1:0])",
    "rd = {signed(ra) < 0, rb}[W:1]",
    "rd = repeat(ra[0], W) ^ rb",
    "rd[H - 1:0] = ra[H - 1:0]; use(rb)",
    "rd[W - 1:H] = ra[W - H - 1:0]; use(rb)",
    "if ra < rb { rd = ra + rb } else { rd = rd ^ 1 }",
    "t = ra; rd = rb; ra = t",
    "var x : bits(W) = ra; for i in 0 .. 5 { x = (x * 3 + i)[W - 1:0]; if x[0] { x = x ^ rb } }; rd = x",
    "var n : bits(8) = 0; for i in ra { n = (n * 5 + i)[7:0] }; rd = n[min(W, 8) - 1:0]; use(rb)",
];

/// The programs for registers of a width.
pub(crate) fn programs(width: u32) -> Vec<String> {
    let half = width.div_ceil(2);
    // Whole words: the letters are in names, too.
    let put = |program: &str| {
        let mut own = String::new();
        let mut word = String::new();
        for letter in program.chars().chain([' ']) {
            if letter.is_ascii_alphanumeric() || letter == '_' {
                word.push(letter);
                continue;
            }
            own.push_str(&match word.as_str() {
                "W" => width.to_string(),
                "H" => half.to_string(),
                _ => word.clone(),
            });
            word.clear();
            own.push(letter);
        }
        own.trim_end().to_string()
    };
    PROGRAMS.iter().map(|program| put(program)).collect()
}

/// The specification of programs; `word` says whether they are checked.
pub(crate) fn specification(width: u32, programs: &[String], word: &str) -> String {
    let mut text = format!(
        "__DefIsa T<32>\n    Semantics<{word}>;\n__DefRegFile R<{width}, 4>\n__DefOperandType Reg<2>\n    r[0..3] = 0 : R;\n\
         __DefGroup ALL : []\n  __Encoding\n    zero[31:14]; field[13:12] Reg rd; field[11:10] Reg ra; field[9:8] Reg rb;\n  \
         __OperandInfo\n    Operands<inout rd, inout ra, in rb>;\n__DefInstructions : [ALL]\n"
    );
    for (number, program) in programs.iter().enumerate() {
        text.push_str(&format!(
            "    ///= {program}\n    OP{number} \"op{number}\" [7:0] == {number};\n"
        ));
    }
    text
}
