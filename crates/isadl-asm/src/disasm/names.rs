//! The names of places in code.

/// A name of a place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The kind of the named item, as ELF files number it: functions before data before others.
    pub(super) rank: u8,
    /// The name.
    pub text: String,
}

/// A location: the index of its section in the file, and its address.
type SectionAddress = (usize, u64);

/// Names by their places, and where data is among code.
#[derive(Debug, Default)]
pub(super) struct Names {
    all: Vec<(SectionAddress, Name)>,
    /// Where data begins, or instructions.
    marks: Vec<(SectionAddress, bool)>,
    /// The names of symbols that mark code and data.
    of_marks: Option<[String; 2]>,
}

impl Names {
    /// Creates an empty list of names. In the file, these local symbols mark the start of code and data.
    pub(super) fn new(of_marks: Option<[String; 2]>) -> Names {
        Names { of_marks, ..Names::default() }
    }

    /// Adds a symbol. More may follow the name of a mark.
    pub(super) fn add(&mut self, place: SectionAddress, name: Name, is_local: bool) {
        let may_mark = is_local && name.rank == 0;
        let marks = self.of_marks.as_ref().filter(|_| may_mark);
        match marks.and_then(|marks| marks.iter().position(|mark| name.text.starts_with(mark))) {
            Some(index) => self.marks.push((place, index == 1)),
            None => self.all.push((place, name)),
        }
    }

    /// Puts them in order, once all are known.
    pub(super) fn finish(&mut self) {
        self.all.sort();
        self.all.dedup();
        self.marks.sort();
    }

    /// The names of a place.
    pub(super) fn at(&self, place: SectionAddress) -> impl DoubleEndedIterator<Item = &Name> {
        let from = self.all.partition_point(|(own, _)| *own < place);
        let to = self.all.partition_point(|(own, _)| *own <= place);
        self.all[from..to].iter().map(|(_, name)| name)
    }

    /// All names of a section with their addresses, in order.
    pub(super) fn of_section(&self, section: usize) -> impl Iterator<Item = (u64, &Name)> {
        let own = self.all.iter().filter(move |((of, _), _)| *of == section);
        own.map(|((_, address), name)| (*address, name))
    }

    /// The best name at an address or before it in its section, and how many bytes before.
    pub(super) fn before(&self, (section, address): SectionAddress) -> Option<(&str, u64)> {
        let end = self.all.partition_point(|(own, _)| *own <= (section, address));
        let ((own, start), name) = self.all[..end].last()?;
        (*own == section).then_some((name.text.as_str(), address - start))
    }

    /// Where the next name or mark after an address of a section is.
    pub(super) fn next(&self, (section, address): SectionAddress) -> Option<u64> {
        let next = |after: Option<&SectionAddress>| {
            after.filter(|(own, _)| *own == section).map(|(_, address)| *address)
        };
        let name = self.all.partition_point(|(own, _)| *own <= (section, address));
        let mark = self.marks.partition_point(|(own, _)| *own <= (section, address));
        let name = next(self.all.get(name).map(|(place, _)| place));
        let mark = next(self.marks.get(mark).map(|(place, _)| place));
        name.into_iter().chain(mark).min()
    }

    /// Whether data is at an address.
    pub(super) fn is_data(&self, (section, address): SectionAddress) -> bool {
        let end = self.marks.partition_point(|(own, _)| *own <= (section, address));
        self.marks[..end].last().is_some_and(|((own, _), is_data)| *own == section && *is_data)
    }
}
