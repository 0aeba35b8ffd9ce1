//! The committed header equals the output of cbindgen.

use std::path::Path;

#[test]
fn the_header_is_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).expect("settings");
    config.parse.parse_deps = false;
    let made = cbindgen::generate_with_config(folder, config).expect("a header");
    let mut bytes = Vec::new();
    made.write(&mut bytes);
    let path = folder.join("include/isadl.h");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &bytes).expect("writable");
    }
    let known = std::fs::read(&path).unwrap_or_default();
    assert!(known == bytes, "run the test with BLESS=1");
}
