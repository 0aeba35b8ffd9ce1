//! Keys of names.

use isadl_engine::image_lines::Key;

#[test]
fn short_names_have_keys_of_their_own() {
    let names = ["", "a", "ab", "ba", "aab", "aba", "abcd", "abcde", "abcdefgh", "bbcdefgh"];
    let longer = ["abcdefghi", "abcdefghijklmnop", "abcdefghXjklmnop"];
    let all: Vec<&str> = names.into_iter().chain(longer).collect();
    for a in &all {
        for b in &all {
            let same = Key::of(a.as_bytes()).is(Key::of(b.as_bytes()));
            assert_eq!(same, a == b, "{a} and {b}");
        }
        let text = format!("{a} and more");
        assert!(Key::within(text.as_bytes(), 0, a.len()).is(Key::of(a.as_bytes())));
        assert!(Key::within(a.as_bytes(), 0, a.len()).is(Key::of(a.as_bytes())));
        assert!(Key::of(a.as_bytes()).is_whole());
    }
    assert!(!Key::of(b"abcdefghijklmnopq").is_whole());
}

#[test]
fn a_folded_key_is_that_of_the_name_in_lower_case() {
    let all: Vec<u8> = (0..=255).collect();
    let names = all.windows(7).chain(all.windows(8)).chain(all.windows(13)).chain(all.windows(16));
    for name in names.chain([&b""[..], b"A", b"Zz", b"@[`{"]) {
        let lower = name.to_ascii_lowercase();
        assert!(Key::of(name).folded().is(Key::of(&lower)), "{name:?}");
    }
}
