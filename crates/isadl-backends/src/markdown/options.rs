//! Options of the manual.

use std::collections::BTreeMap;
use std::path::Path;

use isadl_diagnostics::source::SourceMap;

use crate::paths::relative;

/// Options of the manual.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The paths of the source files relative to the output folder, by their names in the source
    /// map. A file without a path is named, but not linked.
    pub sources: BTreeMap<String, String>,
    /// Where links to definitions lead.
    pub links: SourceLinks,
    /// Which groups have a page.
    pub groups: Groups,
}

/// Where links to the definitions of items lead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SourceLinks {
    /// To the files, from the output folder.
    #[default]
    Relative,
    /// To the files below an address, such as a repository.
    Url(String),
    /// There are none.
    Off,
}

/// Which groups have a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Groups {
    /// Groups with a description, and groups that are part of no other group.
    #[default]
    Documented,
    /// All of them.
    All,
}

impl Options {
    /// Options for an output folder; the paths of folder and source files are relative to the
    /// working folder.
    pub fn new(sources: &SourceMap, folder: &Path) -> Options {
        let link = |id| {
            let name = sources.file(id).name();
            Some((name.to_string(), relative(folder, Path::new(name))?))
        };
        let sources = sources.specification().filter_map(link).collect();
        Options { sources, ..Options::default() }
    }
}
