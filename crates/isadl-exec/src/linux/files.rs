//! Calls about files. The program has the three standard streams, and may read what is below a folder that the user names.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::rc::Rc;

use super::errno::Errno;
use super::guest::Guest;
use super::root::{Place, of_host};
use super::{Linux, signed};
use crate::memory::Access;

/// The most open files.
const MAX_FILES: usize = 1024;
/// The most bytes that one call reads, and the most buffers that it takes.
const MAX_READ: u64 = 1 << 20;
const MAX_BUFFERS: u64 = 1024;

// `include/uapi/linux/fcntl.h` and `include/uapi/asm-generic/fcntl.h`. Other flags of `openat` differ between architectures.
const AT_FDCWD: i64 = -100;
const AT_SYMLINK_NOFOLLOW: u64 = 0x100;
const AT_EMPTY_PATH: u64 = 0x1000;
const O_ACCMODE: u64 = 3;
const O_CREAT: u64 = 0o100;
const O_EXCL: u64 = 0o200;
const O_TRUNC: u64 = 0o1000;
const F_DUPFD: u64 = 0;
const F_GETFD: u64 = 1;
const F_SETFD: u64 = 2;
const F_GETFL: u64 = 3;
const F_SETFL: u64 = 4;
const F_DUPFD_CLOEXEC: u64 = 1030;
const W_OK: u64 = 2;

/// What a number of a file stands for.
#[derive(Debug)]
pub(super) enum Descriptor {
    Input,
    Output,
    Errors,
    File(RefCell<OpenFile>),
    Folder(Place),
}

/// A file that is read.
#[derive(Debug)]
pub(super) struct OpenFile {
    pub(super) file: File,
    place: Place,
    position: u64,
}

/// The open files, by their numbers.
#[derive(Debug)]
pub(super) struct Files(Vec<Option<Rc<Descriptor>>>);

impl Files {
    /// The three standard streams.
    pub(super) fn new() -> Files {
        let streams = [Descriptor::Input, Descriptor::Output, Descriptor::Errors];
        Files(streams.map(|stream| Some(Rc::new(stream))).into())
    }

    pub(super) fn get(&self, number: u64) -> Result<Rc<Descriptor>, Errno> {
        let number = usize::try_from(signed(number, 4)).map_err(|_| Errno::BADF)?;
        self.0.get(number).cloned().flatten().ok_or(Errno::BADF)
    }

    /// Enters a file under the lowest free number from `least` on.
    fn add(&mut self, descriptor: Rc<Descriptor>, least: u64) -> Result<i64, Errno> {
        let least = usize::try_from(least).ok().filter(|least| *least < MAX_FILES);
        let least = least.ok_or(Errno::INVAL)?;
        let is_free = |number: &usize| self.0.get(*number).is_none_or(Option::is_none);
        let number = (least..MAX_FILES).find(is_free).ok_or(Errno::MFILE)?;
        self.set(number, descriptor);
        Ok(number as i64)
    }

    fn set(&mut self, number: usize, descriptor: Rc<Descriptor>) {
        if self.0.len() <= number {
            self.0.resize(number + 1, None);
        }
        self.0[number] = Some(descriptor);
    }

    fn close(&mut self, number: u64) -> Result<(), Errno> {
        self.get(number)?;
        self.0[signed(number, 4) as usize] = None;
        Ok(())
    }
}

/// Reads from an offset of a file; its position stays.
pub(super) fn read_at(open: &OpenFile, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
    let mut file = &open.file;
    file.seek(SeekFrom::Start(offset)).map_err(|_| Errno::INVAL)?;
    read(&mut file, buffer)
}

/// Reads once, whatever interrupts it.
fn read(from: &mut dyn Read, buffer: &mut [u8]) -> Result<usize, Errno> {
    loop {
        match from.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result.map_err(|error| of_host(&error)),
        }
    }
}

impl Linux {
    /// Reads into memory, at most `length` bytes: from a position, or where the last read ended.
    fn read_into(
        &mut self,
        file: &Descriptor,
        [address, length]: [u64; 2],
        position: Option<u64>,
        guest: &mut Guest<'_>,
    ) -> Result<u64, Errno> {
        if matches!(file, Descriptor::Folder(_)) {
            return Err(Errno::ISDIR);
        }
        let length = guest.writable(address, length.min(MAX_READ))?;
        let mut buffer = vec![0; length as usize];
        let count = match file {
            Descriptor::Input if position.is_none() => {
                // Questions are there before answers are read.
                self.flush();
                read(&mut *self.settings.input, &mut buffer)?
            }
            Descriptor::File(file) => {
                let mut file = file.borrow_mut();
                let count = read_at(&file, position.unwrap_or(file.position), &mut buffer)?;
                if position.is_none() {
                    file.position = file.position.saturating_add(count as u64);
                }
                count
            }
            _ if position.is_some() => return Err(Errno::SPIPE),
            _ => return Err(Errno::BADF),
        };
        guest.write(address, &buffer[..count])?;
        Ok(count as u64)
    }

    fn write_from(
        &mut self,
        file: &Descriptor,
        [address, length]: [u64; 2],
        guest: &Guest<'_>,
    ) -> Result<u64, Errno> {
        let settings = &mut self.settings;
        let sink: &mut dyn Write = match file {
            Descriptor::Output => &mut *settings.output,
            Descriptor::Errors => &mut *settings.errors,
            _ => return Err(Errno::BADF),
        };
        let bytes = guest.readable(address, length)?;
        sink.write_all(bytes).map_err(|error| of_host(&error))?;
        if matches!(file, Descriptor::Errors) {
            self.flush();
        }
        Ok(bytes.len() as u64)
    }

    /// Hands on what was written. A stream that cannot take it any more is the concern of whoever reads it.
    pub(super) fn flush(&mut self) {
        let _ = self.settings.output.flush();
        let _ = self.settings.errors.flush();
    }

    pub(super) fn read(
        &mut self,
        [file, address, length]: [u64; 3],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        let file = self.files.get(file)?;
        Ok(self.read_into(&file, [address, length], None, guest)? as i64)
    }

    pub(super) fn pread(
        &mut self,
        [file, address, length]: [u64; 3],
        position: u64,
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        if i64::try_from(position).is_err() {
            return Err(Errno::INVAL);
        }
        let file = self.files.get(file)?;
        Ok(self.read_into(&file, [address, length], Some(position), guest)? as i64)
    }

    pub(super) fn write(
        &mut self,
        [file, address, length]: [u64; 3],
        guest: &Guest<'_>,
    ) -> Result<i64, Errno> {
        let file = self.files.get(file)?;
        Ok(self.write_from(&file, [address, length], guest)? as i64)
    }

    /// The addresses and lengths of buffers.
    fn buffers(list: u64, count: u64, guest: &Guest<'_>) -> Result<Vec<[u64; 2]>, Errno> {
        if count > MAX_BUFFERS {
            return Err(Errno::INVAL);
        }
        let word = u64::from(guest.word);
        let at = |index: u64| list.checked_add(index * word).ok_or(Errno::FAULT);
        let buffer = |index| Ok([guest.word(at(2 * index)?)?, guest.word(at(2 * index + 1)?)?]);
        (0..count).map(buffer).collect()
    }

    /// Does something with buffers one after the other, and ends with the first that it does not use up. An error counts only if nothing was
    /// done before. The result is the number of bytes.
    fn each_buffer(
        buffers: Vec<[u64; 2]>,
        mut done: impl FnMut([u64; 2]) -> Result<u64, Errno>,
    ) -> Result<i64, Errno> {
        let mut total = 0;
        for buffer in buffers {
            match done(buffer) {
                Ok(count) => {
                    total += count;
                    if count < buffer[1] {
                        break;
                    }
                }
                Err(error) if total == 0 => return Err(error),
                Err(_) => break,
            }
        }
        Ok(total as i64)
    }

    pub(super) fn readv(
        &mut self,
        [file, list, count]: [u64; 3],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        let file = self.files.get(file)?;
        let mut buffers = Linux::buffers(list, count, guest)?;
        // Reading nothing would wait for input.
        buffers.retain(|[_, length]| *length > 0);
        Linux::each_buffer(buffers, |buffer| self.read_into(&file, buffer, None, guest))
    }

    pub(super) fn writev(
        &mut self,
        [file, list, count]: [u64; 3],
        guest: &Guest<'_>,
    ) -> Result<i64, Errno> {
        let file = self.files.get(file)?;
        let buffers = Linux::buffers(list, count, guest)?;
        Linux::each_buffer(buffers, |buffer| self.write_from(&file, buffer, guest))
    }

    /// The file at a path that begins at an open folder.
    fn find(&self, folder: u64, path: &[u8], follows: bool) -> Result<Place, Errno> {
        let root = self.root.as_ref().filter(|_| !path.is_empty()).ok_or(Errno::NOENT)?;
        if path.starts_with(b"/") || signed(folder, 4) == AT_FDCWD {
            return root.find(&[], path, follows);
        }
        match &*self.files.get(folder)? {
            Descriptor::Folder(at) => root.find(&at.names, path, follows),
            _ => Err(Errno::NOTDIR),
        }
    }

    pub(super) fn openat(
        &mut self,
        [folder, path, flags]: [u64; 3],
        guest: &Guest<'_>,
    ) -> Result<i64, Errno> {
        let path = guest.path(path)?;
        let writes = flags & O_ACCMODE != 0 || flags & O_TRUNC != 0;
        let place = match self.find(folder, &path, true) {
            Err(Errno::NOENT) if self.root.is_some() && flags & O_CREAT != 0 => {
                return Err(Errno::ROFS);
            }
            found => found?,
        };
        if flags & O_CREAT != 0 && flags & O_EXCL != 0 {
            return Err(Errno::EXIST);
        }
        if writes {
            return Err(Errno::ROFS);
        }
        let kind = fs::metadata(&place.path).map_err(|error| of_host(&error))?.file_type();
        let descriptor = match (kind.is_dir(), kind.is_file()) {
            (true, _) => Descriptor::Folder(place),
            (_, true) => {
                let file = File::open(&place.path).map_err(|error| of_host(&error))?;
                Descriptor::File(RefCell::new(OpenFile { file, place, position: 0 }))
            }
            // Devices and pipes of the system outside.
            _ => return Err(Errno::ACCES),
        };
        self.files.add(Rc::new(descriptor), 0)
    }

    pub(super) fn close(&mut self, file: u64) -> Result<i64, Errno> {
        self.files.close(file)?;
        Ok(0)
    }

    pub(super) fn dup(&mut self, file: u64) -> Result<i64, Errno> {
        let descriptor = self.files.get(file)?;
        self.files.add(descriptor, 0)
    }

    /// `dup3(old, new, flags)`
    pub(super) fn dup3(&mut self, [old, new]: [u64; 2]) -> Result<i64, Errno> {
        let descriptor = self.files.get(old)?;
        let number = usize::try_from(signed(new, 4)).ok().filter(|number| *number < MAX_FILES);
        let number = number.ok_or(Errno::BADF)?;
        if signed(old, 4) == signed(new, 4) {
            return Err(Errno::INVAL);
        }
        self.files.set(number, descriptor);
        Ok(number as i64)
    }

    pub(super) fn fcntl(&mut self, [file, command, argument]: [u64; 3]) -> Result<i64, Errno> {
        let descriptor = self.files.get(file)?;
        match command {
            F_DUPFD | F_DUPFD_CLOEXEC => self.files.add(descriptor, argument),
            F_GETFD | F_SETFD | F_SETFL => Ok(0),
            F_GETFL => Ok(match *descriptor {
                Descriptor::Output | Descriptor::Errors => 1,
                _ => 0,
            }),
            _ => Err(Errno::INVAL),
        }
    }

    /// Nothing is a terminal.
    pub(super) fn ioctl(&mut self, file: u64) -> Result<i64, Errno> {
        self.files.get(file)?;
        Err(Errno::NOTTY)
    }

    /// The new position in a file: `whence` is 0 for the start, 1 for the old position, 2 for the end.
    pub(super) fn seek(&mut self, file: u64, offset: i64, whence: u64) -> Result<i64, Errno> {
        let descriptor = self.files.get(file)?;
        let Descriptor::File(file) = &*descriptor else { return Err(Errno::SPIPE) };
        let mut file = file.borrow_mut();
        let from = match whence {
            0 => 0,
            1 => file.position,
            2 => file.file.metadata().map_err(|error| of_host(&error))?.len(),
            _ => return Err(Errno::INVAL),
        };
        let new = i64::try_from(from).ok().and_then(|from| from.checked_add(offset));
        let new = new.filter(|new| *new >= 0).ok_or(Errno::INVAL)?;
        file.position = new as u64;
        Ok(new)
    }

    /// `llseek(file, high, low, result, whence)`: an offset of 64 bits where words have 32.
    pub(super) fn llseek(
        &mut self,
        [file, high, low, result, whence]: [u64; 5],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        let offset = (high << 32 | low & 0xffff_ffff) as i64;
        let at = self.seek(file, offset, whence)?;
        guest.write(result, &at.to_le_bytes())?;
        Ok(0)
    }

    pub(super) fn readlinkat(
        &mut self,
        [folder, path, buffer, size]: [u64; 4],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        let path = guest.path(path)?;
        if signed(size, 4) <= 0 {
            return Err(Errno::INVAL);
        }
        let target = match path.as_slice() {
            b"/proc/self/exe" => self.executable.clone(),
            _ => {
                let place = self.find(folder, &path, false)?;
                let root = self.root.as_ref().ok_or(Errno::NOENT)?;
                root.link(&place.path)?.into_bytes()
            }
        };
        let length = target.len().min(signed(size, 4) as usize);
        guest.write(buffer, &target[..length])?;
        Ok(length as i64)
    }

    /// `getcwd(buffer, size)`: the program is always in the root.
    pub(super) fn getcwd(
        &mut self,
        [buffer, size]: [u64; 2],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        if size < 2 {
            return Err(Errno::RANGE);
        }
        guest.write(buffer, b"/\0")?;
        Ok(2)
    }

    pub(super) fn faccessat(
        &mut self,
        [folder, path, mode]: [u64; 3],
        guest: &Guest<'_>,
    ) -> Result<i64, Errno> {
        let path = guest.path(path)?;
        self.find(folder, &path, true)?;
        if mode & W_OK != 0 { Err(Errno::ROFS) } else { Ok(0) }
    }

    /// The file that a call about its properties names: by an open file alone, or by a path.
    pub(super) fn named(
        &mut self,
        [folder, path, flags]: [u64; 3],
        guest: &Guest<'_>,
    ) -> Result<Named, Errno> {
        let text = match path {
            0 if flags & AT_EMPTY_PATH != 0 => Vec::new(),
            _ => guest.path(path)?,
        };
        if text.is_empty() && flags & AT_EMPTY_PATH != 0 {
            if signed(folder, 4) == AT_FDCWD {
                return self.find(folder, b".", true).map(Named::Place);
            }
            return Ok(Named::Open(self.files.get(folder)?));
        }
        self.find(folder, &text, flags & AT_SYMLINK_NOFOLLOW == 0).map(Named::Place)
    }
}

/// A file whose properties are asked for.
pub(super) enum Named {
    /// One that is open.
    Open(Rc<Descriptor>),
    /// One below the root.
    Place(Place),
}

impl OpenFile {
    /// Where it is.
    pub(super) fn place(&self) -> &Place {
        &self.place
    }
}

/// Whether a range of memory can be written: for calls that have an effect before they write.
pub(super) fn is_writable(address: u64, length: u64, guest: &Guest<'_>) -> bool {
    guest.allowed(address, length, Access::WRITE) == length
}
