//! What is on the stack when a program begins.

use std::collections::BTreeMap;

use super::*;

fn started(word: u32, args: &[&str], variables: &[&str]) -> Result<Process, String> {
    let texts = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    let variables = texts(variables);
    let args: Vec<Vec<u8>> = texts(args);
    let settings =
        Settings { word, stack: STACK, variables, capabilities: 3, ..Settings::default() };
    let mut memory = Memory::new(0, SIZE);
    let mut linux = Linux::new(settings);
    let stack = linux.start(&mut memory, &image(word), &args).map_err(|error| error.to_string())?;
    Ok(Process { linux, memory, output: Sink::default(), errors: Sink::default(), stack })
}

impl Process {
    fn text_at(&self, address: u64) -> String {
        let length = (0..).find(|at| self.number(address + at, 1) == 0).expect("an end");
        String::from_utf8(self.bytes(address, length)).expect("a text")
    }
}

#[test]
fn arguments_variables_and_the_auxiliary_vector() {
    for word in [4u32, 8] {
        let size = u64::from(word);
        let args = ["/bin/program", "", "--option"];
        let process = started(word, &args, &["HOME=/", "X=1"]).expect("it starts");
        let mut at = process.stack;
        assert_eq!(at % 16, 0);
        assert!(at < SIZE && at > SIZE - STACK);
        let mut next = || {
            at += size;
            process.number(at - size, size)
        };
        assert_eq!(next(), 3);
        let given: Vec<String> = (0..3).map(|_| process.text_at(next())).collect();
        assert_eq!(given, args);
        assert_eq!(next(), 0);
        let given: Vec<String> = (0..2).map(|_| process.text_at(next())).collect();
        assert_eq!(given, ["HOME=/", "X=1"]);
        assert_eq!(next(), 0);
        let mut pairs = BTreeMap::new();
        loop {
            let (key, value) = (next(), next());
            if key == 0 {
                break;
            }
            assert_eq!(pairs.insert(key, value), None);
        }
        let known = [(3, DATA + 64), (4, 56), (5, 3), (6, PAGE), (9, DATA), (16, 3), (23, 0)];
        known.iter().for_each(|(key, value)| assert_eq!(pairs[key], *value, "{key}"));
        assert_eq!(process.text_at(pairs[&31]), "/bin/program");
        let random = process.bytes(pairs[&25], 16);
        let other = started(word, &["x"], &[]).expect("it starts");
        assert_ne!(random, [0; 16]);
        // All of the stack can be written, and below it is nothing.
        assert!(
            other.is(SIZE - STACK, Access::READ_WRITE) && other.is(SIZE - 1, Access::READ_WRITE)
        );
        assert!(!other.is(SIZE - STACK - 1, Access::READ));
    }
}

#[test]
fn no_arguments() {
    let process = started(8, &[], &[]).expect("it starts");
    assert_eq!((process.number(process.stack, 8), process.number(process.stack + 8, 8)), (0, 0));
}

#[test]
fn what_cannot_start() {
    let error = |word, args: &[&str]| started(word, args, &[]).err().expect("an error");
    assert!(error(8, &["a\0b"]).contains("zero byte"));
    assert!(error(8, &[&"x".repeat(2 << 20)]).contains("too large"));
    let many: Vec<&str> = vec![""; 1 << 18];
    assert!(error(8, &many).contains("too large"));
    let mut linux = Linux::new(Settings { stack: STACK, ..Settings::default() });
    let mut memory = Memory::new(0, SIZE);
    let found = linux.start(&mut memory, &image(4), &[]).expect_err("other words");
    assert!(found.to_string().contains("32 bits"));
    let mut memory = Memory::new(0, STACK);
    let found = linux.start(&mut memory, &image(8), &[]).expect_err("no space");
    assert!(found.to_string().contains("too small"));
    for stack in [0, SIZE, u64::MAX] {
        let mut linux = Linux::new(Settings { stack, ..Settings::default() });
        let started = linux.start(&mut Memory::new(0, SIZE), &image(8), &[]);
        assert_eq!(started.is_ok(), stack == 0);
    }
    let root = Some("/no/such/folder".into());
    let mut linux = Linux::new(Settings { root, stack: STACK, ..Settings::default() });
    let found = linux.start(&mut Memory::new(0, SIZE), &image(8), &[]).expect_err("no root");
    assert!(found.to_string().contains("/no/such/folder"));
}
