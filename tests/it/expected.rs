//! Expected files: compared with what a test produces, and written anew on demand.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The environment variable that makes tests write their expected files anew, and its value.
pub(crate) const OVERWRITE: [&str; 2] = ["EPITOME_FIXTURES", "overwrite"];

/// Files by their path below a folder.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Returns true if expected files are to be written anew.
pub(crate) fn overwrites() -> bool {
    let [name, value] = OVERWRITE;
    std::env::var(name).is_ok_and(|given| given == value)
}

/// Fails if there are differences.
pub(crate) fn assert_none(differences: &[String]) {
    let [name, value] = OVERWRITE;
    assert!(
        differences.is_empty(),
        "{}\n({name}={value} writes the expected files anew)",
        differences.join("\n")
    );
}

/// Replaces a folder by these files.
pub(crate) fn write(folder: &Path, files: &Files) {
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
    for (path, bytes) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// Returns a line for each file that is missing, unexpected or changed.
pub(crate) fn differences(expected: &Files, produced: &Files) -> Vec<String> {
    let mut lines = Vec::new();
    for (path, bytes) in expected {
        match produced.get(path) {
            None => lines.push(format!("{path} is expected and was not produced")),
            Some(other) if other != bytes => {
                lines.push(format!("{path} differs: {}", first_difference(bytes, other)))
            }
            Some(_) => {}
        }
    }
    lines.extend(
        produced
            .keys()
            .filter(|path| !expected.contains_key(*path))
            .map(|path| format!("{path} was produced and is not expected")),
    );
    lines
}

fn first_difference(expected: &[u8], produced: &[u8]) -> String {
    let [expected, produced] =
        [expected, produced].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let pairs =
        expected.lines().map(Some).chain([None]).zip(produced.lines().map(Some).chain([None]));
    match pairs.enumerate().find(|(_, (left, right))| left != right) {
        Some((index, (left, right))) => format!(
            "line {}\n  expected {}\n  produced {}",
            index + 1,
            left.unwrap_or("nothing"),
            right.unwrap_or("nothing")
        ),
        None => "in its last line end, or in bytes that are not text".to_owned(),
    }
}

#[test]
fn missing_unexpected_and_changed_files_are_differences() {
    let files = |names: &[(&str, &str)]| -> Files {
        names.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
    };
    let expected = files(&[("a", "1\n2\n"), ("b", "x")]);
    assert_eq!(differences(&expected, &expected), Vec::<String>::new());
    assert_eq!(
        differences(&expected, &files(&[("a", "1\n2\n")])),
        ["b is expected and was not produced"]
    );
    assert_eq!(
        differences(&files(&[("a", "1")]), &files(&[("a", "1"), ("b", "x")])),
        ["b was produced and is not expected"]
    );
    assert_eq!(
        differences(&files(&[("a", "1\n2\n")]), &files(&[("a", "1\n3\n")])),
        ["a differs: line 2\n  expected 2\n  produced 3"]
    );
}
