//! Calls about memory: `brk`, `mmap` and what belongs to it.
//!
//! The heap grows from the end of the program, and mappings are placed from the stack downwards.

use std::ops::Range;

use super::Linux;
use super::errno::Errno;
use super::files::{Descriptor, read_at};
use super::guest::Guest;
use super::regions::Regions;
use crate::load::LOWEST;
use crate::memory::{Access, Memory, PAGE};

// `include/uapi/asm-generic/mman-common.h`, `mman.h` and `include/uapi/linux/mman.h`.
const PROT_READ: u64 = 1;
const PROT_WRITE: u64 = 2;
const PROT_EXEC: u64 = 4;
/// Bits of other architectures, and of mappings that grow: they say nothing about access.
const PROT_OTHERS: u64 = 0x0300_0008;
const MAP_SHARED: u64 = 1;
const MAP_TYPE: u64 = 0xf;
const MAP_FIXED: u64 = 0x10;
const MAP_ANONYMOUS: u64 = 0x20;
const MAP_FIXED_NOREPLACE: u64 = 0x10_0000;
const MREMAP_MAYMOVE: u64 = 1;
const MREMAP_FIXED: u64 = 2;
const MADV_DONTNEED: u64 = 4;

/// What of the memory is in use.
#[derive(Debug, Default)]
pub(super) struct Map {
    used: Regions,
    /// What was used before, and may not be zero.
    dirty: Regions,
    /// The first address of the heap, and the one behind it.
    heap: Range<u64>,
    /// Mappings end below it.
    top: u64,
}

impl Map {
    /// The memory of a program that was loaded, with a stack.
    pub(super) fn new(image: Range<u64>, stack: Range<u64>) -> Map {
        let heap = image.end.next_multiple_of(PAGE);
        let top = stack.start - PAGE;
        let mut used = Regions::default();
        used.add(image.start & !(PAGE - 1)..heap);
        used.add(stack);
        Map { used, dirty: Regions::default(), heap: heap..heap, top }
    }

    /// How many bytes are in use.
    pub(super) fn size(&self) -> u64 {
        self.used.count()
    }

    /// Makes a range, which is free, a mapping of zeros.
    fn take(
        &mut self,
        range: &Range<u64>,
        access: Access,
        memory: &mut Memory,
    ) -> Result<(), Errno> {
        for part in self.dirty.within(range) {
            memory.clear(part).map_err(|_| Errno::NOMEM)?;
        }
        memory.protect(range.clone(), access).map_err(|_| Errno::NOMEM)?;
        self.dirty.remove(range);
        self.used.add(range.clone());
        Ok(())
    }

    /// Ends all mappings in a range.
    fn release(&mut self, range: &Range<u64>, memory: &mut Memory) {
        for part in self.used.within(range) {
            // INVARIANT: all that is in use is inside of the memory.
            let _ = memory.protect(part.clone(), Access::NONE);
            self.used.remove(&part);
            self.dirty.add(part);
        }
    }
}

/// The pages of a range of addresses.
fn pages(address: u64, length: u64) -> Result<Range<u64>, Errno> {
    if !address.is_multiple_of(PAGE) {
        return Err(Errno::INVAL);
    }
    let length = length.checked_next_multiple_of(PAGE).ok_or(Errno::NOMEM)?;
    Ok(address..address.checked_add(length).ok_or(Errno::NOMEM)?)
}

/// What a protection allows. What can be written can be read.
fn access(protection: u64) -> Result<Access, Errno> {
    if protection & !(PROT_READ | PROT_WRITE | PROT_EXEC | PROT_OTHERS) != 0 {
        return Err(Errno::INVAL);
    }
    let all =
        [(PROT_READ, Access::READ), (PROT_WRITE, Access::READ_WRITE), (PROT_EXEC, Access::EXECUTE)];
    let given = all.into_iter().filter(|(bit, _)| protection & bit != 0);
    Ok(given.fold(Access::NONE, |known, (_, access)| known.or(access)))
}

impl Linux {
    /// `brk(address)`: the end of the heap; the old end if it cannot be there.
    pub(super) fn brk(&mut self, address: u64, guest: &mut Guest<'_>) -> Result<i64, Errno> {
        let map = &mut self.map;
        let old = map.heap.end.next_multiple_of(PAGE);
        if address < map.heap.start || address > map.top {
            return Ok(map.heap.end as i64);
        }
        let new = address.next_multiple_of(PAGE);
        if new > old {
            let more = old..new;
            if map.used.has_any(&more) || map.take(&more, Access::READ_WRITE, guest.memory).is_err()
            {
                return Ok(map.heap.end as i64);
            }
        } else {
            map.release(&(new..old), guest.memory);
        }
        map.heap.end = address;
        Ok(address as i64)
    }

    /// `mmap(address, length, protection, flags, file, offset)`, with an offset in bytes.
    pub(super) fn mmap(
        &mut self,
        [address, length, protection, flags, file]: [u64; 5],
        offset: u64,
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        if length == 0 || !offset.is_multiple_of(PAGE) || flags & MAP_TYPE == 0 {
            return Err(Errno::INVAL);
        }
        let access = access(protection)?;
        let source = match flags & MAP_ANONYMOUS != 0 {
            true => None,
            false => Some(self.files.get(file)?),
        };
        let is_shared = flags & MAP_TYPE & MAP_SHARED != 0;
        match source.as_deref() {
            Some(Descriptor::File(_)) if is_shared && protection & PROT_WRITE != 0 => {
                return Err(Errno::ACCES);
            }
            None | Some(Descriptor::File(_)) => {}
            Some(_) => return Err(Errno::ACCES),
        }
        let is_fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) != 0;
        let range = match is_fixed {
            true => self.fixed(address, length, flags, guest)?,
            false => self.anywhere(address, length, guest)?,
        };
        self.map.take(&range, access, guest.memory)?;
        if let Some(Descriptor::File(file)) = source.as_deref()
            && let Err(error) = copy(&file.borrow(), offset, length, range.start, guest)
        {
            self.map.release(&range, guest.memory);
            return Err(error);
        }
        Ok(range.start as i64)
    }

    /// The range at a given address, made free.
    fn fixed(
        &mut self,
        address: u64,
        length: u64,
        flags: u64,
        guest: &mut Guest<'_>,
    ) -> Result<Range<u64>, Errno> {
        let range = pages(address, length)?;
        if range.start < LOWEST {
            return Err(Errno::PERM);
        }
        if range.start < guest.memory.start() || range.end > guest.memory.end() {
            return Err(Errno::NOMEM);
        }
        if flags & MAP_FIXED_NOREPLACE != 0 && self.map.used.has_any(&range) {
            return Err(Errno::EXIST);
        }
        self.map.release(&range, guest.memory);
        Ok(range)
    }

    /// A free range, at an address if possible.
    fn anywhere(&self, hint: u64, length: u64, guest: &Guest<'_>) -> Result<Range<u64>, Errno> {
        let length = length.checked_next_multiple_of(PAGE).ok_or(Errno::NOMEM)?;
        let bottom = guest.memory.start().max(LOWEST);
        let hint = hint & !(PAGE - 1);
        let at_hint = hint..hint.saturating_add(length);
        if hint >= bottom && at_hint.end <= self.map.top && !self.map.used.has_any(&at_hint) {
            return Ok(at_hint);
        }
        self.map.used.free_below(self.map.top, bottom, length).ok_or(Errno::NOMEM)
    }

    pub(super) fn munmap(
        &mut self,
        address: u64,
        length: u64,
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        let range = pages(address, length).map_err(|_| Errno::INVAL)?;
        if length == 0 || range.end > guest.memory.end() {
            return Err(Errno::INVAL);
        }
        self.map.release(&range, guest.memory);
        Ok(0)
    }

    pub(super) fn mprotect(
        &mut self,
        [address, length, protection]: [u64; 3],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        let range = pages(address, length)?;
        let access = access(protection)?;
        if !self.map.used.has_all(&range) {
            return Err(Errno::NOMEM);
        }
        guest.memory.protect(range, access).map_err(|_| Errno::NOMEM)?;
        Ok(0)
    }

    /// `madvise(address, length, advice)`: pages that are not needed become zero; all else is only advice.
    pub(super) fn madvise(
        &mut self,
        [address, length, advice]: [u64; 3],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        let range = pages(address, length).map_err(|_| Errno::INVAL)?;
        if !self.map.used.has_all(&range) {
            return Err(Errno::NOMEM);
        }
        if advice == MADV_DONTNEED {
            guest.memory.clear(range).map_err(|_| Errno::NOMEM)?;
        }
        Ok(0)
    }

    /// `mremap(old, old length, new length, flags, new)`.
    pub(super) fn mremap(
        &mut self,
        [address, length, wanted, flags, target]: [u64; 5],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        let old = pages(address, length).map_err(|_| Errno::INVAL)?;
        let is_fixed = flags & MREMAP_FIXED != 0;
        let may_move = flags & MREMAP_MAYMOVE != 0;
        if old.is_empty() || wanted == 0 || flags & !(MREMAP_MAYMOVE | MREMAP_FIXED) != 0 {
            return Err(Errno::INVAL);
        }
        if is_fixed && !may_move {
            return Err(Errno::INVAL);
        }
        if !self.map.used.has_all(&old) {
            return Err(Errno::FAULT);
        }
        let new = pages(if is_fixed { target } else { address }, wanted)?;
        if is_fixed {
            if new.start < old.end && old.start < new.end {
                return Err(Errno::INVAL);
            }
            let new = self.fixed(target, wanted, MAP_FIXED, guest)?;
            return self.shift(&old, new, guest);
        }
        if new.end <= old.end {
            self.map.release(&(new.end..old.end), guest.memory);
            return Ok(address as i64);
        }
        let more = old.end..new.end;
        if new.end <= guest.memory.end() && !self.map.used.has_any(&more) {
            let access = guest.memory.access(old.end - 1);
            self.map.take(&more, access, guest.memory)?;
            return Ok(address as i64);
        }
        if !may_move {
            return Err(Errno::NOMEM);
        }
        let new = self.anywhere(0, wanted, guest)?;
        self.shift(&old, new, guest)
    }

    /// Moves a mapping to a free range, which may be smaller or larger.
    fn shift(
        &mut self,
        old: &Range<u64>,
        new: Range<u64>,
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        let last = guest.memory.access(old.end - 1);
        self.map.take(&new, last, guest.memory)?;
        for (from, to) in old.clone().step_by(PAGE as usize).zip(new.clone().step_by(PAGE as usize))
        {
            let access = guest.memory.access(from);
            // INVARIANT: both pages are in use, so they are in the memory.
            let page =
                guest.memory.bytes(from, PAGE, Access::NONE).map_err(|_| Errno::FAULT)?.to_vec();
            guest.memory.write_anyway(to, &page).map_err(|_| Errno::FAULT)?;
            guest.memory.protect(to..to + PAGE, access).map_err(|_| Errno::FAULT)?;
        }
        self.map.release(old, guest.memory);
        Ok(new.start as i64)
    }
}

/// Copies a part of a file into memory, whatever may be done with it. What the file does not have stays zero.
fn copy(
    file: &super::files::OpenFile,
    offset: u64,
    length: u64,
    address: u64,
    guest: &mut Guest<'_>,
) -> Result<(), Errno> {
    let mut buffer = vec![0; 1 << 16];
    let mut done = 0;
    while done < length {
        let most = (length - done).min(buffer.len() as u64) as usize;
        let count = read_at(file, offset.saturating_add(done), &mut buffer[..most])?;
        if count == 0 {
            break;
        }
        guest.memory.write_anyway(address + done, &buffer[..count]).map_err(|_| Errno::FAULT)?;
        done += count as u64;
    }
    Ok(())
}
