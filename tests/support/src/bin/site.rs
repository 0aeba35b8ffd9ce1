//! Writes the documentation as a book for mdBook.
//!
//! ```text
//! cargo run -p isadl-test-support --bin site -- target/site [URL of the repository's files]
//! mdbook build target/site
//! ```

use std::path::PathBuf;

use isadl_test_support::site::{broken, site};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let out = PathBuf::from(arguments.next().unwrap_or("target/site".into()));
    let repository = arguments.next().and_then(|url| url.into_string().ok());
    let made = site(repository.as_deref());
    if let Some((page, link)) = broken(&made).first() {
        return Err(std::io::Error::other(format!("{page}: the link {link} leads nowhere")));
    }
    let texts = made.files.iter().map(|(path, text)| (path, text.as_bytes()));
    let images = made.images.iter().map(|(path, bytes)| (path, bytes.as_slice()));
    for (path, bytes) in texts.chain(images) {
        let path = out.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(&out))?;
        std::fs::write(path, bytes)?;
    }
    println!("{}: {} files", out.display(), made.files.len());
    Ok(())
}
