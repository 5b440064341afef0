//! The notes of an export directory about submissions: which request files were submitted, and which
//! of them is being submitted.

use crate::files::archive::path_below::FileNameBelow;
use crate::files::output::{OutputTree, WriteError};
use crate::running::requests::manifest::{ExportError, read_json, stage_json};
use crate::summary::http::NewestBatch;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The file that lists the submitted batches.
const BATCHES: &str = "batches.json";
/// The file that notes a submission before anything is sent.
const SUBMISSION: &str = "submission.json";

/// A request file that was submitted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SubmittedBatch {
    /// The request file.
    pub file: FileNameBelow,
    /// The server's id of the batch.
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
    pub(crate) fn read_all(directory: &Path) -> Result<Vec<Self>, ExportError> {
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
    pub(crate) fn read(directory: &Path) -> Result<Option<Self>, ExportError> {
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
        tree.remove_result(SUBMISSION)?;
        tree.commit()
    }

    /// Removes the note of a submission that the server has refused. Fails if the note can't be
    /// removed.
    pub(crate) fn withdraw(tree: &OutputTree) -> Result<(), WriteError> {
        tree.remove_result(SUBMISSION)?;
        tree.commit()
    }
}
