//! Which files there are, and where each one's output goes.

use crate::archive::{ARCHIVE_DIRS, ORIGINALS_DIR, REPORT_FILE, output_of_originals};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// How stdin is named on the command line.
pub const STDIN: &str = "-";
const STDIN_OUTPUT: &str = "stdin.jsonl";
const REPORT_HEAD: u64 = 200;
const EXTENSIONS: [&str; 4] = ["jsonl", "ndjson", "json", "traj"];
const COMPRESSED: [&str; 2] = ["gz", "zst"];

/// One file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputEntry {
    /// How messages name it.
    pub name: String,
    /// Where it is; none for stdin.
    pub path: Option<PathBuf>,
    /// Its own path: below the directory that was named, else its name.
    pub relative_path: PathBuf,
    /// Its path below the output directory: its own, but for an ending that says what it becomes.
    pub output: PathBuf,
    /// Its size, where it is known.
    pub bytes: Option<u64>,
    /// Whether it can be read twice: a pipe can't.
    pub is_regular: bool,
    /// Why it can't be read at all.
    pub problem: Option<String>,
}

impl InputEntry {
    /// Opens it from the beginning; only a is_regular file can be opened again.
    pub(super) fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        if let Some(problem) = &self.problem {
            return Err(io::Error::other(problem.clone()));
        }
        match &self.path {
            Some(path) => Ok(Box::new(fs::File::open(path)?)),
            None => Ok(Box::new(io::stdin())),
        }
    }
}

/// What the command line names.
#[derive(Debug, Default)]
pub struct CollectedInputs {
    /// All input files in order.
    pub inputs: Vec<InputEntry>,
    /// Directories that were found below a named one and hold what an earlier run wrote.
    pub skipped: Vec<PathBuf>,
}

/// All input files in order: files as named, directories walked in sorted order.
/// Directories in `written` are not walked into: what a run writes it does not read. Nor are those
/// that an earlier run wrote, where they are not named themselves.
///
/// # Errors
/// If there is none, one does not exist, a directory holds nothing to read, or two would be
/// written to the same place.
pub fn collect_inputs(arguments: &[PathBuf], written: &[&Path]) -> Result<CollectedInputs> {
    let written: Vec<PathBuf> = written
        .iter()
        .filter_map(|path| path.canonicalize().ok())
        .collect();
    if arguments.is_empty() {
        bail!("no INPUT: name files, directories, or - for stdin");
    }
    let mut found = CollectedInputs::default();
    for argument in arguments {
        if argument.as_os_str() == STDIN {
            found.inputs.push(InputEntry {
                name: "stdin".to_owned(),
                path: None,
                relative_path: STDIN_OUTPUT.into(),
                output: STDIN_OUTPUT.into(),
                bytes: None,
                is_regular: false,
                problem: None,
            });
            continue;
        }
        let metadata = fs::metadata(argument)
            .with_context(|| format!("can't find the input {}", argument.display()))?;
        if !metadata.is_dir() {
            let Some(name) = argument.file_name() else {
                bail!("the input {} has no file name", argument.display())
            };
            found
                .inputs
                .push(file(argument.clone(), PathBuf::from(name), &metadata));
            continue;
        }
        let before = found.inputs.len();
        // The output directory of an earlier run: its archives and report are no transcripts.
        let skipped: Vec<PathBuf> = written
            .iter()
            .cloned()
            .chain(archives_in(argument))
            .collect();
        walk(
            argument,
            Path::new(""),
            &skipped,
            &is_transcript,
            &mut found,
        );
        found.inputs.retain(|input| !is_its_report(input));
        if found.inputs.len() == before {
            bail!(
                "the directory {} holds no transcript file ({}, each also .{})",
                argument.display(),
                EXTENSIONS
                    .map(|extension| format!(".{extension}"))
                    .join(", "),
                COMPRESSED.join(" or .")
            );
        }
    }
    refuse_collisions(&found.inputs)?;
    Ok(found)
}

/// All files that an earlier run wrote into its output directory, in sorted order, whatever they are called; where it has
/// no report those that look like transcripts or have originals. Directories in `written` are not walked into.
#[must_use]
pub fn collect_outputs(directory: &Path, archive: &Path, written: &[&Path]) -> Vec<InputEntry> {
    let mut found = CollectedInputs::default();
    let skipped: Vec<PathBuf> = written
        .iter()
        .filter_map(|path| path.canonicalize().ok())
        .chain(archives_in(directory))
        .collect();
    let all = is_our_output(directory);
    let known = if all {
        Vec::new()
    } else {
        outputs_with_originals(archive)
    };
    let takes = |relative_path: &Path| {
        all || is_transcript(relative_path)
            || known
                .binary_search_by(|output| output.as_path().cmp(relative_path))
                .is_ok()
    };
    walk(directory, Path::new(""), &skipped, &takes, &mut found);
    found.inputs.retain(|input| !is_its_report(input));
    found.inputs
}

/// The outputs below an archive directory whose originals lie there, in sorted order.
#[must_use]
pub fn outputs_with_originals(archive: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(relative_path) = open.pop() {
        let entries = fs::read_dir(archive.join(ORIGINALS_DIR).join(&relative_path))
            .into_iter()
            .flatten()
            .flatten();
        for entry in entries {
            let path = relative_path.join(entry.file_name());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(path);
            } else {
                found.extend(output_of_originals(&path));
            }
        }
    }
    found.sort();
    found
}

fn file(path: PathBuf, relative_path: PathBuf, metadata: &fs::Metadata) -> InputEntry {
    let is_regular = metadata.is_file();
    InputEntry {
        name: path.display().to_string(),
        path: Some(path),
        output: relative_path.clone(),
        relative_path,
        bytes: is_regular.then_some(metadata.len()),
        is_regular,
        problem: None,
    }
}

/// What can't be looked at becomes an input that can't be read: it is reported, the rest goes on.
fn walk(
    root: &Path,
    relative_path: &Path,
    written: &[PathBuf],
    takes: &dyn Fn(&Path) -> bool,
    found: &mut CollectedInputs,
) {
    let directory = root.join(relative_path);
    let entries: io::Result<Vec<_>> = fs::read_dir(&directory).and_then(Iterator::collect);
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => {
            return found.inputs.push(unreadable(
                directory,
                relative_path.to_path_buf(),
                error.to_string(),
            ));
        }
    };
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, relative_path) = (entry.path(), relative_path.join(entry.file_name()));
        // Links are followed to files, not to directories: a link to a parent would never end.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if path
                .canonicalize()
                .is_ok_and(|path| written.contains(&path))
            {
                continue;
            }
            if is_our_output(&path) {
                found.skipped.push(path);
            } else {
                walk(root, &relative_path, written, takes, found);
            }
        } else if takes(&relative_path) {
            match fs::metadata(&path) {
                Ok(metadata) if metadata.is_file() => {
                    found.inputs.push(file(path, relative_path, &metadata))
                }
                Ok(metadata) if metadata.is_dir() => {}
                Ok(_) => found.inputs.push(unreadable(
                    path,
                    relative_path,
                    "it is no regular file; name it itself to read it".to_owned(),
                )),
                Err(error) => found
                    .inputs
                    .push(unreadable(path, relative_path, error.to_string())),
            }
        }
    }
}

fn unreadable(path: PathBuf, relative_path: PathBuf, problem: String) -> InputEntry {
    InputEntry {
        name: path.display().to_string(),
        path: Some(path),
        output: relative_path.clone(),
        relative_path,
        bytes: None,
        is_regular: false,
        problem: Some(problem),
    }
}

/// The archives in the output directory of an earlier run.
fn archives_in(directory: &Path) -> Vec<PathBuf> {
    let names: &[&str] = if is_our_output(directory) {
        &ARCHIVE_DIRS
    } else {
        &[]
    };
    names
        .iter()
        .filter_map(|name| directory.join(name).canonicalize().ok())
        .collect()
}

/// Whether an input is the report beside the outputs of an earlier run.
fn is_its_report(input: &InputEntry) -> bool {
    input.output == Path::new(REPORT_FILE)
        && input.path.as_ref().is_some_and(|path| is_our_report(path))
}

fn is_our_output(directory: &Path) -> bool {
    is_our_report(&directory.join(REPORT_FILE))
}

/// Whether a file is the report of a run of ours, told by its beginning.
fn is_our_report(path: &Path) -> bool {
    let mut head = String::new();
    let read =
        fs::File::open(path).and_then(|file| file.take(REPORT_HEAD).read_to_string(&mut head));
    read.is_ok() && head.contains("\"tool\": \"epitome ")
}

fn is_transcript(path: &Path) -> bool {
    let extension = |path: &Path| {
        path.extension()
            .map(|extension| extension.to_string_lossy().to_ascii_lowercase())
            .unwrap_or_default()
    };
    let outer = extension(path);
    if COMPRESSED.contains(&outer.as_str()) {
        return EXTENSIONS.contains(&extension(&path.with_extension("")).as_str());
    }
    EXTENSIONS.contains(&outer.as_str())
}

/// The same inputs, written as JSONL whatever they are: `a.traj.gz` becomes `a.jsonl.gz`.
///
/// # Errors
/// If two would then be written to the same place.
pub fn name_outputs_jsonl(mut inputs: Vec<InputEntry>) -> Result<Vec<InputEntry>> {
    for input in &mut inputs {
        let ending = input
            .output
            .extension()
            .and_then(|ending| ending.to_str())
            .map(str::to_owned);
        let compression =
            ending.filter(|ending| COMPRESSED.contains(&ending.to_ascii_lowercase().as_str()));
        let plain = if compression.is_some() {
            input.output.with_extension("")
        } else {
            input.output.clone()
        };
        let known = plain.extension().is_some_and(|ending| {
            EXTENSIONS.contains(&ending.to_string_lossy().to_ascii_lowercase().as_str())
        });
        let mut name = if known {
            plain.with_extension("")
        } else {
            plain
        }
        .into_os_string();
        name.push(".jsonl");
        if let Some(compression) = compression {
            name.push(format!(".{compression}"));
        }
        input.output = name.into();
    }
    refuse_collisions(&inputs)?;
    Ok(inputs)
}

fn refuse_collisions(inputs: &[InputEntry]) -> Result<()> {
    let mut outputs: BTreeMap<&Path, &str> = BTreeMap::new();
    for input in inputs {
        if let Some(other) = outputs.insert(&input.output, &input.name) {
            bail!(
                "{other} and {} would both be written to {} of the output directory; name a directory that holds both, or run twice",
                input.name,
                input.output.display()
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_their_ending_and_that_before_a_compression() {
        for (name, wanted) in [
            ("a.jsonl", true),
            ("a.JSON", true),
            ("a.traj.gz", true),
            ("a.ndjson.zst", true),
            ("a.gz", false),
            ("a.md", false),
        ] {
            assert_eq!(is_transcript(Path::new(name)), wanted, "{name}");
        }
    }

    #[test]
    fn what_is_converted_is_named_jsonl() {
        let input = |name: &str| file(name.into(), name.into(), &fs::metadata(".").unwrap());
        for (name, wanted) in [
            ("a.json", "a.jsonl"),
            ("d/a.traj.gz", "d/a.jsonl.gz"),
            ("a.jsonl", "a.jsonl"),
            ("a.b", "a.b.jsonl"),
            ("a", "a.jsonl"),
        ] {
            assert_eq!(
                name_outputs_jsonl(vec![input(name)]).unwrap()[0].output,
                PathBuf::from(wanted),
                "{name}"
            );
        }
        assert!(
            name_outputs_jsonl(vec![input("a.json"), input("a.jsonl")])
                .unwrap_err()
                .to_string()
                .contains("both be written to a.jsonl")
        );
    }
}
