//! The files of an export directory beside the requests: how the requests were
//! made, and which of them were submitted.

use crate::input::line_files::read_small_file;
use crate::output::AtomicFile;
use crate::policy::Dialect;
use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file that says how the requests were made.
pub(crate) const MANIFEST: &str = "manifest.json";
/// The file that lists the requests.
pub(crate) const INDEX: &str = "index.jsonl";
/// The file that holds the policy.
pub(crate) const POLICY: &str = "policy.toml";
/// The file that lists the submitted batches.
const BATCHES: &str = "batches.json";
const VERSION: u32 = 1;

/// The way in which requests were made.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    version: u32,
    tool: String,
    /// The interface that the requests are for.
    pub dialect: Dialect,
    /// The model, as the server knows it.
    pub model: String,
    /// The inputs, as absolute paths.
    pub inputs: Vec<PathBuf>,
    /// The format that the inputs were read as, if the user named it.
    pub format: Option<String>,
    /// The longest record that was read, in bytes.
    pub max_record_bytes: usize,
    /// The request files.
    pub files: Vec<RequestFile>,
}

/// A file of requests.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RequestFile {
    /// The name of the file.
    pub name: String,
    /// The number of requests in it.
    pub requests: u64,
    /// Its length in bytes.
    pub bytes: u64,
}

/// A line of the index: a request.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct IndexLine {
    /// The id of the request: the hash of its question.
    pub custom_id: String,
    /// The request file that holds it.
    pub request_file: String,
    /// The first conversation that asks the question.
    pub thread_id: String,
    /// The file of that conversation.
    pub file: String,
    /// The line where it begins.
    pub line: u64,
    /// The tokens of the question under the policy's counter.
    pub input_tokens: u64,
}

/// A request file that was submitted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SubmittedBatch {
    /// The request file.
    pub file: String,
    /// The server's id of the batch.
    pub id: String,
    /// All of its results were fetched.
    #[serde(default)]
    pub fetched: bool,
}

impl Manifest {
    pub(crate) fn new(
        dialect: Dialect,
        model: &str,
        inputs: Vec<PathBuf>,
        format: Option<String>,
        max_record_bytes: usize,
    ) -> Self {
        let tool = format!("epitome {}", env!("CARGO_PKG_VERSION"));
        Self {
            version: VERSION,
            tool,
            dialect,
            model: model.to_owned(),
            inputs,
            format,
            max_record_bytes,
            files: Vec::new(),
        }
    }

    pub(crate) fn read(directory: &Path) -> Result<Self> {
        let path = directory.join(MANIFEST);
        let Some(manifest) = read::<Self>(&path)? else {
            bail!(
                "{} is no export directory: there is no {MANIFEST} in it (`epitome requests export` writes one)",
                directory.display()
            );
        };
        if manifest.version != VERSION {
            bail!(
                "{} has version {}, this program reads version {VERSION}",
                path.display(),
                manifest.version
            );
        }
        Ok(manifest)
    }

    pub(crate) fn write(&self, directory: &Path) -> Result<()> {
        write(&directory.join(MANIFEST), self)
    }
}

impl SubmittedBatch {
    /// Reads the batches that were submitted so far.
    pub(crate) fn read_all(directory: &Path) -> Result<Vec<Self>> {
        Ok(read(&directory.join(BATCHES))?.unwrap_or_default())
    }

    pub(crate) fn write_all(batches: &[Self], directory: &Path) -> Result<()> {
        write(&directory.join(BATCHES), &batches)
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    let Some(text) = read_small_file(path)? else {
        return Ok(None);
    };
    Ok(Some(serde_json::from_str(&text).with_context(|| {
        format!("{} is damaged", path.display())
    })?))
}

fn write<T: Serialize>(path: &Path, value: &T) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    writeln!(file, "{}", serde_json::to_string_pretty(value)?)?;
    Ok(file.publish()?)
}
