//! The file name extensions of transcripts.

use std::path::{Path, PathBuf};

/// The extensions of the files that are read below a directory.
pub(super) const EXTENSIONS: &[&str] = &[
    "jsonl",
    "ndjson",
    "json",
    "traj",
    "eval",
    #[cfg(feature = "parquet")]
    "parquet",
];
/// The extensions that compression adds.
pub(super) const COMPRESSED: [&str; 2] = ["gz", "zst"];

/// The extensions of other data, which may hold conversations in a form that is not read.
const OTHER_DATA: [&str; 16] = [
    "7z", "arrow", "avro", "csv", "db", "parquet", "sqlite", "sqlite3", "tar", "tgz", "tsv",
    "vscdb", "xlsx", "yaml", "yml", "zip",
];

/// Returns true for a file that may hold conversations, and that a directory is not searched for.
pub(super) fn is_other_data(path: &Path) -> bool {
    let outer = lowercase_extension(path);
    let inner = if COMPRESSED.contains(&outer.as_str()) {
        lowercase_extension(&path.with_extension(""))
    } else {
        outer
    };
    !is_transcript(path) && OTHER_DATA.contains(&inner.as_str())
}

pub(super) fn is_transcript(path: &Path) -> bool {
    let outer = lowercase_extension(path);
    if COMPRESSED.contains(&outer.as_str()) {
        return EXTENSIONS.contains(&lowercase_extension(&path.with_extension("")).as_str());
    }
    EXTENSIONS.contains(&outer.as_str())
}

fn lowercase_extension(path: &Path) -> String {
    path.extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default()
}

/// Returns the name of an output that is JSONL: `a.traj.gz` becomes `a.jsonl.gz`.
pub(super) fn jsonl_name(output: &Path) -> PathBuf {
    let (plain, compression) = split_compression(output);
    let is_known =
        plain.extension().is_some() && EXTENSIONS.contains(&lowercase_extension(&plain).as_str());
    let stem = if is_known { plain.with_extension("") } else { plain };
    with_jsonl(stem, compression)
}

/// Returns the name of an output that is JSONL and holds the whole name of its input: `a.traj.gz`
/// becomes `a.traj.jsonl.gz`.
pub(super) fn whole_jsonl_name(output: &Path) -> PathBuf {
    let (plain, compression) = split_compression(output);
    with_jsonl(plain, compression)
}

/// Returns the name of the output of a file below its folder. Rows of tables are written as JSONL.
pub(super) fn output_name(relative_path: &Path) -> PathBuf {
    match lowercase_extension(relative_path).as_str() {
        "parquet" => whole_jsonl_name(relative_path),
        _ => relative_path.to_path_buf(),
    }
}

/// Returns a name without the extension of a compression, and that extension.
fn split_compression(output: &Path) -> (PathBuf, Option<&str>) {
    let compression = output
        .extension()
        .and_then(|extension| extension.to_str())
        .filter(|extension| COMPRESSED.contains(&extension.to_ascii_lowercase().as_str()));
    let plain =
        if compression.is_some() { output.with_extension("") } else { output.to_path_buf() };
    (plain, compression)
}

fn with_jsonl(stem: PathBuf, compression: Option<&str>) -> PathBuf {
    let mut name = stem.into_os_string();
    name.push(".jsonl");
    if let Some(compression) = compression {
        name.push(format!(".{compression}"));
    }
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcripts_are_recognised_by_their_extension() {
        for (name, wanted) in [
            ("a.jsonl", true),
            ("a.JSON", true),
            ("a.traj.gz", true),
            ("a.ndjson.zst", true),
            ("a.eval", true),
            ("a.gz", false),
            ("a.md", false),
        ] {
            assert_eq!(is_transcript(Path::new(name)), wanted, "{name}");
        }
    }
}
