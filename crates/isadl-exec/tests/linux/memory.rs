//! Calls about memory.

use super::files::Folder;
use super::*;

const READ: u64 = 1;
const READ_WRITE: u64 = 3;
const PRIVATE: u64 = 2;
const FIXED: u64 = 0x10;
const ANONYMOUS: u64 = 0x22;
const NO_FILE: u64 = u64::MAX;
/// Where mappings end: a page below the stack.
const TOP: u64 = SIZE - STACK - PAGE;

impl Process {
    fn map(&mut self, address: u64, length: u64, flags: u64) -> i64 {
        self.call("mmap", &[address, length, READ_WRITE, ANONYMOUS | flags, NO_FILE, 0])
    }
}

#[test]
fn the_heap() {
    let mut process = process();
    let start = DATA + 2 * PAGE;
    let brk = |process: &mut Process, address: u64| process.call("brk", &[address]) as u64;
    assert_eq!(brk(&mut process, 0), start);
    assert_eq!(brk(&mut process, start + 100), start + 100);
    assert!(process.is(start, Access::READ_WRITE) && !process.is(start + PAGE, Access::READ));
    process.put(start, b"heap");
    assert_eq!(brk(&mut process, start + 3 * PAGE), start + 3 * PAGE);
    assert_eq!(process.bytes(start, 4), b"heap");
    assert!(process.is(start + 3 * PAGE - 1, Access::READ_WRITE));
    // Back, and forth: the pages are zero again.
    assert_eq!(brk(&mut process, start), start);
    assert!(!process.is(start, Access::READ));
    assert_eq!(brk(&mut process, start + 8), start + 8);
    assert_eq!(process.number(start, 8), 0);
    // Neither below its start nor into a mapping, nor into the stack.
    for address in [start - 1, DATA, u64::MAX, SIZE, TOP + 1] {
        assert_eq!(brk(&mut process, address), start + 8, "{address:#x}");
    }
    let mapped = process.map(start + 10 * PAGE, PAGE, FIXED) as u64;
    assert_eq!(brk(&mut process, mapped + 1), start + 8);
    assert_eq!(brk(&mut process, mapped), mapped);
}

#[test]
fn mappings_are_placed_downwards() {
    let mut process = process();
    let first = process.map(0, 3 * PAGE - 5, 0) as u64;
    assert_eq!(first, TOP - 3 * PAGE);
    let second = process.map(0, PAGE, 0) as u64;
    assert_eq!(second, first - PAGE);
    assert!(process.is(first + 3 * PAGE - 1, Access::READ_WRITE) && !process.is(TOP, Access::READ));
    process.put(first, b"dirty");
    // What is free is used again, and is zero.
    assert_eq!(process.call("munmap", &[first, 2 * PAGE]), 0);
    assert!(!process.is(first, Access::READ) && process.is(first + 2 * PAGE, Access::READ));
    let third = process.map(0, 2 * PAGE, 0) as u64;
    assert_eq!(third, first);
    assert_eq!(process.number(third, 8), 0);
    // A wish is met if it can be.
    let wish = 4 << 20;
    assert_eq!(process.map(wish + 7, PAGE, 0), wish as i64);
    assert_eq!(process.map(wish, PAGE, 0) as u64, second - PAGE);
    assert_eq!(process.map(PAGE, PAGE, 0) as u64, second - 2 * PAGE);
    // All that there is.
    assert_eq!(process.map(0, SIZE, 0), NOMEM);
    assert_eq!(process.map(0, u64::MAX, 0), NOMEM);
    let mut count = 0;
    while process.map(0, 1 << 20, 0) >= 0 {
        count += 1;
    }
    assert!((12..15).contains(&count), "{count}");
}

#[test]
fn wrong_mappings() {
    let mut process = process();
    let mut map = |arguments: [u64; 6]| process.call("mmap", &arguments);
    assert_eq!(map([0, 0, READ, ANONYMOUS, NO_FILE, 0]), INVAL);
    assert_eq!(map([0, PAGE, READ, 0x20, NO_FILE, 0]), INVAL);
    assert_eq!(map([0, PAGE, 0x10, ANONYMOUS, NO_FILE, 0]), INVAL);
    assert_eq!(map([0, PAGE, READ, ANONYMOUS, NO_FILE, 5]), INVAL);
    assert_eq!(map([0, PAGE, READ, PRIVATE, NO_FILE, 0]), BADF);
    assert_eq!(map([0, PAGE, READ, PRIVATE, 0, 0]), ACCES);
    assert_eq!(map([DATA + 1, PAGE, READ, ANONYMOUS | FIXED, NO_FILE, 0]), INVAL);
    assert_eq!(map([0, PAGE, READ, ANONYMOUS | FIXED, NO_FILE, 0]), -1);
    assert_eq!(map([SIZE, PAGE, READ, ANONYMOUS | FIXED, NO_FILE, 0]), NOMEM);
    assert_eq!(map([!0xfff, PAGE, READ, ANONYMOUS | FIXED, NO_FILE, 0]), NOMEM);
    assert_eq!(map([DATA, PAGE, READ, ANONYMOUS | 0x10_0000, NO_FILE, 0]), EXIST);
    assert_eq!(process.call("munmap", &[DATA + 1, PAGE]), INVAL);
    assert_eq!(process.call("munmap", &[DATA, 0]), INVAL);
    assert_eq!(process.call("munmap", &[DATA, u64::MAX]), INVAL);
    assert_eq!(process.call("munmap", &[1 << 22, PAGE]), 0);
}

#[test]
fn fixed_mappings_replace_others() {
    let mut process = process();
    process.put(DATA, b"data");
    assert_eq!(process.map(DATA, PAGE, FIXED), DATA as i64);
    assert_eq!(process.number(DATA, 4), 0);
    assert!(process.is(DATA + PAGE, Access::WRITE));
}

#[test]
fn files_are_copied() {
    let folder = Folder::new("map");
    folder.file("file", &"0123456789abcdef".repeat(600));
    let mut process = process_with(8, Some(&folder.path), "");
    let path = process.text("file");
    assert_eq!(process.call("openat", &[-100i64 as u64, path, 0]), 3);
    let at = process.call("mmap", &[0, 3 * PAGE, READ, PRIVATE, 3, PAGE]) as u64;
    assert_eq!(process.bytes(at, 16), b"0123456789abcdef");
    let length = 9600 - PAGE;
    assert_eq!(process.bytes(at + length - 1, 3), [b'f', 0, 0]);
    assert!(!process.is(at, Access::WRITE));
    // The position of the file stays.
    assert_eq!(process.call("lseek", &[3, 0, 1]), 0);
    // What is written to a copy is not in the file.
    let at = process.call("mmap", &[0, PAGE, READ_WRITE, PRIVATE, 3, 0]) as u64;
    process.put(at, b"new");
    assert_eq!(process.call("pread64", &[3, DATA, 3, 0]), 3);
    assert_eq!(process.bytes(DATA, 3), b"012");
    assert_eq!(process.call("mmap", &[0, PAGE, READ_WRITE, 1, 3, 0]), ACCES);
    assert!(process.call("mmap", &[0, PAGE, READ, 1, 3, 0]) > 0);
}

#[test]
fn protection() {
    let mut process = process();
    let at = process.map(0, 4 * PAGE, 0) as u64;
    assert_eq!(process.call("mprotect", &[at + PAGE, PAGE, READ]), 0);
    assert!(process.is(at, Access::WRITE) && !process.is(at + PAGE, Access::WRITE));
    assert_eq!(process.call("mprotect", &[at, 2 * PAGE, 0]), 0);
    assert!(!process.is(at, Access::READ));
    assert_eq!(process.call("mprotect", &[at, PAGE, 5]), 0);
    assert!(process.is(at, Access::EXECUTE) && process.is(at, Access::READ));
    assert_eq!(process.call("mprotect", &[at, PAGE, 2]), 0);
    assert!(process.is(at, Access::READ_WRITE));
    assert_eq!(process.call("mprotect", &[at, 5 * PAGE, READ]), NOMEM);
    assert_eq!(process.call("mprotect", &[at + 1, PAGE, READ]), INVAL);
    assert_eq!(process.call("mprotect", &[at, PAGE, 1 << 20]), INVAL);
    assert_eq!(process.call("mprotect", &[at, 0, READ]), 0);
    process.put(at, b"text");
    assert_eq!(process.call("madvise", &[at, PAGE, 4]), 0);
    assert_eq!(process.number(at, 4), 0);
    assert_eq!(process.call("madvise", &[at, PAGE, 14]), 0);
    assert_eq!(process.call("madvise", &[1 << 22, PAGE, 4]), NOMEM);
}

#[test]
fn mappings_move() {
    let mut process = process();
    let at = process.map(0, 2 * PAGE, 0) as u64;
    process.put(at, b"first");
    process.put(at + PAGE, b"second");
    process.call("mprotect", &[at, PAGE, READ]);
    // It cannot grow upwards, because the stack is there.
    assert_eq!(process.call("mremap", &[at, 2 * PAGE, 4 * PAGE, 0, 0]), NOMEM);
    let new = process.call("mremap", &[at, 2 * PAGE, 4 * PAGE, 1, 0]) as u64;
    assert_ne!(new, at);
    assert_eq!(
        (process.bytes(new, 5), process.bytes(new + PAGE, 6)),
        (b"first".to_vec(), b"second".to_vec())
    );
    assert!(!process.is(new, Access::WRITE) && process.is(new + 3 * PAGE, Access::READ_WRITE));
    assert_eq!(process.number(new + 2 * PAGE, 8), 0);
    assert!(!process.is(at, Access::READ));
    // Smaller, and larger again.
    assert_eq!(process.call("mremap", &[new, 4 * PAGE, PAGE, 0, 0]) as u64, new);
    assert!(!process.is(new + PAGE, Access::READ));
    assert_eq!(process.call("mremap", &[new, PAGE, 2 * PAGE, 0, 0]) as u64, new);
    assert_eq!(process.number(new + PAGE, 8), 0);
    let target = 8 << 20;
    assert_eq!(process.call("mremap", &[new, PAGE, PAGE, 3, target]), target as i64);
    assert_eq!(process.bytes(target, 5), b"first");
    assert_eq!(process.call("mremap", &[target, PAGE, PAGE, 2, new]), INVAL);
    assert_eq!(process.call("mremap", &[target, PAGE, 2 * PAGE, 3, target]), INVAL);
    assert_eq!(process.call("mremap", &[target, 0, PAGE, 1, 0]), INVAL);
    assert_eq!(process.call("mremap", &[target, PAGE, 0, 1, 0]), INVAL);
    assert_eq!(process.call("mremap", &[4 << 20, PAGE, PAGE, 1, 0]), FAULT);
    assert_eq!(process.call("mremap", &[target, PAGE, SIZE, 1, 0]), NOMEM);
    assert_eq!(process.call("mremap", &[target, PAGE, u64::MAX, 1, 0]), NOMEM);
}
