//! The files of an export directory beside the requests: how the requests were made, which files were
//! submitted, and which of them is being submitted.

use crate::deciding::policy::Dialect;
use crate::files::archive::path_below::FileNameBelow;
use crate::files::input::{PathRules, line_files::read_small_file};
use crate::files::output::{AccessLimit, NamedFile, OutputTree, StagedFile, WriteError};
use crate::summary::http::{NewestBatch, read_batch_id};
use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// The file that says how the requests were made.
pub(crate) const MANIFEST: &str = "manifest.json";
/// The file that lists the requests.
pub(crate) const INDEX: &str = "index.jsonl";
/// The file that holds the policy.
pub(crate) const POLICY: &str = "policy.toml";
pub(crate) const VERSION: u32 = 1;

/// The way in which requests were made.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub version: u32,
    pub tool: String,
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
    pub files: Vec<RequestFile>,
    /// The proof that a run of this user wrote the policy, and named the inputs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seal: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RequestFile {
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
    /// Reads the manifest of an export directory. Fails if there is no manifest, or none that this
    /// program reads.
    pub(crate) fn read(directory: &Path) -> Result<Self> {
        let Some(manifest) = read_json::<Self>(directory, MANIFEST)? else {
            bail!(
                "{} is not an export directory: there is no {MANIFEST} in it (`epitome requests export` writes one)",
                directory.display()
            );
        };
        let version = manifest.version;
        if version != VERSION {
            let path = directory.join(MANIFEST);
            let path = path.display();
            bail!("{path} has version {version}, this program reads version {VERSION}");
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
pub(super) fn read_json<T: DeserializeOwned>(directory: &Path, name: &str) -> Result<Option<T>> {
    let Some(text) = read_small_file(directory, Path::new(name))? else {
        return Ok(None);
    };
    let value = serde_json::from_str(&text);
    value.map(Some).with_context(|| format!("{} is damaged", directory.join(name).display()))
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

/// The file that lists the submitted batches.
const BATCHES: &str = "batches.json";
/// The file that notes a submission before anything is sent.
const SUBMISSION: &str = "submission.json";

/// A request file that was submitted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SubmittedBatch {
    pub file: FileNameBelow,
    /// The server's id of the batch.
    #[serde(deserialize_with = "read_batch_id")]
    pub id: String,
    /// All of its results were fetched.
    #[serde(default)]
    pub fetched: bool,
}

/// A submission that has begun. It is noted before anything is sent, and after each step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct OpenSubmission {
    /// The request file.
    pub file: FileNameBelow,
    /// A random name of the submission, which the server gets to know where its interface has a
    /// place for it.
    pub key: String,
    /// The time when it began, for people.
    pub started: String,
    /// The server's id of the uploaded file. Without an upload OpenAI's interface makes no batch.
    #[serde(default)]
    pub upload: Option<String>,
    /// The newest batch of the server before the submission, where the interface has no place for
    /// the key.
    #[serde(default)]
    pub newest_before: Option<NewestBatch>,
}

impl SubmittedBatch {
    /// Reads the batches that were submitted so far. Fails if their list exists and can't be read.
    pub(crate) fn read_all(directory: &Path) -> Result<Vec<Self>> {
        Ok(read_json(directory, BATCHES)?.unwrap_or_default())
    }

    /// Replaces the list of submitted batches at once, so that none is submitted twice. Fails if
    /// the file can't be written.
    pub(crate) fn write_all(batches: &[Self], tree: &OutputTree) -> Result<(), WriteError> {
        tree.publish_result(stage_json(tree, BATCHES, &batches)?)
    }
}

impl OpenSubmission {
    /// Reads the submission that has begun and was not seen to end. Returns none if there is none.
    /// Fails if the note exists and can't be read.
    pub(crate) fn read(directory: &Path) -> Result<Option<Self>> {
        read_json(directory, SUBMISSION)
    }

    /// Notes the present step. Fails if the note can't be written.
    pub(crate) fn write(&self, tree: &OutputTree) -> Result<(), WriteError> {
        tree.publish_result(stage_json(tree, SUBMISSION, self)?)
    }

    /// Replaces the note by the list of submitted batches: both at once. Fails if the list can't be
    /// written, or the note not be removed.
    pub(crate) fn end(batches: &[SubmittedBatch], tree: &OutputTree) -> Result<(), WriteError> {
        tree.join_result(stage_json(tree, BATCHES, &batches)?)?;
        Self::withdraw(tree)
    }

    /// Removes the note of a submission that the server has refused. Fails if the note can't be
    /// removed.
    pub(crate) fn withdraw(tree: &OutputTree) -> Result<(), WriteError> {
        tree.remove_result(SUBMISSION)?;
        tree.commit()
    }
}
