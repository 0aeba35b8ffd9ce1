//! Calls about files, and the limits of what a program sees.

use std::fs;
use std::path::PathBuf;

use super::*;

/// `AT_FDCWD`, as programs with words of 64 bits give it.
const HERE: u64 = -100i64 as u64;

/// A temporary folder that is removed at the end.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
}

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let name = format!("isadl exec {name} {}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("writable");
        Folder { path }
    }

    pub(crate) fn file(&self, name: &str, text: &str) {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().expect("inside")).expect("writable");
        fs::write(path, text).expect("writable");
    }

    #[cfg(unix)]
    fn link(&self, name: &str, target: &str) {
        std::os::unix::fs::symlink(target, self.path.join(name)).expect("writable");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A process whose root is the folder `root` of a temporary folder, beside a file `secret`.
fn rooted(name: &str) -> (Folder, Process) {
    let folder = Folder::new(name);
    folder.file("secret", "outside");
    folder.file("root/file", "0123456789");
    folder.file("root/inner/deep/other", "deep");
    let process = process_with(8, Some(&folder.path.join("root")), "input");
    (folder, process)
}

impl Process {
    fn open(&mut self, path: &str) -> i64 {
        let path = self.text(path);
        self.call("openat", &[HERE, path, 0])
    }

    fn read_all(&mut self, file: i64) -> String {
        let count = self.call("read", &[file as u64, DATA, PAGE]);
        String::from_utf8(self.bytes(DATA, count as u64)).expect("a text")
    }
}

#[test]
fn streams() {
    let mut process = process_with(8, None, "a line\nmore");
    let text = process.text("hello");
    assert_eq!(process.call("write", &[1, text, 5]), 5);
    assert_eq!(process.call("write", &[2, text, 2]), 2);
    assert_eq!((process.output.text(), process.errors.text()), ("hello".into(), "he".into()));
    assert_eq!(process.call("read", &[0, DATA, 6]), 6);
    assert_eq!(process.bytes(DATA, 6), b"a line");
    assert_eq!(process.call("read", &[0, DATA, 100]), 5);
    assert_eq!(process.call("read", &[0, DATA, 100]), 0);
    assert_eq!(process.call("write", &[0, DATA, 1]), BADF);
    assert_eq!(process.call("read", &[1, DATA, 1]), BADF);
    assert_eq!(process.call("read", &[7, DATA, 1]), BADF);
    assert_eq!(process.call("write", &[u64::MAX, DATA, 1]), BADF);
    // Pointers are checked, and what a program may not read is not written.
    assert_eq!(process.call("write", &[1, NOWHERE, 1]), FAULT);
    assert_eq!(process.call("read", &[0, NOWHERE, 1]), FAULT);
    assert_eq!(process.call("write", &[1, NOWHERE, 0]), 0);
    assert_eq!(process.call("write", &[1, DATA + 2 * PAGE - 3, 10]), 3);
    assert_eq!(process.call("write", &[1, u64::MAX, u64::MAX]), FAULT);
    for (call, argument) in [("lseek", 0), ("pread64", DATA)] {
        assert_eq!(process.call(call, &[0, argument, 0]), SPIPE);
    }
    assert_eq!(process.call("ioctl", &[1, 0x5401, DATA]), NOTTY);
    assert_eq!(process.call("ioctl", &[9, 0x5401, DATA]), BADF);
    assert_eq!(process.call("fstat", &[1, DATA]), 0);
    assert_eq!(process.number(DATA + 16, 4), 0o010_600);
    assert_eq!(process.call("close", &[2]), 0);
    assert_eq!(process.call("write", &[2, DATA, 1]), BADF);
    assert_eq!(process.call("dup", &[1]), 2);
    assert_eq!(process.call("fcntl", &[1, 0, 10]), 10);
    assert_eq!(process.call("dup3", &[1, 20, 0]), 20);
    assert_eq!(process.call("dup3", &[1, 1 << 20, 0]), BADF);
    process.text("again");
    assert_eq!(process.call("write", &[20, DATA, 5]), 5);
    assert!(process.output.text().ends_with("again"));
}

#[test]
fn buffers() {
    for word in [4, 8] {
        let mut process = process_with(word, None, "abcdefgh");
        process.text("one, two");
        let list = DATA + 256;
        let buffers = [(DATA, 5), (NOWHERE, 0), (DATA + 5, 3)];
        let words = buffers.iter().flat_map(|(address, length): &(u64, u64)| [address, length]);
        let bytes = words.flat_map(|word_of| word_of.to_le_bytes()[..word as usize].to_vec());
        process.put(list, &bytes.collect::<Vec<u8>>());
        assert_eq!(process.call("writev", &[1, list, 3]), 8);
        assert_eq!(process.output.text(), "one, two");
        assert_eq!(process.call("readv", &[0, list, 3]), 8);
        assert_eq!(process.bytes(DATA, 8), b"abcdefgh");
        assert_eq!(process.call("writev", &[1, NOWHERE, 1]), FAULT);
        assert_eq!(process.call("writev", &[1, list, 1 << 20]), INVAL);
        assert_eq!(process.call("writev", &[1, list, 0]), 0);
        let last = u64::MAX >> (64 - 8 * word);
        assert_eq!(process.call("readv", &[0, last, 2]), FAULT);
    }
}

#[test]
fn without_a_root_there_are_no_files() {
    let mut process = process();
    for path in ["/etc/passwd", "file", ".", "/", "/proc/self/maps"] {
        assert_eq!(process.open(path), NOENT, "{path}");
    }
    let path = process.text("/etc/passwd");
    assert_eq!(process.call("newfstatat", &[HERE, path, DATA + 512, 0]), NOENT);
    assert_eq!(process.call("faccessat", &[HERE, path, 0]), NOENT);
    assert_eq!(process.call("readlinkat", &[HERE, path, DATA + 512, 99]), NOENT);
}

#[test]
fn files_are_read() {
    let (_folder, mut process) = rooted("read");
    let file = process.open("/file");
    assert_eq!(file, 3);
    assert_eq!(process.call("read", &[3, DATA, 4]), 4);
    assert_eq!(process.bytes(DATA, 4), b"0123");
    assert_eq!(process.call("pread64", &[3, DATA, 3, 7]), 3);
    assert_eq!(process.bytes(DATA, 3), b"789");
    assert_eq!(process.read_all(3), "456789");
    assert_eq!(process.read_all(3), "");
    assert_eq!(process.call("lseek", &[3, 2, 0]), 2);
    assert_eq!(process.call("lseek", &[3, -1i64 as u64, 1]), 1);
    assert_eq!(process.call("lseek", &[3, -2i64 as u64, 2]), 8);
    assert_eq!(process.read_all(3), "89");
    assert_eq!(process.call("lseek", &[3, -11i64 as u64, 2]), INVAL);
    assert_eq!(process.call("lseek", &[3, i64::MAX as u64, 1]), INVAL);
    assert_eq!(process.call("lseek", &[3, 0, 3]), INVAL);
    // A second number of the same file shares its position.
    assert_eq!(process.call("dup", &[3]), 4);
    process.call("lseek", &[3, 5, 0]);
    assert_eq!(process.read_all(4), "56789");
    assert_eq!(process.call("pread64", &[3, DATA, 3, u64::MAX]), INVAL);
    assert_eq!(process.call("write", &[3, DATA, 1]), BADF);
    assert_eq!(process.open("//inner/./deep/../deep//other"), 5);
    assert_eq!(process.read_all(5), "deep");
    assert_eq!(process.open("inner/nothing"), NOENT);
    assert_eq!(process.open(""), NOENT);
    assert_eq!(process.open("file/inner"), NOTDIR);
    assert_eq!(process.open("file/"), NOTDIR);
    assert_eq!(process.call("openat", &[HERE, NOWHERE, 0]), FAULT);
    // A text without an end.
    process.put(DATA, &vec![b'a'; 2 * PAGE as usize]);
    assert_eq!(process.call("openat", &[HERE, DATA, 0]), -36);
    assert_eq!(process.call("openat", &[HERE, DATA + PAGE + 1, 0]), FAULT);
    assert_eq!(process.open(&"a".repeat(300)), -36);
}

#[test]
fn words_of_32_bits() {
    let folder = Folder::new("words");
    folder.file("file", "0123456789");
    let mut process = process_with(4, Some(&folder.path), "");
    let path = process.text("/file");
    let here = HERE & 0xffff_ffff;
    assert_eq!(process.call("openat", &[here, path, 0]), 3);
    assert_eq!(process.call("llseek", &[3, u64::MAX, -3i64 as u64, DATA, 2]), 0);
    assert_eq!(process.number(DATA, 8), 7);
    assert_eq!(process.read_all(3), "789");
    assert_eq!(process.call("llseek", &[3, 1, 2, DATA, 0]), 0);
    assert_eq!(process.number(DATA, 8), (1 << 32) + 2);
    assert_eq!(process.call("pread64", &[3, DATA, 2, 4, 0]), 2);
    assert_eq!(process.bytes(DATA, 2), b"45");
    assert_eq!(process.call("pread64", &[3, DATA, 2, 4, 1]), 0);
    assert_eq!(process.call("fstat64", &[3, DATA]), 0);
    assert_eq!(process.number(DATA + 16, 4), 0o100_555);
    assert_eq!(process.number(DATA + 48, 8), 10);
    process.text("/file");
    assert_eq!(process.call("statx", &[here, DATA, 0, 0x7ff, DATA + 512]), 0);
    assert_eq!(process.number(DATA + 512, 4), 0x7ff);
    assert_eq!(process.number(DATA + 512 + 28, 2), 0o100_555);
    assert_eq!(process.number(DATA + 512 + 40, 8), 10);
    // mmap2 counts pages.
    let mapped = process.call("mmap2", &[0, PAGE, 1, 2, 3, 0]) as u64;
    assert_eq!(process.bytes(mapped, 10), b"0123456789");
    let behind = process.call("mmap2", &[0, PAGE, 1, 2, 3, 1]) as u64;
    assert_eq!(process.bytes(behind, 2), [0, 0]);
}

#[test]
fn nothing_is_written() {
    let (folder, mut process) = rooted("write");
    let path = process.text("/file");
    for flags in [1, 2, 0o1000, 0o1101, 0o2001] {
        assert_eq!(process.call("openat", &[HERE, path, flags]), ROFS, "{flags:o}");
    }
    assert_eq!(process.call("openat", &[HERE, path, 0o100]), 3);
    assert_eq!(process.call("openat", &[HERE, path, 0o300]), EXIST);
    let path = process.text("/new");
    assert_eq!(process.call("openat", &[HERE, path, 0o101]), ROFS);
    assert_eq!(process.call("openat", &[HERE, path, 1]), NOENT);
    assert!(!folder.path.join("root/new").exists());
    let path = process.text("/file");
    assert_eq!(process.call("faccessat", &[HERE, path, 4]), 0);
    assert_eq!(process.call("faccessat", &[HERE, path, 2]), ROFS);
    assert_eq!(fs::read_to_string(folder.path.join("root/file")).expect("there"), "0123456789");
}

#[test]
fn folders() {
    let (_folder, mut process) = rooted("folders");
    assert_eq!(process.open("/inner"), 3);
    assert_eq!(process.call("read", &[3, DATA, 1]), ISDIR);
    let path = process.text("deep/other");
    assert_eq!(process.call("openat", &[3, path, 0]), 4);
    assert_eq!(process.read_all(4), "deep");
    let path = process.text("deep/other");
    assert_eq!(process.call("openat", &[4, path, 0]), NOTDIR);
    assert_eq!(process.call("openat", &[9, path, 0]), BADF);
    // A path from the root on does not need the folder.
    let path = process.text("/file");
    assert_eq!(process.call("openat", &[9, path, 0]), 5);
    assert_eq!(process.call("getcwd", &[DATA, 10]), 2);
    assert_eq!(process.bytes(DATA, 2), b"/\0");
    assert_eq!(process.call("getcwd", &[DATA, 1]), -34);
    assert_eq!(process.call("fstat", &[3, DATA]), 0);
    assert_eq!(process.number(DATA + 16, 4), 0o040_555);
}

#[test]
fn properties() {
    let (_folder, mut process) = rooted("properties");
    let at = DATA + 512;
    let path = process.text("/file");
    assert_eq!(process.call("newfstatat", &[HERE, path, at, 0]), 0);
    assert_eq!((process.number(at + 16, 4), process.number(at + 48, 8)), (0o100_555, 10));
    let number = process.number(at + 8, 8);
    process.open("/inner/../file");
    // A file that is open is the same file.
    let empty = process.text("");
    assert_eq!(process.call("newfstatat", &[3, empty, at, 0x1000]), 0);
    assert_eq!(process.number(at + 8, 8), number);
    assert_eq!(process.call("newfstatat", &[3, empty, at, 0]), NOENT);
    assert_eq!(process.call("newfstatat", &[3, 0, at, 0x1000]), 0);
    let path = process.text("/inner");
    assert_eq!(process.call("newfstatat", &[HERE, path, at, 0]), 0);
    assert_ne!(process.number(at + 8, 8), number);
    assert_eq!(process.call("newfstatat", &[HERE, path, NOWHERE, 0]), FAULT);
    assert_eq!(process.call("newfstatat", &[HERE, NOWHERE, at, 0]), FAULT);
    assert_eq!(process.call("fstat", &[3, NOWHERE]), FAULT);
    assert_eq!(process.call("statx", &[HERE, path, 0, 0, NOWHERE]), FAULT);
    assert_eq!(process.call("fstat", &[99, at]), BADF);
}

#[test]
fn the_program_itself() {
    let mut process = process();
    let path = process.text("/proc/self/exe");
    assert_eq!(process.call("readlinkat", &[HERE, path, DATA + 512, 100]), 5);
    assert_eq!(process.bytes(DATA + 512, 5), b"/test");
    assert_eq!(process.call("readlinkat", &[HERE, path, DATA + 512, 3]), 3);
    assert_eq!(process.call("readlinkat", &[HERE, path, DATA + 512, 0]), INVAL);
    assert_eq!(process.call("readlinkat", &[HERE, path, NOWHERE, 9]), FAULT);
}

/// Ways out of the root: none leads anywhere else.
#[cfg(unix)]
#[test]
fn no_way_out() {
    let (folder, mut process) = rooted("escape");
    let outside = folder.path.join("secret").display().to_string();
    folder.link("root/relative", "../secret");
    folder.link("root/absolute", &outside);
    folder.link("root/above", "..");
    folder.link("root/far", "../../../../../../../../etc");
    folder.link("root/slash", "/");
    folder.link("root/inner/up", "../../secret");
    folder.link("root/inner/file", "/file");
    folder.link("root/again", "inner/file");
    folder.link("root/self", "self");
    folder.link("root/a", "b");
    folder.link("root/b", "a");
    folder.link("root/folder", "inner");
    folder.link("root/outer_folder", &folder.path.display().to_string());
    for path in [
        "../secret",
        "/../secret",
        "/inner/../../secret",
        "inner/deep/../../../secret",
        "/relative",
        "/absolute",
        "/above/secret",
        "/slash/secret",
        "/slash/../secret",
        "/inner/up",
        "/outer_folder/secret",
        "/far/passwd",
        &outside,
    ] {
        assert_eq!(process.open(path), NOENT, "{path}");
        let at = process.text(path);
        assert_eq!(process.call("newfstatat", &[HERE, at, DATA + 2048, 0]), NOENT, "{path}");
        assert_eq!(process.call("faccessat", &[HERE, at, 0]), NOENT, "{path}");
    }
    for path in ["/self", "/a", "/self/x"] {
        assert_eq!(process.open(path), LOOP, "{path}");
    }
    // Links inside, links from the root on, and `..` at the root, which is the root.
    for path in
        ["/again", "/inner/file", "/slash/file", "/above/file", "../../file", "/folder/../file"]
    {
        let file = process.open(path);
        assert!(file >= 3, "{path}: {file}");
        assert_eq!(process.read_all(file), "0123456789", "{path}");
    }
    // The text of a link is no file.
    let path = process.text("/absolute");
    let length = process.call("readlinkat", &[HERE, path, DATA + 1024, 1000]);
    assert_eq!(process.bytes(DATA + 1024, length as u64), outside.as_bytes());
    assert_eq!(process.call("newfstatat", &[HERE, path, DATA + 2048, 0x100]), 0);
    assert_eq!(process.number(DATA + 2048 + 16, 4), 0o120_777);
    let path = process.text("/file");
    assert_eq!(process.call("readlinkat", &[HERE, path, DATA + 1024, 1000]), INVAL);
    let path = process.text("/above/secret");
    assert_eq!(process.call("readlinkat", &[HERE, path, DATA + 1024, 1000]), NOENT);
}

/// A folder that was replaced by a link after it was found.
#[cfg(unix)]
#[test]
fn what_changes_meanwhile() {
    let (folder, mut process) = rooted("changes");
    assert_eq!(process.open("/inner"), 3);
    fs::remove_dir_all(folder.path.join("root/inner")).expect("there");
    folder.link("root/inner", "..");
    let path = process.text("secret");
    assert_eq!(process.call("openat", &[3, path, 0]), ACCES);
    let path = process.text("..");
    assert_eq!(process.call("openat", &[3, path, 0]), 4);
    assert_eq!(process.call("openat", &[4, path, 0]), 5);
    let path = process.text("secret");
    assert_eq!(process.call("openat", &[5, path, 0]), NOENT);
}
