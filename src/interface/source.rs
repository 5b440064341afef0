//! Inputs, and the conversations in them.

use crate::files::archive::names::NameRegistry;
use crate::files::input::{
    InputClaim, InputSource, InputUnit, NamedInputs, PathRules, ReadOptions, collect_inputs,
};
use crate::interface::conversation::LoggedConversation;
use crate::interface::policy::CompactionPolicy;
use crate::running::conversation::{UnitRecord, read_unit, source_location};
use std::path::{Path, PathBuf};

/// Opens a file or a directory of logs; links in a directory are not followed. Formats are detected by content; gzip and zstd are read.
///
/// ```
/// let policy = epitome::CompactionPolicy::preset("deepagents")?;
/// for chunk in epitome::open("fixtures/demo/sessions.jsonl")? {
///     for conversation in chunk?.conversations(&policy) {
///         let conversation = conversation?;
///         println!("{}: {} tokens", conversation.thread_id(), conversation.tokens());
///         let plan = conversation.plan()?;
///         let fewer = plan.messages_before - plan.messages_after;
///         println!("{fewer} messages fewer after a compaction");
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails if there is nothing to read.
pub fn open(path: impl AsRef<Path>) -> Result<RecordChunks, OpenError> {
    let paths = [PathBuf::from(path.as_ref())];
    let named =
        NamedInputs { paths: &paths, rules: PathRules { hidden: true, ..PathRules::default() } };
    let collected = collect_inputs(&named, &[])
        .map_err(|error| OpenError { message: crate::base::error::describe_with_causes(&error) })?;
    Ok(RecordChunks { source: InputSource::new(collected.inputs, ReadOptions::default()) })
}

/// An iterator over the records of an input, in chunks of whole conversations.
pub struct RecordChunks {
    source: InputSource,
}

impl Iterator for RecordChunks {
    type Item = Result<RecordChunk, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(match self.source.claim_next()? {
            InputClaim::Unit(unit) => Ok(RecordChunk { unit }),
            InputClaim::Failed { name, error, .. } => Err(ReadError {
                file: name,
                line: None,
                column: None,
                message: crate::base::error::describe_with_causes(&error),
            }),
        })
    }
}

/// The records of one or more whole conversations. A journal or a JSON document is a single chunk,
/// other files are read in several.
pub struct RecordChunk {
    unit: InputUnit,
}

impl RecordChunk {
    /// Reads the conversations, in input order, and counts them under a policy. A record that can't
    /// be read costs only itself.
    pub fn conversations<'c>(
        &'c self,
        policy: &'c CompactionPolicy,
    ) -> impl Iterator<Item = Result<LoggedConversation<'c>, ReadError>> {
        let file = &self.unit.file.name;
        let records = read_unit(&self.unit, &policy.settings);
        // Two conversations never share a file: names are claimed in input order, as the program does.
        let mut names = NameRegistry::default();
        records.into_iter().map(move |record| match record {
            UnitRecord::Conversation(mut conversation) => {
                conversation.claim_names(&mut names);
                Ok(LoggedConversation::new(*conversation, policy))
            }
            UnitRecord::Unreadable(failure) => Err(ReadError {
                file: file.clone(),
                line: Some(failure.line),
                column: failure.column,
                message: failure.error,
            }),
        })
    }
}

/// The reason why an input can't be opened.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct OpenError {
    message: String,
}

/// The reason why the rest of a file, or a record, can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", read_error_place(.file, *.line, *.column))]
pub struct ReadError {
    /// The input file.
    pub file: String,
    /// The line of the record, from 1; none if the error is about the whole file.
    pub line: Option<u64>,
    /// The column in bytes, from 1, where a single byte is to blame.
    pub column: Option<u64>,
    /// The fault.
    pub message: String,
}

/// Returns the place of a fault: the file alone, if the error is about the whole file.
fn read_error_place(file: &str, line: Option<u64>, column: Option<u64>) -> String {
    match line {
        Some(line) => source_location(file, line, column),
        None => file.to_owned(),
    }
}
