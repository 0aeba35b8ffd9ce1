//! `isadl.toml`, the settings of a project: the locations of its specifications, lint levels, the default generation,
//! and the outputs to generate.
//!
//! [`find`] looks for the file in a folder and its parents, and [`read`] reads it. Mistakes are diagnostics like
//! mistakes in specifications.

mod file;
mod output;
mod read;

pub use file::{LintLevel, Project, Specification};
pub use output::{Output, Part, SourceLinks, Target, Unused};
pub use read::{FILE_NAME, Problem, find, levels_of, parse, read};

/// The JSON schema of the file, for editors.
pub const SCHEMA: &str = include_str!("isadl.schema.json");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_types() {
        let made = schemars::schema_for!(Project);
        let made = serde_json::to_string_pretty(&made).expect("JSON") + "\n";
        if std::env::var_os("BLESS").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/isadl.schema.json");
            std::fs::write(path, &made).expect("the schema is written");
        } else {
            assert_eq!(made, SCHEMA, "run the tests with BLESS=1");
        }
    }

    /// The lists of targets and parts are written by hand, with the names of the command line.
    #[test]
    fn the_command_line_knows_the_words_of_the_schema() {
        let schema = serde_json::to_value(schemars::schema_for!(Project)).expect("JSON");
        let words = |name: &str| -> Vec<String> {
            let all = schema["$defs"][name]["oneOf"].as_array().expect("alternatives");
            all.iter().filter_map(|one| one["const"].as_str()).map(str::to_string).collect()
        };
        let targets: Vec<&str> = Target::ALL.iter().map(|one| one.as_str()).collect();
        assert_eq!(words("Target"), targets);
        let parts: Vec<&str> = Part::ALL.iter().map(|one| one.as_str()).collect();
        assert_eq!(words("Part"), parts);
    }

    fn problems(text: &str) -> Vec<String> {
        match parse(FILE_NAME.to_string(), text.as_bytes().to_vec()) {
            Ok(project) => panic!("{text}: {project:?}"),
            Err(problem) => problem
                .diagnostics
                .iter()
                .map(|one| {
                    let place = problem.sources.text(one.primary.span);
                    format!("{place:?} {}", one.message)
                })
                .collect(),
        }
    }

    #[test]
    fn mistakes_have_their_place() {
        for (text, place, message) in [
            ("[lint]\n", "lint", "unknown field"),
            ("[lints]\nW9999 = \"warn\"\n", "W9999", "is not a lint"),
            ("[lints]\nE0101 = \"warn\"\n", "E0101", "always an error"),
            ("[lints]\ntext = \"loud\"\n", "\\\"loud\\\"", "unknown variant"),
            ("[[spec]]\n", "[[spec]]", "missing field `path`"),
            ("[[spec]]\npath = 1\n", "1", "expected path string"),
            ("[[spec]]\npath = \"a\"\n[[spec.output]]\ntarget = \"c\"\n", "c", "unknown variant"),
            ("x = [\n", "", ""),
        ] {
            let found = problems(text);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].contains(place) && found[0].contains(message), "{found:?}");
        }
        let all = problems(
            "[lints]\nx = \"warn\"\n[[spec]]\npath = \"a\"\nlints.y = \"deny\"\n[[spec.output]]\ntarget = \"markdown\"\nviews = true\n",
        );
        assert_eq!(all.len(), 3, "{all:?}");
    }

    #[test]
    fn any_bytes_are_read_or_refused() {
        for bytes in
            [&b""[..], b" \n", b"\xff\xfe", b"\xef\xbb\xbf[lints]", b"\0", b"[[[[", b"a.b.c=1"]
        {
            let _ = parse(FILE_NAME.to_string(), bytes.to_vec());
        }
    }
}
