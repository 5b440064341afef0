//! The inputs that the command line names, directories included.

use crate::files::archive::{ORIGINALS_DIR, UNFINISHED_DIRS};
use crate::files::input::earlier_run::{
    archives_in, is_output_directory, is_report, outputs_with_originals,
};
use crate::files::input::entry::{InputEntry, STDIN};
use crate::files::input::error::{InputError, ListingError};
use crate::files::input::extensions::{COMPRESSED, EXTENSIONS, is_other_data, is_transcript};
use crate::files::input::path_filter::{PathFilter, PathRules, is_side_file};
use crate::files::input::{foreign_file::database_in, output_names::keep_names_apart};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The inputs found for a command line.
#[derive(Debug, Default)]
pub(crate) struct CollectedInputs {
    /// All input files in order.
    pub inputs: Vec<InputEntry>,
    /// Directories below a named directory that were skipped, because they hold the output of an
    /// earlier run.
    pub skipped: Vec<PathBuf>,
    /// Links below a named directory that were not followed.
    pub links: Vec<PathBuf>,
    /// Hidden directories below a named directory that were not entered.
    pub hidden: Vec<PathBuf>,
    /// The number of files below named directories that patterns leave out.
    pub left_out: usize,
    /// Files below named directories that are known to hold no conversation.
    pub side: Vec<PathBuf>,
    /// Files below named directories that hold data of kinds that are not read.
    pub other_data: Vec<PathBuf>,
}

#[derive(Debug, Clone)]
pub(crate) struct NamedInputs<'n> {
    /// Files, directories, or `-` for stdin. A link that is named itself is always followed.
    pub paths: &'n [PathBuf],
    /// What is read below a named directory.
    pub rules: PathRules,
}

/// Collects all input files: files in the order in which they are named, directories in sorted
/// order.
///
/// Directories in `written` are not entered, because a run does not read its output. Nor are output
/// directories of earlier runs, unless they are named themselves. Fails if there is no argument, an
/// input does not exist, a directory holds nothing to read, or two inputs are the same file.
pub(crate) fn collect_inputs(
    named: &NamedInputs<'_>,
    written: &[&Path],
) -> Result<CollectedInputs, ListingError> {
    let written = canonical_paths(written);
    if named.paths.is_empty() {
        return Err(ListingError::NoInput);
    }
    let mut found = CollectedInputs::default();
    for argument in named.paths {
        if argument.as_os_str() == STDIN {
            found.inputs.push(InputEntry::stdin());
            continue;
        }
        let metadata = fs::metadata(argument)
            .map_err(|source| ListingError::NotFound { path: argument.clone(), source })?;
        if metadata.is_dir() {
            collect_directory(argument, named, &written, &mut found)?;
            continue;
        }
        let Some(name) = argument.file_name() else {
            return Err(ListingError::NoFileName { path: argument.clone() });
        };
        found.inputs.push(InputEntry::from_metadata(
            argument.clone(),
            PathBuf::from(name),
            &metadata,
        ));
    }
    keep_names_apart(&mut found.inputs)?;
    Ok(found)
}

fn canonical_paths(paths: &[&Path]) -> Vec<PathBuf> {
    paths.iter().filter_map(|path| path.canonicalize().ok()).collect()
}

/// Returns how many links, hidden directories and files that patterns leave out were found.
fn passed_over(found: &CollectedInputs) -> [usize; 3] {
    [found.links.len(), found.hidden.len(), found.left_out]
}

fn collect_directory(
    directory: &Path,
    named: &NamedInputs<'_>,
    written: &[PathBuf],
    found: &mut CollectedInputs,
) -> Result<(), ListingError> {
    let (inputs_before, before) = (found.inputs.len(), passed_over(found));
    // If the directory is the output of an earlier run, its archives and report are no transcripts.
    let excluded: Vec<PathBuf> = written.iter().cloned().chain(archives_in(directory)).collect();
    let walk = DirectoryWalk {
        root: directory,
        excluded: &excluded,
        accepts: &is_transcript,
        filter: &PathFilter::new(&named.rules),
        links: if named.rules.follow_links { WalkedLinks::Followed } else { WalkedLinks::Skipped },
    };
    walk.collect_below(Path::new(""), found);
    found.inputs.retain(|input| !is_report(input));
    if found.inputs.len() == inputs_before {
        let after = passed_over(found);
        let [links, hidden, left_out] = std::array::from_fn(|at| after[at] - before[at]);
        return Err(ListingError::NoTranscript {
            path: directory.to_path_buf(),
            links,
            hidden,
            left_out,
            database: database_in(directory).map(Box::new),
            extensions: format!(".{}", EXTENSIONS.join(", .")),
            compressions: format!(".{}", COMPRESSED.join(" or .")),
        });
    }
    Ok(())
}

/// Collects all files that an earlier run wrote into its output directory, in sorted order,
/// whatever their extensions. If the directory has no report, collects the files that look like
/// transcripts or have originals. Directories in `written` are not entered. Fails if the directory
/// of originals can't be listed.
pub(crate) fn collect_outputs(
    directory: &Path,
    archive: &Path,
    written: &[&Path],
) -> Result<Vec<InputEntry>, InputError> {
    let mut found = CollectedInputs::default();
    let mut excluded = canonical_paths(written);
    excluded.extend(archives_in(directory));
    excluded.extend(archive.join(ORIGINALS_DIR).canonicalize());
    let has_report = is_output_directory(directory);
    let with_originals = if has_report { Vec::new() } else { outputs_with_originals(archive)? };
    let walk = DirectoryWalk {
        root: directory,
        excluded: &excluded,
        accepts: &|relative_path: &Path| {
            has_report
                || is_transcript(relative_path)
                || with_originals
                    .binary_search_by(|output| output.as_path().cmp(relative_path))
                    .is_ok()
        },
        filter: &PathFilter::everything(),
        links: WalkedLinks::Unreadable,
    };
    walk.collect_below(Path::new(""), &mut found);
    found.inputs.retain(|input| !is_report(input));
    Ok(found.inputs)
}

/// Returns the entry of an output of an earlier run; none if there is no such file.
pub(crate) fn output_entry(directory: &Path, output: &Path) -> Option<InputEntry> {
    let mut path = directory.to_path_buf();
    for name in output {
        path.push(name);
        if path.symlink_metadata().ok()?.is_symlink() {
            return Some(unreadable_link(directory.join(output), output.to_path_buf()));
        }
    }
    file_entry(path, output.to_path_buf())
}

/// Returns the entry of a link in the place of an output.
fn unreadable_link(path: PathBuf, relative_path: PathBuf) -> InputEntry {
    let reason = "it is a link, which no run writes".to_owned();
    InputEntry::unreadable(path, relative_path, reason)
}

/// A walk over a directory and its subdirectories.
struct DirectoryWalk<'w> {
    root: &'w Path,
    /// Canonical paths of directories that are not entered.
    excluded: &'w [PathBuf],
    /// Returns true for the relative paths of files to collect.
    accepts: &'w dyn Fn(&Path) -> bool,
    filter: &'w PathFilter,
    links: WalkedLinks,
}

/// The treatment of links that a walk finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WalkedLinks {
    /// They are followed, except to a directory that the walk is in: that would never end.
    Followed,
    /// They are skipped, and reported.
    Skipped,
    /// Those in the place of a file can't be read.
    Unreadable,
}

impl DirectoryWalk<'_> {
    /// Collects the files below `root/relative_path` in sorted order. What can't be accessed
    /// becomes an entry that can't be read, so that it is reported and the rest goes on.
    fn collect_below(&self, relative_path: &Path, found: &mut CollectedInputs) {
        let directory = self.root.join(relative_path);
        let entries: io::Result<Vec<_>> = fs::read_dir(&directory).and_then(Iterator::collect);
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                let relative_path = relative_path.to_path_buf();
                return found.inputs.push(InputEntry {
                    listing_fault: error.raw_os_error(),
                    ..InputEntry::unreadable(directory, relative_path, error.to_string())
                });
            }
        };
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let (path, relative_path) = (entry.path(), relative_path.join(entry.file_name()));
            if UNFINISHED_DIRS.iter().any(|name| entry.file_name() == *name) {
                continue;
            }
            let kind = entry.file_type();
            if kind.as_ref().is_ok_and(fs::FileType::is_dir) {
                self.collect_subdirectory(path, &relative_path, found);
            } else if kind.is_ok_and(|kind| kind.is_symlink()) {
                self.collect_link(path, relative_path, found);
            } else if self.accepts_file(&relative_path) {
                let has_sibling = |name: &str| directory.join(name).exists();
                if !self.filter.is_everything && is_side_file(&relative_path, has_sibling) {
                    found.side.push(path);
                } else {
                    found.inputs.extend(file_entry(path, relative_path));
                }
            } else if (self.accepts)(&relative_path) {
                found.left_out += 1;
            } else if self.filter.accepts_file(&relative_path) && is_other_data(&relative_path) {
                found.other_data.push(path);
            }
        }
    }

    fn accepts_file(&self, relative_path: &Path) -> bool {
        (self.accepts)(relative_path) && self.filter.accepts_file(relative_path)
    }

    fn collect_link(&self, path: PathBuf, relative_path: PathBuf, found: &mut CollectedInputs) {
        let leads_to_directory = path.is_dir();
        match self.links {
            WalkedLinks::Followed if leads_to_directory && self.is_in(&path, &relative_path) => {}
            WalkedLinks::Followed if leads_to_directory => {
                self.collect_subdirectory(path, &relative_path, found);
            }
            WalkedLinks::Followed if self.accepts_file(&relative_path) => {
                found.inputs.extend(file_entry(path, relative_path));
            }
            WalkedLinks::Skipped if leads_to_directory || self.accepts_file(&relative_path) => {
                found.links.push(path);
            }
            WalkedLinks::Unreadable if !leads_to_directory && self.accepts_file(&relative_path) => {
                found.inputs.push(unreadable_link(path, relative_path));
            }
            _ => {}
        }
    }

    /// Returns true if a link leads to a directory that the walk is in at the link's place.
    fn is_in(&self, link: &Path, relative_path: &Path) -> bool {
        let Ok(target) = link.canonicalize() else {
            return false;
        };
        let mut places = relative_path.ancestors().skip(1);
        places.any(|place| {
            let place = self.root.join(place).canonicalize();
            place.is_ok_and(|place| place == target)
        })
    }

    fn collect_subdirectory(
        &self,
        path: PathBuf,
        relative_path: &Path,
        found: &mut CollectedInputs,
    ) {
        if path.canonicalize().is_ok_and(|path| self.excluded.contains(&path)) {
            return;
        }
        if self.filter.excludes_directory(relative_path) {
            return;
        }
        if self.filter.hides(relative_path) {
            found.hidden.push(path);
        } else if is_output_directory(&path) {
            found.skipped.push(path);
        } else {
            self.collect_below(relative_path, found);
        }
    }
}

/// Returns the entry of a file; none for a link to a directory.
fn file_entry(path: PathBuf, relative_path: PathBuf) -> Option<InputEntry> {
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_file() => {
            Some(InputEntry::from_metadata(path, relative_path, &metadata))
        }
        Ok(metadata) if metadata.is_dir() => None,
        Ok(_) => Some(InputEntry::unreadable(
            path,
            relative_path,
            "it is not a regular file; name it itself to read it".to_owned(),
        )),
        // A link that leads nowhere is no fault of the disk.
        Err(error) => Some(InputEntry {
            listing_fault: error.raw_os_error().filter(|_| !path.is_symlink()),
            ..InputEntry::unreadable(path, relative_path, error.to_string())
        }),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::file_entry;
    use std::path::PathBuf;

    #[test]
    fn what_can_not_be_looked_at_is_a_fault_and_a_dangling_link_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let dangling = dir.path().join("link.jsonl");
        std::os::unix::fs::symlink("nowhere", &dangling).unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        for (path, is_fault) in [(dangling, false), (file.join("below.jsonl"), true)] {
            let entry = file_entry(path, PathBuf::from("in.jsonl")).unwrap();
            assert_eq!(entry.listing_fault.is_some(), is_fault);
        }
    }
}
