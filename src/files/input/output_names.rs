//! The names of outputs, checked against each other and against the files of a run.

use crate::files::archive::{ARCHIVE_DIRS, REPORT_FILE};
use crate::files::input::extensions::{jsonl_name, whole_jsonl_name};
use crate::files::input::{entry::InputEntry, error::ListingError};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Changes the output names to JSONL: `a.traj.gz` becomes `a.jsonl.gz`. Where that is the name of
/// another output, too, the whole name stays in it: `a.traj.jsonl.gz`. Fails if two inputs have the
/// same output all the same.
pub(crate) fn name_outputs_jsonl(
    mut inputs: Vec<InputEntry>,
) -> Result<Vec<InputEntry>, ListingError> {
    let mut wanted: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for input in &inputs {
        *wanted.entry(jsonl_name(&input.output)).or_default() += 1;
    }
    for input in &mut inputs {
        let name = jsonl_name(&input.output);
        let is_free = wanted.get(&name) == Some(&1) || name == input.output;
        input.output = if is_free { name } else { whole_jsonl_name(&input.output) };
    }
    refuse_equal_outputs(&inputs)?;
    Ok(inputs)
}

/// Gives inputs with the same name the paths that they were named with, without the folders that
/// all of them share: `a/x.jsonl` and `b/x.jsonl` stay apart. Does nothing if all names differ.
/// Fails if two inputs have the same output all the same: they are the same file.
pub(super) fn keep_names_apart(inputs: &mut [InputEntry]) -> Result<(), ListingError> {
    if refuse_equal_outputs(inputs).is_ok() {
        return Ok(());
    }
    let named: Vec<PathBuf> = inputs.iter().map(named_path).collect();
    let shared = shared_folders(&named);
    for (input, path) in inputs.iter_mut().zip(&named) {
        let apart: PathBuf = path.components().skip(shared).collect();
        input.relative_path.clone_from(&apart);
        input.output = apart;
    }
    refuse_equal_outputs(inputs)
}

/// Returns the path that an input was named with, without what leads out of a directory.
fn named_path(input: &InputEntry) -> PathBuf {
    let Some(path) = &input.path else {
        return input.relative_path.clone();
    };
    path.components().filter(|component| matches!(component, Component::Normal(_))).collect()
}

/// Returns the number of folders that all paths begin with.
fn shared_folders(paths: &[PathBuf]) -> usize {
    let Some((first, others)) = paths.split_first() else {
        return 0;
    };
    let folders = first.components().count().saturating_sub(1);
    others.iter().fold(folders, |shared, path| {
        let same = first.components().zip(path.components());
        let same = same.take_while(|(one, other)| one == other).count();
        shared.min(same)
    })
}

/// Lets inputs fail whose outputs would stand where the run writes its report or, if the archives lie
/// in the output directory, its archives. The rest goes on. Does nothing if no input would be left.
pub(crate) fn fail_taken_names(inputs: &mut [InputEntry], holds_archives: bool) {
    let is_taken = |input: &InputEntry| {
        let directory = input.output.components().next();
        let directory = directory.map(|first| first.as_os_str().to_owned());
        let is_archived = holds_archives
            && input.output.components().count() > 1
            && ARCHIVE_DIRS.iter().any(|name| directory.as_deref() == Some(OsStr::new(name)));
        is_archived || input.output == Path::new(REPORT_FILE)
    };
    if inputs.iter().all(is_taken) {
        return;
    }
    for input in inputs.iter_mut().filter(|input| is_taken(input)) {
        let output = input.output.display();
        input.problem = Some(format!(
            "its output {output} would be where this run writes its report or its archives; rename it, or compact it by itself with -o -"
        ));
    }
}

/// Refuses inputs whose outputs would be the same file.
fn refuse_equal_outputs(inputs: &[InputEntry]) -> Result<(), ListingError> {
    let mut outputs: BTreeMap<&Path, &str> = BTreeMap::new();
    for input in inputs {
        if let Some(first) = outputs.insert(&input.output, &input.name) {
            return Err(ListingError::SameOutput {
                first: first.to_owned(),
                second: input.name.clone(),
                output: input.output.clone(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn input(path: &str, name: PathBuf) -> InputEntry {
        InputEntry::from_metadata(path.into(), name, &fs::metadata(".").unwrap())
    }

    #[test]
    fn converted_outputs_are_named_jsonl() {
        let input = |name: &str| input(name, name.into());
        for (name, wanted) in [
            ("a.json", "a.jsonl"),
            ("d/a.traj.gz", "d/a.jsonl.gz"),
            ("a.jsonl", "a.jsonl"),
            ("a.b", "a.b.jsonl"),
            ("a", "a.jsonl"),
        ] {
            let named = name_outputs_jsonl(vec![input(name)]).unwrap();
            assert_eq!(named[0].output, Path::new(wanted), "{name}");
        }
        let outputs = |names: [&str; 3]| {
            let named = name_outputs_jsonl(names.map(input).to_vec()).unwrap();
            Vec::from_iter(named.into_iter().map(|input| input.output))
        };
        assert_eq!(
            outputs(["a.json", "a.jsonl", "a.ndjson"]),
            ["a.json.jsonl", "a.jsonl", "a.ndjson.jsonl"].map(PathBuf::from)
        );
        assert_eq!(
            outputs(["a.json.gz", "b.json", "a.traj.gz"]),
            ["a.json.jsonl.gz", "b.jsonl", "a.traj.jsonl.gz"].map(PathBuf::from)
        );
    }

    #[test]
    fn equal_names_keep_the_folders_that_tell_them_apart() {
        let input = |path: &str| input(path, Path::new(path).file_name().unwrap().into());
        let apart = |paths: &[&str]| {
            let mut inputs: Vec<InputEntry> = paths.iter().map(|path| input(path)).collect();
            keep_names_apart(&mut inputs).map(|()| {
                let outputs = inputs.into_iter().map(|input| input.output.display().to_string());
                outputs.collect::<Vec<_>>()
            })
        };
        assert_eq!(apart(&["a/x", "b/y"]).unwrap(), ["x", "y"]);
        assert_eq!(apart(&["a/x", "b/x"]).unwrap(), ["a/x", "b/x"]);
        assert_eq!(apart(&["/d/a/x", "/d/b/x", "/d/y"]).unwrap(), ["a/x", "b/x", "y"]);
        assert_eq!(apart(&["x", "../x", "b/x"]).map_err(drop), Err(()));
        let error = apart(&["a/x", "./a/x"]).unwrap_err().to_string();
        assert!(error.contains("both be written to"), "{error}");
    }
}
