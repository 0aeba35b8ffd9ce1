//! The loader: files that are as they should be, and files that are not.

use isadl::isa::Isa;
use isadl::source::SourceMap;
use isadl_exec::load::{Image, load};
use isadl_exec::memory::{Access, Memory, PAGE};

const MACHINE: u16 = 0xfeed;
const SIZE: u64 = 4 << 20;
/// Where the program is.
const BASE: u64 = 0x2_0000;

fn isa(class: u32) -> Isa {
    let text = format!(
        "__DefIsa OWN<8>\n    Elf<machine> = {MACHINE}; Elf<class> = {class}; Elf<code> = \"$x\"; Elf<data> = \"$d\";\n\
         __DefImmediate Code<8>\n    Number = unsigned;\n__DefGroup ALL : []\n__DefOpcode STOP : [ALL]\n  \
         __Encoding\n    field[7:0] Code code == 0;\n"
    );
    let mut sources = SourceMap::new();
    sources.add("own.isa", text.into_bytes());
    isadl::compile(&sources).into_isa().expect("no errors")
}

/// A program header.
#[derive(Clone)]
struct Header {
    kind: u32,
    flags: u32,
    offset: u64,
    address: u64,
    in_file: u64,
    in_memory: u64,
    align: u64,
}

/// What a file says.
#[derive(Clone)]
struct Elf {
    class: u32,
    order: u8,
    kind: u16,
    machine: u16,
    entry: u64,
    headers: Vec<Header>,
    /// The contents after the headers, which begin at [`CONTENTS`].
    contents: Vec<u8>,
    symbols: Vec<(&'static str, u64)>,
}

const CONTENTS: u64 = 512;

impl Elf {
    /// Two segments on three pages: code, and data of which a part is not in the file.
    fn usual(class: u32) -> Elf {
        let load = |flags, offset, address, in_file, in_memory| Header {
            kind: 1,
            flags,
            offset,
            address,
            in_file,
            in_memory,
            align: PAGE,
        };
        let code = load(5, 0, BASE, CONTENTS + 16, CONTENTS + 16);
        let data = load(6, CONTENTS + 16, BASE + PAGE + CONTENTS + 16, 8, PAGE);
        Elf {
            class,
            order: 1,
            kind: 2,
            machine: MACHINE,
            entry: BASE + CONTENTS,
            headers: vec![code, data],
            contents: b"sixteen of code.8 bytes.".to_vec(),
            symbols: vec![
                ("start", BASE + CONTENTS),
                ("$x", BASE + CONTENTS),
                ("end", BASE + CONTENTS + 8),
            ],
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let is_wide = self.class == 64;
        let word = |value: u64| value.to_le_bytes()[..if is_wide { 8 } else { 4 }].to_vec();
        let (own, program, section) = if is_wide { (64, 56, 64) } else { (52, 32, 40) };
        let mut names = vec![0];
        let mut table = vec![0; if is_wide { 24 } else { 16 }];
        for (name, value) in &self.symbols {
            let start = (names.len() as u32).to_le_bytes();
            names.extend(name.bytes().chain([0]));
            // A global function of the first section.
            let (info, index) = ([0x12, 0], 1u16.to_le_bytes());
            match is_wide {
                true => {
                    table.extend(
                        [&start[..], &info, &index, &value.to_le_bytes(), &4u64.to_le_bytes()]
                            .concat(),
                    );
                }
                false => {
                    table.extend([&start[..], &word(*value), &word(4), &info, &index].concat())
                }
            }
        }
        let table_at = CONTENTS + self.contents.len() as u64;
        let names_at = table_at + table.len() as u64;
        let sections_at = names_at + names.len() as u64;
        let mut out = vec![0x7f, b'E', b'L', b'F', if is_wide { 2 } else { 1 }, self.order, 1];
        out.resize(16, 0);
        out.extend(self.kind.to_le_bytes());
        out.extend(self.machine.to_le_bytes());
        out.extend(1u32.to_le_bytes());
        out.extend(word(self.entry));
        out.extend(word(own));
        out.extend(word(sections_at));
        out.extend(0u32.to_le_bytes());
        for number in [own as u16, program, self.headers.len() as u16, section, 4, 3] {
            out.extend(number.to_le_bytes());
        }
        for one in &self.headers {
            out.extend(one.kind.to_le_bytes());
            if is_wide {
                out.extend(one.flags.to_le_bytes());
            }
            for value in [one.offset, one.address, one.address, one.in_file, one.in_memory] {
                out.extend(word(value));
            }
            if !is_wide {
                out.extend(one.flags.to_le_bytes());
            }
            out.extend(word(one.align));
        }
        out.resize(CONTENTS as usize, 0);
        out.extend(&self.contents);
        out.extend(&table);
        out.extend(&names);
        let entry = table.len() as u64 / (self.symbols.len() as u64 + 1);
        // Nothing, the code, the symbols, and their names.
        let sections: [(u32, u64, u64, u32, u64); 4] = [
            (0, 0, 0, 0, 0),
            (1, CONTENTS, 16, 0, 0),
            (2, table_at, table.len() as u64, 3, entry),
            (3, names_at, names.len() as u64, 0, 0),
        ];
        for (kind, offset, size, link, entry) in sections {
            out.extend([0u32.to_le_bytes(), kind.to_le_bytes()].concat());
            for value in [0, 0, offset, size] {
                out.extend(word(value));
            }
            out.extend([link.to_le_bytes(), 0u32.to_le_bytes()].concat());
            out.extend([word(1), word(entry)].concat());
        }
        out
    }

    fn load(&self) -> Result<(Image, Memory), String> {
        let mut memory = Memory::new(0, SIZE);
        let image = load(&self.bytes(), &isa(self.class), &mut memory);
        image.map(|image| (image, memory)).map_err(|error| error.to_string())
    }
}

#[test]
fn a_program_of_either_class() {
    for class in [32, 64] {
        let (image, memory) = Elf::usual(class).load().expect("it is whole");
        assert_eq!((image.entry, image.bias, image.word), (BASE + CONTENTS, 0, class / 8));
        let end = BASE + 2 * PAGE + CONTENTS + 16;
        assert_eq!((image.start, image.end), (BASE, end));
        let size = if class == 64 { (64, 56) } else { (52, 32) };
        assert_eq!((image.headers, image.header_size), (Some(BASE + size.0), size.1));
        assert_eq!(image.header_count, 2);
        let bytes = |at: u64, length: u64, access: Access| {
            memory.bytes(at, length, access).expect("allowed").to_vec()
        };
        assert_eq!(bytes(BASE + CONTENTS, 16, Access::EXECUTE), b"sixteen of code.");
        assert_eq!(bytes(BASE + PAGE + CONTENTS + 16, 10, Access::READ), b"8 bytes.\0\0");
        assert!(!memory.access(BASE).allows(Access::WRITE));
        assert!(memory.access(end - 1).allows(Access::READ_WRITE));
        assert!(!memory.access(end - 1).allows(Access::EXECUTE));
        assert_eq!(memory.access(BASE - 1), Access::NONE);
        assert_eq!(memory.access(end + PAGE), Access::NONE);
        let names: Vec<&str> = image.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(names, ["start", "end"]);
        assert_eq!(image.address_of("end"), Some(BASE + CONTENTS + 8));
        let at = |address| image.symbol_at(address).map(|symbol| symbol.name.as_str());
        assert_eq!(
            [at(BASE), at(BASE + CONTENTS + 7), at(end)],
            [None, Some("start"), Some("end")]
        );
    }
}

#[test]
fn pages_that_are_shared_allow_both() {
    let mut elf = Elf::usual(64);
    elf.headers[1].address = BASE + CONTENTS + 16;
    elf.headers[1].in_memory = 16;
    let (_, memory) = elf.load().expect("it is whole");
    assert!(memory.access(BASE).allows(Access::ALL));
}

#[test]
fn a_program_that_may_be_anywhere() {
    let mut elf = Elf::usual(64);
    elf.kind = 3;
    elf.entry -= BASE;
    elf.headers.iter_mut().for_each(|header| header.address -= BASE);
    elf.symbols.iter_mut().for_each(|(_, address)| *address -= BASE);
    elf.headers[0].align = 0x4_0000;
    let (image, memory) = elf.load().expect("it is whole");
    assert_eq!((image.bias, image.start), (0x4_0000, 0x4_0000));
    assert_eq!(image.entry, image.bias + CONTENTS);
    assert_eq!(image.headers, Some(image.bias + 64));
    assert_eq!(image.address_of("start"), Some(image.entry));
    assert!(memory.access(image.entry).allows(Access::EXECUTE));
    // Elsewhere, if memory begins elsewhere.
    let mut high = Memory::new(1 << 40, SIZE);
    let image = load(&elf.bytes(), &isa(64), &mut high).expect("it fits");
    assert_eq!(image.bias, 1 << 40);
    elf.headers[0].align = 3;
    assert!(elf.load().map(drop).expect_err("no power").contains("power of two"));
    elf.headers[0].align = 1 << 63;
    assert!(elf.load().is_err());
}

#[test]
fn wrong_files() {
    type Plant = fn(&mut Elf);
    let plants: [(&str, Plant); 17] = [
        ("machine 7", |elf| elf.machine = 7),
        ("object that was not linked", |elf| elf.kind = 1),
        ("not an executable", |elf| elf.kind = 4),
        ("dynamically linked", |elf| elf.headers[1].kind = 3),
        ("nothing of the file", |elf| elf.headers.iter_mut().for_each(|one| one.kind = 7)),
        ("nothing of the file", |elf| elf.headers.iter_mut().for_each(|one| one.in_memory = 0)),
        ("not whole in the file", |elf| elf.headers[1].offset = 1 << 30),
        ("not whole in the file", |elf| elf.headers[1].in_file = u64::MAX / 2),
        ("larger in the file", |elf| elf.headers[1].in_memory = 4),
        ("beyond all addresses", |elf| elf.headers[1].address = u64::MAX - 16),
        ("memory is from", |elf| elf.headers[1].address = SIZE),
        ("memory is from", |elf| elf.headers[1].in_memory = 1 << 50),
        ("at the same address", |elf| elf.headers[1].address = BASE),
        ("where no instructions are", |elf| elf.entry = BASE + PAGE + CONTENTS + 16),
        ("where no instructions are", |elf| elf.entry = u64::MAX),
        ("where no instructions are", |elf| elf.headers[0].flags = 4),
        ("is for 32 bits", |elf| elf.class = 32),
    ];
    for (text, plant) in plants {
        let mut elf = Elf::usual(64);
        plant(&mut elf);
        let loaded = load(&elf.bytes(), &isa(64), &mut Memory::new(0, SIZE));
        let error = loaded.expect_err(text).to_string();
        assert!(error.contains(text), "{text}: {error}");
    }
    for (bytes, text) in [
        (&b""[..], "not an ELF file"),
        (b"\x7fELF", "neither 32 nor 64"),
        (b"\x7fELF\x02", "malformed"),
    ] {
        let error = load(bytes, &isa(64), &mut Memory::new(0, SIZE)).expect_err(text);
        assert!(error.to_string().contains(text), "{error}");
    }
    let mut big = Elf::usual(64).bytes();
    big[5] = 2;
    assert!(load(&big, &isa(64), &mut Memory::new(0, SIZE)).is_err());
}

/// Files that are cut off, or of which some bytes are others: there is an image or an error, never more.
#[test]
fn damaged_files() {
    let mut state: u64 = 3;
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 33
    };
    for class in [32, 64] {
        let (isa, whole) = (isa(class), Elf::usual(class).bytes());
        for length in 0..whole.len() {
            let _ = load(&whole[..length], &isa, &mut Memory::new(0, SIZE));
        }
        for _ in 0..20_000 {
            let mut bytes = whole.clone();
            for _ in 0..=next() % 4 {
                let at = next() as usize % bytes.len();
                let (from, to) = (at, (at + 1 + next() as usize % 8).min(bytes.len()));
                let value = [0, 0xff, 0x7f, 0x80, next() as u8][next() as usize % 5];
                bytes[from..to].fill(value);
            }
            let mut memory = Memory::new(0, SIZE);
            if let Ok(image) = load(&bytes, &isa, &mut memory) {
                assert!(image.start < image.end && image.end <= SIZE);
                assert!(image.symbols.len() <= bytes.len());
            }
        }
    }
}
