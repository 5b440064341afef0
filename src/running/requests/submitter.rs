//! Submits the request files of an export, so that they become batches of OpenAI or Anthropic.
//!
//! Each step is noted before the next: a process that dies at any moment leaves a note from which
//! the next run sees whether the server may have the batch, and asks it.

use crate::deciding::policy::Dialect;
use crate::files::input::line_files::{LineFiles, open_with_length};
use crate::files::output::{OutputTree, print_message};
use crate::running::batch::RunError;
use crate::running::requests::manifest::{
    INDEX, IndexLine, OpenSubmission, RequestFile, SubmittedBatch,
};
use crate::running::requests::results::result_id;
use crate::summary::http::{BatchClient, ListedBatch, NewestBatch, SubmissionError};
use anyhow::{Context, Result, anyhow, bail};
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

/// A server may take a moment to list a batch that it has just made.
const LISTING_DELAY: Duration = Duration::from_secs(2);

/// What the user takes for a submission that was not seen to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Adoption<'a> {
    /// This batch of the server.
    Batch(&'a str),
    /// No batch: the file is submitted once more.
    None,
}

/// Submits the request files of an export.
pub(crate) struct Submitter<'a> {
    /// What the user takes for a submission that was not seen to end.
    pub adopt: Option<Adoption<'a>>,
    /// The directory of the export.
    pub directory: &'a Path,
    pub server: BatchClient,
    /// The writer of notes.
    pub tree: OutputTree,
    /// What was submitted so far.
    pub batches: Vec<SubmittedBatch>,
    /// The time when the run began, for people.
    pub started: String,
    /// The most bytes of a line of the index.
    pub max_line_bytes: usize,
}

/// What became of a submission that was not seen to end.
enum EarlierSubmission {
    /// The server has it as this batch.
    Arrived(String),
    /// The server does not have it.
    Lost(OpenSubmission),
}

impl Submitter<'_> {
    /// Returns the submission that was not seen to end. Fails if its note can't be read.
    pub(crate) fn read_open(&self) -> Result<Option<OpenSubmission>> {
        let open = OpenSubmission::read(self.directory)?;
        Ok(open.filter(|open| self.batches.iter().all(|batch| batch.file != open.file)))
    }

    /// Submits a file, or finds the batch of a submission that was not seen to end. Notes the batch
    /// and returns its id. Fails if the server refuses, can't be asked, or its answer can't be
    /// noted.
    pub(crate) fn submit(
        &mut self,
        file: &RequestFile,
        begun: Option<OpenSubmission>,
    ) -> Result<String> {
        let earlier = match begun {
            Some(begun) => Some(self.resolve(file, begun)?),
            None => None,
        };
        let id = match earlier {
            Some(EarlierSubmission::Arrived(id)) => id,
            Some(EarlierSubmission::Lost(begun)) => self.send(file, begun)?,
            None => {
                let new = self.begin(file, None)?;
                self.send(file, new)?
            }
        };
        self.batches.push(SubmittedBatch {
            file: file.name.clone(),
            id: id.clone(),
            fetched: false,
        });
        let noted = OpenSubmission::end(&self.batches, &self.tree).map_err(RunError::BrokeOff);
        noted.with_context(|| {
            format!("{} was submitted as {id}, but that can't be recorded", file.name)
        })?;
        Ok(id)
    }

    /// Begins a submission: notes it before anything is sent.
    fn begin(&self, file: &RequestFile, upload: Option<String>) -> Result<OpenSubmission> {
        let newest_before = match self.server.dialect() {
            Dialect::OpenAi => None,
            Dialect::Anthropic => Some(
                self.server.newest_batch().map_err(|error| anyhow!("{}: {error}", file.name))?,
            ),
        };
        let new = OpenSubmission {
            file: file.name.clone(),
            key: format!("{:032x}", fastrand::u128(..)),
            started: self.started.clone(),
            upload,
            newest_before,
        };
        self.note(&new)?;
        Ok(new)
    }

    fn note(&self, submission: &OpenSubmission) -> Result<()> {
        let noted = submission.write(&self.tree).map_err(RunError::BrokeOff);
        noted.with_context(|| {
            format!("{} is not submitted, because that can't be recorded first", submission.file)
        })
    }

    /// Sends a file whose submission is noted. Returns the id of its batch.
    fn send(&self, file: &RequestFile, mut submission: OpenSubmission) -> Result<String> {
        let open = || open_with_length(self.directory, Path::new(file.name.as_str()));
        let sent = match self.server.dialect() {
            Dialect::Anthropic => self.server.submit_requests(&open),
            Dialect::OpenAi => {
                let upload = match submission.upload.take() {
                    Some(upload) => upload,
                    None => {
                        let name = upload_name(file, &submission.key);
                        let uploaded = self.server.upload(&name, &open);
                        uploaded.or_else(|error| self.give_up(file, error))?
                    }
                };
                // From here on the server may have a batch of it.
                submission.upload = Some(upload.clone());
                self.note(&submission)?;
                self.server.create_batch(&upload, &submission.key)
            }
        };
        sent.or_else(|error| self.give_up(file, error))
    }

    /// Fails with the error of a submission. Its note goes, unless the server may have got it.
    fn give_up(&self, file: &RequestFile, error: SubmissionError) -> Result<String> {
        match error {
            SubmissionError::Refused(error) => {
                OpenSubmission::withdraw(&self.tree).map_err(RunError::BrokeOff)?;
                bail!("{}: {error}", file.name)
            }
            SubmissionError::Unclear(error) => bail!(
                "{}: {error}; the next `epitome requests submit {}` asks the server what it has before it sends anything",
                file.name,
                self.directory.display()
            ),
        }
    }

    /// Finds out what became of a submission that was not seen to end. Fails if that can't be told,
    /// and no option says what to do.
    fn resolve(&self, file: &RequestFile, mut begun: OpenSubmission) -> Result<EarlierSubmission> {
        if let Some(Adoption::Batch(id)) = self.adopt {
            self.server.status(id).map_err(|error| anyhow!("--adopt {id}: {error}"))?;
            return Ok(EarlierSubmission::Arrived(id.to_owned()));
        }
        if self.server.dialect() == Dialect::OpenAi && begun.upload.is_none() {
            let name = upload_name(file, &begun.key);
            begun.upload = self.server.find_upload(&name, file.bytes);
            if begun.upload.is_some() {
                self.note(&begun)?;
            }
            return Ok(EarlierSubmission::Lost(begun));
        }
        if self.adopt == Some(Adoption::None) {
            return Ok(EarlierSubmission::Lost(self.begin(file, begun.upload)?));
        }
        let mut found = self.find(file, &begun)?;
        if found.is_empty() {
            std::thread::sleep(LISTING_DELAY);
            found = self.find(file, &begun)?;
        }
        let began = format!("{}: a submission that began {} did not end", file.name, begun.started);
        match found.as_slice() {
            [] => {
                print_message(&format!("{began}; the server has no batch of it"));
                Ok(EarlierSubmission::Lost(begun))
            }
            [batch] => {
                print_message(&format!("{began}; the server has it as {}", batch.id));
                Ok(EarlierSubmission::Arrived(batch.id.clone()))
            }
            several => {
                let ids: Vec<&str> = several.iter().map(|batch| batch.id.as_str()).collect();
                bail!(
                    "{began}, and several batches of the server may be it: {}. {WAYS_OUT}",
                    ids.join(", ")
                );
            }
        }
    }

    /// Returns the batches of the server that may be a submission.
    fn find(&self, file: &RequestFile, begun: &OpenSubmission) -> Result<Vec<ListedBatch>> {
        let failed = |error| anyhow!("{}: can't ask for its batch: {error}", file.name);
        let unknown = || {
            anyhow!(
                "{}: a submission that began {} did not end, and the server has no list in which its batch could be found. {WAYS_OUT}",
                file.name,
                begun.started
            )
        };
        if self.server.dialect() == Dialect::OpenAi {
            let listed = self.server.list_batches(None).map_err(failed)?;
            let mut listed = listed.ok_or_else(unknown)?;
            listed.retain(|batch| match &batch.key {
                Some(key) => *key == begun.key,
                // Not all servers keep the metadata.
                None => batch.upload == begun.upload,
            });
            return Ok(listed);
        }
        let until = match &begun.newest_before {
            None | Some(NewestBatch::Unlisted) => return Err(unknown()),
            Some(NewestBatch::None) => None,
            Some(NewestBatch::Id(id)) => Some(id.as_str()),
        };
        let listed = self.server.list_batches(until).map_err(failed)?;
        let mut candidates = listed.ok_or_else(unknown)?;
        candidates.retain(|batch| {
            batch.requests == file.requests && self.batches.iter().all(|other| other.id != batch.id)
        });
        self.retain_answers(file, candidates)
    }

    /// Leaves those batches out whose results answer other requests than those of a file.
    fn retain_answers(
        &self,
        file: &RequestFile,
        candidates: Vec<ListedBatch>,
    ) -> Result<Vec<ListedBatch>> {
        let mut ids = HashSet::new();
        let index = LineFiles::below(self.directory, INDEX, self.max_line_bytes)?;
        index.visit_lines(|_, bytes| {
            if let Ok(line) = serde_json::from_slice::<IndexLine>(bytes)
                && line.request_file == file.name
            {
                ids.insert(line.custom_id);
            }
        })?;
        let mut ours = Vec::new();
        for batch in candidates {
            let first = if batch.ended {
                let first = self.server.first_result(&batch.id);
                first.map_err(|error| anyhow!("{}: {error}", batch.id))?
            } else {
                None
            };
            let answered = first.as_deref().and_then(result_id);
            if answered.is_none_or(|id| ids.contains(&id)) {
                ours.push(batch);
            }
        }
        Ok(ours)
    }
}

const WAYS_OUT: &str = "Look for it at the server: --adopt ID names its batch, --adopt none submits the file once more";

/// Returns the name under which a file is uploaded.
fn upload_name(file: &RequestFile, key: &str) -> String {
    match file.name.as_str().rsplit_once('.') {
        Some((stem, ending)) => format!("{stem}-{key}.{ending}"),
        None => format!("{}-{key}", file.name),
    }
}
