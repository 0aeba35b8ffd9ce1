//! Plants defects in a committed sample, and in the source files if they are available, one at a time. The defect must
//! be reported with its code on its line, and no other finding may be added: an error that only follows from another
//! error is hidden by it.

mod kinds;
mod outline;

use isadl::Compilation;
use isadl::diagnostic::Code;
use isadl::levels::Levels;
use isadl::source::SourceMap;
use isadl_test_support::{Random, compile, root, seed_texts};
use kinds::{KINDS, Kind};
use outline::{Outline, Planted};

/// The maximum number of places at which one kind is planted.
const PLACES: usize = 6;

/// A file to plant defects in, with the files that it needs.
struct Target {
    files: Vec<(String, String)>,
    /// The file that is changed.
    index: usize,
    /// The findings in the unchanged files.
    known: Vec<Finding>,
}

/// A finding with its line.
struct Finding {
    code: Code,
    message: String,
    file: String,
    line: usize,
    text: String,
}

impl Finding {
    /// Whether both say the same of the same text, which may have moved, or of the planted line.
    fn same(&self, other: &Finding, planted: &Planted) -> bool {
        let alike = self.text == other.text || [self.line, other.line] == [planted.line; 2];
        (self.code, &self.message, &self.file) == (other.code, &other.message, &other.file) && alike
    }

    fn show(&self) -> String {
        format!("{} at {}:{}: {}", self.code, self.file, self.line + 1, self.message)
    }
}

fn findings(sources: &SourceMap, compilation: &Compilation) -> Vec<Finding> {
    let finding = |diagnostic: &isadl::diagnostic::Diagnostic| {
        let span = diagnostic.primary.span;
        let file = sources.file(span.file);
        let line = sources.position(span.file, span.start).0 - 1;
        Finding {
            code: diagnostic.code,
            message: diagnostic.message.clone(),
            file: file.name().to_string(),
            line,
            text: file.text().lines().nth(line).unwrap_or("").trim().to_string(),
        }
    };
    compilation.diagnostics.iter().map(finding).collect()
}

impl Target {
    fn of(files: Vec<(String, String)>, index: usize) -> Target {
        let (sources, compilation) = compile(&files);
        assert!(compilation.family.is_some(), "{} has errors as it is", files[index].0);
        Target { known: findings(&sources, &compilation), files, index }
    }

    fn text(&self) -> &str {
        &self.files[self.index].1
    }

    /// The findings with the defect that are not there without it.
    fn fresh(&self, planted: &Planted) -> Vec<Finding> {
        let mut files = self.files.clone();
        files[self.index].1 = planted.in_text(self.text());
        let (sources, compilation) = compile(&files);
        let mut known: Vec<&Finding> = self.known.iter().collect();
        let mut fresh = findings(&sources, &compilation);
        fresh.retain(|finding| match known.iter().position(|other| finding.same(other, planted)) {
            Some(position) => {
                known.swap_remove(position);
                false
            }
            None => true,
        });
        fresh
    }

    /// The problem with the report on a defect, if any.
    fn fault(&self, kind: &Kind, planted: &Planted) -> Option<String> {
        let name = &self.files[self.index].0;
        let fresh = self.fresh(planted);
        let is_planted = |finding: &&Finding| {
            kind.code == finding.code && finding.line == planted.line && finding.file == *name
        };
        let found = fresh.iter().any(|finding| is_planted(&finding));
        let echo = fresh.iter().filter(|f| !is_planted(f) && !kind.also.contains(&f.code));
        let echo: Vec<String> = echo.map(Finding::show).collect();
        if found && echo.is_empty() {
            return None;
        }
        let text = planted.in_text(self.text());
        let place = text.lines().nth(planted.line).unwrap_or("").trim();
        let place: String = place.chars().take(100).collect();
        let missing = if found { "" } else { "not reported there; " };
        let some = echo.iter().take(3).map(|echo| format!("\n        {echo}"));
        let some: String = some.collect();
        let line = planted.line + 1;
        Some(format!("{name}:{line}: `{place}`: {missing}{} others{some}", echo.len()))
    }
}

/// The sample, which has a place for every kind and is free of findings.
fn sample() -> Vec<Target> {
    let path = root().join("tests/fixtures/mutations/sample.isa");
    let text = std::fs::read_to_string(&path).expect("readable sample");
    let files = vec![("sample.isa".to_string(), text)];
    let (sources, mut compilation) = compile(&files);
    compilation.diagnostics.apply(&Levels::default());
    let known: Vec<String> = findings(&sources, &compilation).iter().map(Finding::show).collect();
    assert!(known.is_empty(), "{known:#?}");
    vec![Target::of(files, 0)]
}

/// Each source file together with the base file and the types of the first file: small inputs compile quickly, and no
/// file needs more of the others. The base file belongs to the other files of its edition, whose opcodes are in all its
/// groups.
fn sources() -> Option<Vec<Target>> {
    let texts = seed_texts()?;
    let [first, others @ .., base] = texts.as_slice() else { panic!("there are source files") };
    let types = first.1.split("__DefGroup").next().unwrap_or_default().to_string();
    let types = ("types".to_string(), types);
    // What programs apply to operands that only some files have would be an error without these files.
    let applies = |line: &&str| line.starts_with("apply ");
    let rest: Vec<&str> = base.1.lines().filter(|line| !applies(line)).collect();
    let rest = (base.0.clone(), rest.join("\n") + "\n");
    let with_types = |file: &(String, String)| vec![file.clone(), rest.clone(), types.clone()];
    let mut targets = vec![Target::of(vec![first.clone(), base.clone()], 0)];
    targets.push(edition());
    targets.extend(others.iter().map(|file| Target::of(with_types(file), 0)));
    Some(targets)
}

/// The base file of `spec/simt` with the others there.
fn edition() -> Target {
    let text = |name: &&str| {
        let path = root().join("spec/simt").join(name);
        (name.to_string(), std::fs::read_to_string(path).expect("readable specification"))
    };
    let names = ["base.isa", "halu.isa", "ialu.isa", "sync.isa", "xu.isa"];
    Target::of(names.iter().map(text).collect(), 0)
}

/// The places where a kind of defect can be planted: all, or some chosen at random.
fn places(kind: &Kind, targets: &[Target]) -> Vec<(usize, Planted)> {
    let mut places = Vec::new();
    for (index, target) in targets.iter().enumerate() {
        let outline = Outline::of(target.text());
        let planted = (0..outline.lines.len()).filter_map(|line| (kind.plant)(&outline, line));
        places.extend(planted.map(|planted| (index, planted)));
    }
    let seed = kind.name.bytes().fold(1, |seed: u64, byte| seed.wrapping_mul(31) + u64::from(byte));
    let mut random = Random::new(seed);
    while places.len() > PLACES {
        places.swap_remove(random.below(places.len() as u64) as usize);
    }
    places
}

/// The problems with the reports on a kind of defect.
fn faults(kind: &Kind, targets: &[Target]) -> Option<String> {
    let places = places(kind, targets);
    let faults = places.iter().filter_map(|(index, planted)| targets[*index].fault(kind, planted));
    let faults: Vec<String> = faults.collect();
    let what = format!("{} ({})", kind.name, kind.code);
    if places.is_empty() {
        return Some(format!("{what}: no place for it"));
    }
    let first = faults.first()?;
    Some(format!("{what}: at {} of {} places, first\n    {first}", faults.len(), places.len()))
}

/// Plants every kind of defect in these files. A kind without a place in them is a failure as well.
fn assert_all_reported(targets: &[Target]) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while let Some(kind) = KINDS.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            found.extend(faults(kind, targets));
        }
        found
    };
    let mut faults: Vec<String> = std::thread::scope(|scope| {
        let count = std::thread::available_parallelism().map_or(1, |count| count.get());
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    faults.sort();
    let list = faults.join("\n");
    assert!(faults.is_empty(), "{} of {} kinds:\n{list}", faults.len(), KINDS.len());
}

#[test]
fn every_defect_planted_in_the_sample_is_reported_where_it_is_and_alone() {
    assert_all_reported(&sample());
}

#[test]
fn every_defect_planted_in_the_sources_is_reported_where_it_is_and_alone() {
    let Some(targets) = sources() else { return };
    assert_all_reported(&targets);
}

#[test]
fn kinds_have_names_of_their_own() {
    let mut names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), KINDS.len());
}
