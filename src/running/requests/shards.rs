//! The request files of an export: requests are dealt out to files that the
//! providers take, in input order, each question once.

use crate::deciding::policy::Dialect;
use crate::files::archive::path_below::FileNameBelow;
use crate::files::output::{NamedFile, OutputTree, StagedFile, WriteError};
use crate::reporting::report::{ExpectedUsage, ExpectedUsageTotals, numbers::count_nouns};
use crate::running::requests::manifest::{INDEX, IndexLine, Manifest, POLICY, RequestFile};
use crate::summary::model::ModelEndpoint;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

/// The most that a request file may hold.
#[derive(Clone, Copy)]
pub(crate) struct FileLimits {
    pub requests: u64,
    pub bytes: u64,
}

impl FileLimits {
    /// Returns what a provider takes. OpenAI takes 200 MB, but its older clients stop at 100 MB.
    pub(crate) const fn of_provider(dialect: Dialect) -> Self {
        match dialect {
            Dialect::OpenAi => Self { requests: 50_000, bytes: 100_000_000 },
            Dialect::Anthropic => Self { requests: 100_000, bytes: 256_000_000 },
        }
    }
}

/// The text around the requests of a file.
struct FileFrame {
    opening: &'static str,
    separator: &'static str,
    closing: &'static str,
    ending: &'static str,
}

impl FileFrame {
    const fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::OpenAi => {
                Self { opening: "", separator: "\n", closing: "\n", ending: "jsonl" }
            }
            Dialect::Anthropic => Self {
                opening: "{\"requests\": [\n",
                separator: ",\n",
                closing: "\n]}\n",
                ending: "json",
            },
        }
    }
}

/// The request for a conversation's summary.
pub(crate) struct ExportedRequest {
    /// Its expected cost; the id is the hash of the question.
    pub expected: ExpectedUsage,
    /// The request as the provider takes it.
    pub json: String,
    /// Secrets that were masked in it.
    pub masked_secrets: u64,
    /// The conversation that asks.
    pub thread_id: String,
    /// The file of that conversation.
    pub file: String,
    /// The line where its first record begins.
    pub line: u64,
}

/// A request file that is being written.
struct OpenShard {
    writer: StagedFile,
    entry: RequestFile,
}

impl OpenShard {
    fn write(&mut self, text: &str) -> Result<(), WriteError> {
        self.writer.append(text.as_bytes())?;
        self.entry.bytes += text.len() as u64;
        Ok(())
    }
}

/// Deals requests out to files.
pub(crate) struct RequestShards {
    directory: PathBuf,
    tree: OutputTree,
    manifest: Manifest,
    limits: FileLimits,
    open: Option<OpenShard>,
    index: StagedFile,
    /// The ids of requests that are in a file: the same question is asked once.
    written: HashSet<String>,
    expected: ExpectedUsageTotals,
    masked_secrets: u64,
}

impl RequestShards {
    /// Begins an export in the directory of `tree`. Fails if the directory can't be written.
    pub(crate) fn create(
        directory: &Path,
        tree: OutputTree,
        manifest: Manifest,
        limits: FileLimits,
    ) -> Result<Self, WriteError> {
        Ok(Self {
            directory: directory.to_path_buf(),
            index: tree.create_result(INDEX)?,
            tree,
            manifest,
            limits,
            open: None,
            written: HashSet::new(),
            expected: ExpectedUsageTotals::default(),
            masked_secrets: 0,
        })
    }

    /// Adds a request, unless its question is answered or in a file already. Returns the error of a
    /// request that is longer than a file may be; it is left out. Fails if a file can't be written.
    pub(crate) fn push(&mut self, request: ExportedRequest) -> Result<Option<String>, WriteError> {
        self.expected.summaries += 1;
        if request.expected.cache_hit || self.written.contains(&request.expected.id) {
            return Ok(None);
        }
        let frame = FileFrame::of(self.manifest.dialect);
        let alone = (frame.opening.len() + request.json.len() + frame.closing.len()) as u64;
        if alone > self.limits.bytes {
            let (file, line, limit) = (request.file, request.line, self.limits.bytes);
            return Ok(Some(format!(
                "{file}:{line}: its request has {alone} bytes, more than one file may have (--shard-size {limit})"
            )));
        }
        let added = frame.separator.len() + request.json.len() + frame.closing.len();
        if let Some(open) = &self.open
            && (open.entry.requests >= self.limits.requests
                || open.entry.bytes + added as u64 > self.limits.bytes)
        {
            self.close()?;
        }
        let mut shard = match self.open.take() {
            Some(mut open) => {
                open.write(frame.separator)?;
                open
            }
            None => self.open_shard(&frame)?,
        };
        shard.write(&request.json)?;
        shard.entry.requests += 1;
        let request_file = shard.entry.name.clone();
        self.open = Some(shard);
        self.note_written(request, request_file)?;
        Ok(None)
    }

    fn open_shard(&self, frame: &FileFrame) -> Result<OpenShard, WriteError> {
        let number = self.manifest.files.len() + 1;
        let name = format!("requests-{number:04}.{}", frame.ending);
        let name = FileNameBelow::try_from(name)?;
        let mut shard = OpenShard {
            writer: self.tree.create_result(name.as_str())?,
            entry: RequestFile { name, requests: 0, bytes: 0 },
        };
        shard.write(frame.opening)?;
        Ok(shard)
    }

    fn note_written(
        &mut self,
        request: ExportedRequest,
        request_file: FileNameBelow,
    ) -> Result<(), WriteError> {
        let expected = request.expected;
        let index = IndexLine {
            custom_id: expected.id.clone(),
            request_file,
            thread_id: request.thread_id,
            file: request.file,
            line: request.line,
            input_tokens: expected.input_tokens,
        };
        let mut line = serde_json::to_vec(&index).map_err(io::Error::from)?;
        line.push(b'\n');
        self.index.append(&line)?;
        self.written.insert(expected.id);
        self.masked_secrets += request.masked_secrets;
        self.expected.calls += 1;
        self.expected.input_tokens += expected.input_tokens;
        self.expected.output_tokens += expected.output_tokens;
        Ok(())
    }

    fn close(&mut self) -> Result<(), WriteError> {
        if let Some(mut open) = self.open.take() {
            open.write(FileFrame::of(self.manifest.dialect).closing)?;
            self.tree.join_result(open.writer)?;
            self.manifest.files.push(open.entry);
        }
        Ok(())
    }

    /// Ends the files and publishes them together. Returns a description of the export for people.
    /// Fails if a file can't be written.
    pub(crate) fn finish(
        mut self,
        policy: &str,
        endpoint: &ModelEndpoint,
    ) -> Result<String, WriteError> {
        self.close()?;
        self.tree.join_result(self.index)?;
        let mut file = self.tree.create_result(POLICY)?;
        file.append(policy.as_bytes())?;
        self.tree.join_result(file)?;
        self.manifest.seal = self.tree.seal_export(&self.manifest.sealed_text(policy)?);
        self.manifest.join(&self.tree)?;
        self.tree.commit()?;
        let ExpectedUsageTotals { input_tokens, output_tokens, .. } = self.expected;
        // Both providers ask half the price for batches.
        self.expected.cost =
            endpoint.price.map(|price| price.cost(input_tokens, output_tokens) / 2.0);
        let mut description = format!(
            "{} in {}\n{}",
            count_nouns(self.manifest.files.len(), "file"),
            self.directory.display(),
            self.expected.summary_line(&endpoint.model, None, None)
        );
        if self.masked_secrets > 0 {
            let masked = self.masked_secrets;
            description.push_str(&format!("\nsecrets masked in requests: {masked}"));
        }
        Ok(description)
    }
}
