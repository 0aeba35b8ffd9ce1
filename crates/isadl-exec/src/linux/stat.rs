//! Properties of files.
//!
//! The layouts are `struct stat` of `include/uapi/asm-generic/stat.h`, of which `struct stat64` is for words of 32 bits, and `struct statx`
//! of `include/uapi/linux/stat.h`.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::errno::Errno;
use super::files::{Descriptor, Named};
use super::guest::{Guest, Record};
use super::root::of_host;
use super::{Clock, Linux, USER};

const S_IFIFO: u32 = 0o010_000;
const S_IFDIR: u32 = 0o040_000;
const S_IFREG: u32 = 0o100_000;
const S_IFLNK: u32 = 0o120_000;

const BLOCK: u32 = 4096;
/// The device that all files are on.
const DEVICE: u32 = 1;
/// The properties that `statx` has for every file: all basic ones.
const STATX_BASIC_STATS: u32 = 0x7ff;

/// The properties of a file.
struct Properties {
    number: u64,
    mode: u32,
    size: u64,
    /// Seconds and nanoseconds since 1970.
    modified: (u64, u32),
}

impl Properties {
    fn blocks(&self) -> u64 {
        self.size.div_ceil(512)
    }
}

impl Linux {
    fn properties(&mut self, named: &Named) -> Result<Properties, Errno> {
        let open = match named {
            Named::Place(place) => {
                let metadata =
                    fs::symlink_metadata(&place.path).map_err(|error| of_host(&error))?;
                return Ok(self.of_metadata(&place.path, &metadata));
            }
            Named::Open(open) => open,
        };
        match &**open {
            Descriptor::File(file) => {
                let file = file.borrow();
                let metadata = file.file.metadata().map_err(|error| of_host(&error))?;
                Ok(self.of_metadata(&file.place().path, &metadata))
            }
            Descriptor::Folder(place) => {
                let metadata = fs::metadata(&place.path).map_err(|error| of_host(&error))?;
                Ok(self.of_metadata(&place.path, &metadata))
            }
            // Streams are pipes, whatever they are outside, so that programs behave alike everywhere.
            stream => {
                let number = match stream {
                    Descriptor::Input => 1,
                    Descriptor::Output => 2,
                    _ => 3,
                };
                Ok(Properties { number, mode: S_IFIFO | 0o600, size: 0, modified: (0, 0) })
            }
        }
    }

    fn of_metadata(&mut self, path: &Path, metadata: &Metadata) -> Properties {
        let kind = metadata.file_type();
        let mode = match () {
            () if kind.is_dir() => S_IFDIR | 0o555,
            () if kind.is_symlink() => S_IFLNK | 0o777,
            () if kind.is_file() => S_IFREG | 0o555,
            () => S_IFIFO | 0o444,
        };
        let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = match self.settings.clock {
            Clock::Real => since.map_or((0, 0), |time| (time.as_secs(), time.subsec_nanos())),
            Clock::Counter => (0, 0),
        };
        // Numbers 1 to 3 are streams.
        let next = self.numbers.len() as u64 + 4;
        let number = *self.numbers.entry(path.to_path_buf()).or_insert(next);
        Properties { number, mode, size: metadata.len(), modified }
    }

    fn write_stat(
        &mut self,
        named: &Named,
        address: u64,
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        let of = self.properties(named)?;
        let time = |record: Record| record.word(of.modified.0).word(of.modified.1.into());
        let record = Record::new(guest.word)
            .u64(DEVICE.into())
            .u64(of.number)
            .u32(of.mode)
            .u32(1)
            .u32(USER)
            .u32(USER)
            .u64(0)
            .u64(0)
            .u64(of.size)
            .u32(BLOCK)
            .u32(0)
            .u64(of.blocks());
        let record = time(time(time(record))).u32(0).u32(0);
        record.write(guest, address)?;
        Ok(0)
    }

    pub(super) fn fstat(
        &mut self,
        file: u64,
        address: u64,
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        let open = self.files.get(file)?;
        self.write_stat(&Named::Open(open), address, guest)
    }

    /// `newfstatat(folder, path, buffer, flags)`
    pub(super) fn fstatat(
        &mut self,
        [folder, path, address, flags]: [u64; 4],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        let named = self.named([folder, path, flags], guest)?;
        self.write_stat(&named, address, guest)
    }

    /// `statx(folder, path, flags, mask, buffer)`
    pub(super) fn statx(
        &mut self,
        [folder, path, flags, _, address]: [u64; 5],
        guest: &mut Guest<'_>,
    ) -> Result<i64, Errno> {
        let named = self.named([folder, path, flags], guest)?;
        let of = self.properties(&named)?;
        let time = |record: Record| record.u64(of.modified.0).u32(of.modified.1).u32(0);
        let record = Record::new(guest.word)
            .u32(STATX_BASIC_STATS)
            .u32(BLOCK)
            .u64(0)
            .u32(1)
            .u32(USER)
            .u32(USER)
            .u16(of.mode as u16)
            .u16(0)
            .u64(of.number)
            .u64(of.size)
            .u64(of.blocks())
            .u64(0);
        // Times of the last access, of the beginning (which is not known), of the last change of properties and of contents.
        let record = time(record).up_to(80).up_to(96);
        let record = time(time(record)).u32(0).u32(0).u32(0).u32(DEVICE).up_to(256);
        record.write(guest, address)?;
        Ok(0)
    }
}
