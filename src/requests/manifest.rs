//! What an export directory holds beside the requests: how they were made, and
//! which of them was handed over to whom.

use crate::input::line_files::read_small_file;
use crate::output::AtomicFile;
use crate::policy::Dialect;
use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Names in an export directory.
pub const MANIFEST: &str = "manifest.json";
pub const INDEX: &str = "index.jsonl";
pub const POLICY: &str = "policy.toml";
const BATCHES: &str = "batches.json";
const VERSION: u32 = 1;

/// How requests were made.
#[derive(Debug, Serialize, Deserialize)]
pub struct Manifest {
    version: u32,
    tool: String,
    pub dialect: Dialect,
    pub model: String,
    /// What was read, as absolute paths.
    pub inputs: Vec<PathBuf>,
    pub format: Option<String>,
    pub max_record_bytes: usize,
    /// The request files.
    pub files: Vec<RequestFile>,
}

/// One file of requests.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RequestFile {
    pub name: String,
    pub requests: u64,
    pub bytes: u64,
}

/// One request, in `index.jsonl`.
#[derive(Debug, Serialize, Deserialize)]
pub struct IndexLine {
    pub custom_id: String,
    /// The request file that holds it.
    pub request_file: String,
    /// The first conversation that asks it.
    pub thread_id: String,
    pub file: String,
    pub line: u64,
    /// Tokens by the policy's counter.
    pub input_tokens: u64,
}

/// A request file that was handed over.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SubmittedBatch {
    /// The request file.
    pub file: String,
    /// The server's id of the batch.
    pub id: String,
    /// Whether all of its results were fetched.
    #[serde(default)]
    pub fetched: bool,
}

impl Manifest {
    pub fn new(
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

    pub fn read(directory: &Path) -> Result<Self> {
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

    pub fn write(&self, directory: &Path) -> Result<()> {
        write(&directory.join(MANIFEST), self)
    }
}

impl SubmittedBatch {
    /// What was handed over so far.
    pub fn read_all(directory: &Path) -> Result<Vec<Self>> {
        Ok(read(&directory.join(BATCHES))?.unwrap_or_default())
    }

    pub fn write_all(batches: &[Self], directory: &Path) -> Result<()> {
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
