//! Shrinks a failing specification to as little as possible.

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

/// Fails with the smallest specification that still fails, where some do: seeds and texts.
pub fn report(failures: &[(u64, String)], examine: impl Fn(&str) -> Result<(), String>) {
    let Some((seed, text)) = failures.first() else { return };
    let small = shrink(text, |text| examine(text).is_err());
    let what = examine(&small).err().unwrap_or_default();
    let seeds: Vec<u64> = failures.iter().map(|(seed, _)| *seed).collect();
    panic!("{} seeds fail: {seeds:?}. {seed}:\n{what}\n{small}", seeds.len());
}
