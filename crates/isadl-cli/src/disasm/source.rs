//! Lines of source files between instructions.

use std::cell::RefCell;
use std::collections::HashMap;

use isadl_asm::disasm::SourceLines;

/// Lines of source files, and the texts of the files that were read.
pub(super) struct Source {
    lines: SourceLines,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    /// The last line that was printed.
    last: Option<(String, u64)>,
    /// The lines of files; none of those that cannot be read.
    files: HashMap<String, Vec<String>>,
}

impl Source {
    pub(super) fn new(lines: SourceLines) -> Source {
        Source { lines, state: RefCell::default() }
    }

    /// The line of an address with its file, if it is another one than that of the address before.
    pub(super) fn next(&self, address: u64) -> Option<String> {
        let (file, line) = self.lines.at(address)?;
        let mut state = self.state.borrow_mut();
        if state.last.as_ref().is_some_and(|(before, own)| before == file && *own == line) {
            return None;
        }
        state.last = Some((file.to_string(), line));
        let texts = state.files.entry(file.to_string()).or_insert_with(|| {
            // A table may name anything, also a device that never ends.
            let is_file = std::fs::metadata(file).is_ok_and(|about| about.is_file());
            let text = if is_file { std::fs::read(file).unwrap_or_default() } else { Vec::new() };
            String::from_utf8_lossy(&text).lines().map(str::to_string).collect()
        });
        let index = usize::try_from(line).ok()?.checked_sub(1);
        let text = index.and_then(|index| texts.get(index)).map_or("", |text| text.trim());
        Some(format!("{file}:{line} {text}").trim_end().to_string())
    }
}
