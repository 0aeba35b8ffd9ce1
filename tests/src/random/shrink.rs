//! A specification with as little as possible of what makes it fail.

/// Leaves out definitions, and then lines, as long as the rest fails.
pub fn shrink(text: &str, fails: impl Fn(&str) -> bool) -> String {
    let definitions = text.split_inclusive("\n\n").map(str::to_string).collect();
    let text = without(definitions, &fails).concat();
    let lines = text.split_inclusive('\n').map(str::to_string).collect();
    without(lines, &fails).concat()
}

/// The pieces that are needed.
fn without(mut pieces: Vec<String>, fails: &impl Fn(&str) -> bool) -> Vec<String> {
    loop {
        let before = pieces.len();
        for at in (0..before).rev() {
            let piece = pieces.remove(at);
            if !fails(&pieces.concat()) {
                pieces.insert(at, piece);
            }
        }
        if pieces.len() == before {
            return pieces;
        }
    }
}

#[test]
fn what_is_not_needed_is_left_out() {
    let text = "a\nb\n\nc\nd\n\ne\n";
    assert_eq!(shrink(text, |text| text.contains('d') && text.contains('a')), "a\nd\n");
}
