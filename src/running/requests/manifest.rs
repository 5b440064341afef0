//! The files of an export directory beside the requests: how the requests were
//! made.

use crate::deciding::policy::Dialect;
use crate::files::archive::path_below::FileNameBelow;
use crate::files::input::line_files::read_small_file;
use crate::files::input::{InputError, PathRules, ReadLimits};
use crate::files::output::{AccessLimit, NamedFile, OutputTree, StagedFile, WriteError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The file that says how the requests were made.
pub(crate) const MANIFEST: &str = "manifest.json";
/// The file that lists the requests.
pub(crate) const INDEX: &str = "index.jsonl";
/// The file that holds the policy.
pub(crate) const POLICY: &str = "policy.toml";
const VERSION: u32 = 1;

/// The reason why an export directory can't be read. `Display` gives the outermost message only;
/// the causes follow through `source`.
#[derive(Debug, Error)]
pub(crate) enum ExportError {
    /// The directory has no manifest.
    #[error(
        "{} is not an export directory: there is no {MANIFEST} in it (`epitome requests export` writes one)",
        .0.display()
    )]
    NoManifest(PathBuf),
    /// The manifest has a version that this program does not know.
    #[error("{} has version {version}, this program reads version {VERSION}", path.display())]
    UnknownVersion {
        /// The manifest.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// A file is not the JSON that belongs there.
    #[error("{} is damaged", path.display())]
    Damaged { path: PathBuf, source: serde_json::Error },
    /// A file can't be read.
    #[error(transparent)]
    Read(#[from] InputError),
}

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
    /// What was read in named directories.
    #[serde(flatten)]
    pub paths: PathRules,
    /// The request files.
    pub files: Vec<RequestFile>,
    /// The proof that a run of this user wrote the policy, and named the inputs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seal: Option<String>,
}

/// A file of requests.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RequestFile {
    /// The name of the file.
    pub name: FileNameBelow,
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
    pub request_file: FileNameBelow,
    /// The first conversation that asks the question.
    pub thread_id: String,
    /// The file of that conversation.
    pub file: String,
    /// The line where it begins.
    pub line: u64,
    /// The tokens of the question under the policy's counter.
    pub input_tokens: u64,
}

impl Manifest {
    pub(crate) fn new(
        dialect: Dialect,
        model: &str,
        inputs: Vec<PathBuf>,
        format: Option<String>,
        limits: ReadLimits,
        paths: PathRules,
    ) -> Self {
        let tool = format!("epitome {}", env!("CARGO_PKG_VERSION"));
        Self {
            version: VERSION,
            tool,
            dialect,
            model: model.to_owned(),
            inputs,
            format,
            max_record_bytes: limits.max_record_bytes,
            paths,
            files: Vec::new(),
            seal: None,
        }
    }

    /// Reads the manifest of an export directory. Fails if there is no manifest, or none that this
    /// program reads.
    pub(crate) fn read(directory: &Path) -> Result<Self, ExportError> {
        let path = directory.join(MANIFEST);
        let manifest: Self = read_json(directory, MANIFEST)?
            .ok_or_else(|| ExportError::NoManifest(directory.to_path_buf()))?;
        if manifest.version != VERSION {
            let version = manifest.version;
            return Err(ExportError::UnknownVersion { path, version });
        }
        Ok(manifest)
    }

    /// Returns the text that the seal of an export with this policy is about. Fails if the inputs
    /// can't be spelled as JSON.
    pub(crate) fn sealed_text(&self, policy: &str) -> io::Result<String> {
        Ok(serde_json::to_string(&(policy, &self.inputs, &self.paths))?)
    }

    /// Adds the manifest to the next publication of `tree`. Fails if the file can't be written.
    pub(crate) fn join(&self, tree: &OutputTree) -> Result<(), WriteError> {
        tree.join_result(stage_json(tree, MANIFEST, self)?)
    }
}

/// Returns the limit of files that are added to an export: that of its manifest.
pub(crate) fn export_access(directory: &Path) -> AccessLimit {
    AccessLimit::of_files([directory.join(MANIFEST).as_path()])
}

/// Reads a file of JSON. Returns none if it does not exist.
pub(super) fn read_json<T: DeserializeOwned>(
    directory: &Path,
    name: &str,
) -> Result<Option<T>, ExportError> {
    let Some(text) = read_small_file(directory, Path::new(name))? else {
        return Ok(None);
    };
    match serde_json::from_str(&text) {
        Ok(value) => Ok(Some(value)),
        Err(source) => Err(ExportError::Damaged { path: directory.join(name), source }),
    }
}

pub(super) fn stage_json<T: Serialize>(
    tree: &OutputTree,
    name: &str,
    value: &T,
) -> Result<StagedFile, WriteError> {
    let mut file = tree.create_result(name)?;
    let mut text = serde_json::to_vec_pretty(value).map_err(io::Error::from)?;
    text.push(b'\n');
    file.append(&text)?;
    Ok(file)
}
