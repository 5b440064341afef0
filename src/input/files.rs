//! Which files there are, and where each one's output goes.

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// How stdin is named on the command line.
pub const STDIN: &str = "-";
const STDIN_OUTPUT: &str = "stdin.jsonl";
const EXTENSIONS: [&str; 4] = ["jsonl", "ndjson", "json", "traj"];
const COMPRESSED: [&str; 2] = ["gz", "zst"];

/// One file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// How messages name it.
    pub name: String,
    /// Where it is; none for stdin.
    pub path: Option<PathBuf>,
    /// Its path below the output directory.
    pub output: PathBuf,
    /// Its size, where it is known.
    pub bytes: Option<u64>,
}

impl Input {
    /// Opens it from the beginning. Stdin can be opened once.
    pub(super) fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        match &self.path {
            Some(path) => Ok(Box::new(fs::File::open(path)?)),
            None => Ok(Box::new(io::stdin())),
        }
    }
}

/// All input files in order: files as named, directories walked in sorted order.
///
/// # Errors
/// If there is none, one does not exist, a directory holds nothing to read, or two would be
/// written to the same place.
pub fn collect(arguments: &[PathBuf]) -> Result<Vec<Input>> {
    if arguments.is_empty() {
        bail!("no INPUT: name files, directories, or - for stdin");
    }
    let mut inputs = Vec::new();
    for argument in arguments {
        if argument.as_os_str() == STDIN {
            inputs.push(Input { name: "stdin".to_owned(), path: None, output: STDIN_OUTPUT.into(), bytes: None });
            continue;
        }
        let metadata = fs::metadata(argument).with_context(|| format!("can't find the input {}", argument.display()))?;
        if !metadata.is_dir() {
            let Some(name) = argument.file_name() else { bail!("the input {} has no file name", argument.display()) };
            inputs.push(file(argument.clone(), PathBuf::from(name), metadata.len()));
            continue;
        }
        let before = inputs.len();
        walk(argument, Path::new(""), &mut inputs)?;
        if inputs.len() == before {
            bail!(
                "the directory {} holds no transcript file ({}, each also .{})",
                argument.display(),
                EXTENSIONS.map(|extension| format!(".{extension}")).join(", "),
                COMPRESSED.join(" or .")
            );
        }
    }
    refuse_collisions(&inputs)?;
    Ok(inputs)
}

fn file(path: PathBuf, output: PathBuf, bytes: u64) -> Input {
    Input { name: path.display().to_string(), path: Some(path), output, bytes: Some(bytes) }
}

fn walk(root: &Path, below: &Path, inputs: &mut Vec<Input>) -> Result<()> {
    let directory = root.join(below);
    let unreadable = || format!("can't read the directory {}", directory.display());
    let entries: io::Result<Vec<_>> = fs::read_dir(&directory).with_context(unreadable)?.collect();
    let mut entries = entries.with_context(unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let below = below.join(entry.file_name());
        // Links are followed to files, not to directories: a link to a parent would never end.
        if entry.file_type().with_context(unreadable)?.is_dir() {
            walk(root, &below, inputs)?;
        } else if is_transcript(&below)
            && let Ok(metadata) = fs::metadata(entry.path())
            && metadata.is_file()
        {
            inputs.push(file(entry.path(), below, metadata.len()));
        }
    }
    Ok(())
}

fn is_transcript(path: &Path) -> bool {
    let extension = |path: &Path| path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let outer = extension(path);
    if COMPRESSED.contains(&outer.as_str()) {
        return EXTENSIONS.contains(&extension(&path.with_extension("")).as_str());
    }
    EXTENSIONS.contains(&outer.as_str())
}

fn refuse_collisions(inputs: &[Input]) -> Result<()> {
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
        for (name, wanted) in [("a.jsonl", true), ("a.JSON", true), ("a.traj.gz", true), ("a.ndjson.zst", true), ("a.gz", false), ("a.md", false)] {
            assert_eq!(is_transcript(Path::new(name)), wanted, "{name}");
        }
    }
}
