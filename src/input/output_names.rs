//! The names of outputs, checked against each other and against the files of a run.

use crate::archive::{ARCHIVE_DIRS, REPORT_FILE};
use crate::input::entry::InputEntry;
use crate::input::error::ListingError;
use crate::input::extensions::jsonl_name;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

/// Changes the output names to JSONL: `a.traj.gz` becomes `a.jsonl.gz`.
///
/// # Errors
/// Fails if two inputs would then have the same output.
pub(crate) fn name_outputs_jsonl(
    mut inputs: Vec<InputEntry>,
) -> Result<Vec<InputEntry>, ListingError> {
    for input in &mut inputs {
        input.output = jsonl_name(&input.output);
    }
    refuse_equal_outputs(&inputs)?;
    Ok(inputs)
}

/// Lets inputs fail whose outputs would stand where the run writes its report or, if the archives lie
/// in the output directory, its archives. The rest goes on. Does nothing if no input would be left.
pub(crate) fn fail_taken_names(inputs: &mut [InputEntry], holds_archives: bool) {
    let is_taken = |input: &InputEntry| {
        let directory = input.output.components().next();
        let directory = directory.map(|first| first.as_os_str().to_owned());
        let is_archived = holds_archives
            && input.output.components().count() > 1
            && ARCHIVE_DIRS
                .iter()
                .any(|name| directory.as_deref() == Some(OsStr::new(name)));
        is_archived || input.output == Path::new(REPORT_FILE)
    };
    if inputs.iter().all(is_taken) {
        return;
    }
    for input in inputs.iter_mut().filter(|input| is_taken(input)) {
        let output = input.output.display();
        input.problem = Some(format!(
            "its output {output} would stand where this run writes its report or its archives; rename it, or compact it by itself with -o -"
        ));
    }
}

/// Refuses inputs whose outputs would be the same file.
pub(super) fn refuse_equal_outputs(inputs: &[InputEntry]) -> Result<(), ListingError> {
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
    use std::path::PathBuf;

    #[test]
    fn converted_outputs_are_named_jsonl() {
        let input = |name: &str| {
            InputEntry::from_metadata(name.into(), name.into(), &fs::metadata(".").unwrap())
        };
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
