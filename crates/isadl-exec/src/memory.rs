//! The memory of a machine: bytes in pages, each with what may be done with it.
//!
//! The bytes are one array, so an access is a few instructions of the host. Pages that were never written take no memory of the host,
//! because the system hands out zeros only when they are touched.

use std::collections::HashMap;
use std::fmt;
use std::ops::{Deref, DerefMut, Range};

use memmap2::MmapMut;

/// The bytes of a page.
pub const PAGE: u64 = 1 << PAGE_BITS;

const PAGE_BITS: u32 = 12;

/// Words of 64 bits, with a bit for each byte of a page.
const BITS: usize = PAGE as usize / 64;

/// What may be done with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Access(u8);

impl Access {
    /// Nothing: the page is not there.
    pub const NONE: Access = Access(0);
    /// Reading.
    pub const READ: Access = Access(1);
    /// Writing.
    pub const WRITE: Access = Access(2);
    /// Executing.
    pub const EXECUTE: Access = Access(4);
    /// Reading and writing.
    pub const READ_WRITE: Access = Access(3);
    /// Everything.
    pub const ALL: Access = Access(7);
    /// Instructions were translated that are in the page. Writing to it takes the slow path.
    const TRANSLATED: Access = Access(8);

    /// What either allows.
    pub const fn or(self, other: Access) -> Access {
        Access(self.0 | other.0)
    }

    /// What both allow.
    pub const fn and(self, other: Access) -> Access {
        Access(self.0 & other.0)
    }

    /// Whether it allows everything that another does.
    pub const fn allows(self, other: Access) -> bool {
        self.0 & other.0 == other.0
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names =
            [(Access::READ, "reading"), (Access::WRITE, "writing"), (Access::EXECUTE, "executing")];
        let own = names.into_iter().filter(|(access, _)| self.allows(*access));
        let own: Vec<&str> = own.map(|(_, name)| name).collect();
        f.write_str(if own.is_empty() { "nothing" } else { "" })?;
        f.write_str(&own.join(" and "))
    }
}

/// An access that the memory does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The first address that it may not be made at.
    pub address: u64,
    /// What was tried.
    pub access: Access,
}

/// A memory of bytes: all addresses from [`Memory::start`] up to [`Memory::end`]. Numbers are stored with their lowest byte first.
#[derive(Clone)]
pub struct Memory {
    start: u64,
    bytes: Untouched,
    /// Of each page.
    pages: Vec<Access>,
    /// For each page with translated instructions, a bit for each byte of them.
    translated: HashMap<u64, Box<[u64; BITS]>>,
    /// Whether bytes of translated instructions may have changed.
    is_rewritten: bool,
}

/// Bytes that the system gives when they are touched, whichever allocator the program has: some write zeros into all of them at once.
struct Untouched(MmapMut);

impl Untouched {
    fn new(size: usize) -> Untouched {
        // As for any other allocation, there is no way to go on without.
        Untouched(MmapMut::map_anon(size).expect("the system has enough memory"))
    }
}

impl Deref for Untouched {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for Untouched {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

impl Clone for Untouched {
    fn clone(&self) -> Untouched {
        let mut copy = Untouched::new(self.len());
        let pages = copy.chunks_mut(PAGE as usize).zip(self.chunks(PAGE as usize));
        let used = pages.filter(|(_, page)| page.iter().any(|byte| *byte != 0));
        used.for_each(|(copy, page)| copy.copy_from_slice(page));
        copy
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({:#x}..{:#x})", self.start(), self.end())
    }
}

impl Memory {
    /// A memory of the pages from an address on, of which none is there yet. The address is rounded down to that of a page, the size, in
    /// bytes, up.
    pub fn new(start: u64, size: u64) -> Memory {
        let start = start & !(PAGE - 1);
        let size = size.min(u64::MAX - start - PAGE).next_multiple_of(PAGE);
        let pages = vec![Access::NONE; (size >> PAGE_BITS) as usize];
        Memory {
            start,
            bytes: Untouched::new(size as usize),
            pages,
            translated: HashMap::new(),
            is_rewritten: false,
        }
    }

    /// The lowest address.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The address behind the highest.
    pub fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// What may be done at an address.
    pub fn access(&self, address: u64) -> Access {
        let page = address.wrapping_sub(self.start) >> PAGE_BITS;
        self.pages.get(page as usize).map_or(Access::NONE, |access| access.and(Access::ALL))
    }

    /// Says what may be done with the pages that a range of addresses touches.
    ///
    /// # Errors
    ///
    /// If some of it is outside of the memory; then nothing changes.
    pub fn protect(&mut self, range: Range<u64>, access: Access) -> Result<(), Fault> {
        if range.is_empty() {
            return Ok(());
        }
        if range.start < self.start || range.end > self.end() {
            let address = if range.start < self.start { range.start } else { self.end() };
            return Err(Fault { address, access });
        }
        let first = (range.start - self.start) >> PAGE_BITS;
        let last = (range.end - 1 - self.start) >> PAGE_BITS;
        for page in first..=last {
            if self.translated.remove(&page).is_some() {
                self.is_rewritten = true;
            }
            self.pages[page as usize] = access.and(Access::ALL);
        }
        Ok(())
    }

    /// Sets the bytes of a range to zero, whatever may be done with it.
    ///
    /// # Errors
    ///
    /// If some of it is outside of the memory; then nothing changes.
    pub fn clear(&mut self, range: Range<u64>) -> Result<(), Fault> {
        self.inside_mut(range.clone())?.fill(0);
        self.forget(range);
        Ok(())
    }

    /// The bytes of a range, whatever may be done with them.
    fn inside_mut(&mut self, range: Range<u64>) -> Result<&mut [u8], Fault> {
        let fault = Fault { address: range.start, access: Access::WRITE };
        let first = range.start.checked_sub(self.start).ok_or(fault)?;
        let last = range.end.checked_sub(self.start).ok_or(fault)?;
        self.bytes.get_mut(first as usize..last as usize).ok_or(fault)
    }

    /// The first address of a range where an access is not allowed.
    fn refused(&self, address: u64, length: u64, access: Access) -> Option<Fault> {
        if length == 0 {
            return None;
        }
        let last = match address.checked_add(length - 1) {
            Some(last) => last,
            None => return Some(Fault { address, access }),
        };
        let mut at = address;
        loop {
            // An address outside has no page, whatever is asked for.
            let page = self.pages.get((at.wrapping_sub(self.start) >> PAGE_BITS) as usize);
            if !page.is_some_and(|own| own.allows(access)) {
                return Some(Fault { address: at, access });
            }
            match (at | (PAGE - 1)).checked_add(1) {
                Some(next) if next <= last => at = next,
                _ => return None,
            }
        }
    }

    /// The bytes of a range.
    ///
    /// # Errors
    ///
    /// If some of them may not be read, or executed, as `access` says.
    pub fn bytes(&self, address: u64, length: u64, access: Access) -> Result<&[u8], Fault> {
        match self.refused(address, length, access) {
            Some(fault) => Err(fault),
            None if length == 0 => Ok(&[]),
            None => {
                let range = address.wrapping_sub(self.start) as usize..;
                let found = self.bytes.get(range).and_then(|all| all.get(..length as usize));
                found.ok_or(Fault { address, access })
            }
        }
    }

    /// Writes bytes.
    ///
    /// # Errors
    ///
    /// If some of the addresses may not be written; then nothing is.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        match self.refused(address, bytes.len() as u64, Access::WRITE) {
            Some(fault) => Err(fault),
            None => self.write_anyway(address, bytes),
        }
    }

    /// Writes bytes, whatever may be done with the pages: as a loader or a debugger does.
    ///
    /// # Errors
    ///
    /// If some of the addresses are outside of the memory; then nothing is written.
    pub fn write_anyway(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let fault = Fault { address, access: Access::WRITE };
        let end = address.checked_add(bytes.len() as u64).ok_or(fault)?;
        self.inside_mut(address..end)?.copy_from_slice(bytes);
        self.forget(address..end);
        Ok(())
    }

    /// Says that instructions in a range of addresses were translated, or that there are none.
    pub(crate) fn set_translated(&mut self, range: Range<u64>) {
        for address in range {
            let at = address.wrapping_sub(self.start);
            let page = at >> PAGE_BITS;
            let Some(access) = self.pages.get_mut(page as usize) else { continue };
            *access = access.or(Access::TRANSLATED);
            let bits = self.translated.entry(page).or_insert_with(|| Box::new([0; BITS]));
            let bit = at % PAGE;
            bits[(bit / 64) as usize] |= 1 << (bit % 64);
        }
    }

    /// Notes that bytes in a range have changed, if they are of translated instructions.
    fn forget(&mut self, range: Range<u64>) {
        if range.is_empty() || self.translated.is_empty() {
            return;
        }
        let (first, last) = (range.start - self.start, range.end - 1 - self.start);
        for page in first >> PAGE_BITS..=last >> PAGE_BITS {
            let Some(bits) = self.translated.get(&page) else { continue };
            let within = |at: u64| at.saturating_sub(page << PAGE_BITS).min(PAGE - 1);
            let is_one = |bit: u64| bits[(bit / 64) as usize] >> (bit % 64) & 1 != 0;
            if (within(first)..=within(last)).any(is_one) {
                self.translated.remove(&page);
                let access = &mut self.pages[page as usize];
                *access = access.and(Access::ALL);
                self.is_rewritten = true;
            }
        }
    }

    /// Whether translated instructions may have changed since the last call.
    pub(crate) fn take_rewritten(&mut self) -> bool {
        std::mem::take(&mut self.is_rewritten)
    }

    /// Whether translated instructions may have changed.
    pub(crate) fn is_rewritten(&self) -> bool {
        self.is_rewritten
    }

    /// Reads `N` bytes of one page; `None` if they are on two, or may not be read.
    #[inline(always)]
    pub(crate) fn load<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let at = address.wrapping_sub(self.start);
        let page = *self.pages.get((at >> PAGE_BITS) as usize)?;
        if !page.allows(Access::READ) || at % PAGE > PAGE - N as u64 {
            return None;
        }
        self.bytes.get(at as usize..)?.first_chunk().copied()
    }

    /// Writes `N` bytes of one page; `None` if they are on two, may not be written, or instructions of the page were translated.
    #[inline(always)]
    pub(crate) fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Option<()> {
        let at = address.wrapping_sub(self.start);
        let page = *self.pages.get((at >> PAGE_BITS) as usize)?;
        let plain = page.and(Access::WRITE.or(Access::TRANSLATED)) == Access::WRITE;
        if !plain || at % PAGE > PAGE - N as u64 {
            return None;
        }
        *self.bytes.get_mut(at as usize..)?.first_chunk_mut()? = bytes;
        Some(())
    }

    /// Where an access of some bytes fails.
    pub(crate) fn fault(&self, address: u64, bytes: u64, access: Access) -> Fault {
        self.refused(address, bytes, access).unwrap_or(Fault { address, access })
    }
}
