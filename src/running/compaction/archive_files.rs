//! Everything that a plan removes, on its way into the archive.

use crate::deciding::plan::Eviction;
use crate::deciding::policy::ArchivePolicy;
use crate::deciding::strategy::evict::result_text;
use crate::files::archive::history::{HistorySink, StreamedHistory};
use crate::files::archive::path_below::ArchiveFilePath;
use crate::files::archive::{HISTORY_DIR, MEDIA_DIR, RESULTS_DIR, history};
use crate::reading::transcript::Transcript;
use crate::running::compaction::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

pub(crate) struct ArchiveFile<'t> {
    /// The path below the archive directory.
    pub path: PathBuf,
    contents: ArchiveContents<'t>,
}

/// What a file of the archive holds. What a plan removes is rendered only when the file is written:
/// a long record is in memory once.
enum ArchiveContents<'t> {
    Bytes(Cow<'t, [u8]>),
    /// The text of a tool result.
    Result {
        transcript: &'t Transcript<'t>,
        message: usize,
    },
    Sections(HistorySections<'t>),
    /// The bytes of a picture, a sound or the like.
    Media(Vec<u8>),
}

impl<'t> ArchiveFile<'t> {
    /// The history of a conversation that one plan compacts.
    pub(crate) fn history(conversation: &Conversation<'_>, sections: HistorySections<'t>) -> Self {
        Self { path: history_path(conversation), contents: ArchiveContents::Sections(sections) }
    }

    pub(crate) fn rendered_history(conversation: &Conversation<'_>, sections: Vec<u8>) -> Self {
        Self { path: history_path(conversation), contents: ArchiveContents::Bytes(sections.into()) }
    }

    /// The text that a conversation's message lost by an eviction.
    pub(crate) fn evicted_result(conversation: &'t Conversation<'_>, eviction: &Eviction) -> Self {
        let transcript = &conversation.transcript;
        Self {
            path: result_path(conversation, &eviction.file, eviction.human),
            contents: ArchiveContents::Result { transcript, message: eviction.message },
        }
    }

    /// An evicted result of a conversation, or a user message (`human`), rendered.
    pub(crate) fn rendered_result(
        conversation: &Conversation<'_>,
        file: &str,
        human: bool,
        text: &'t str,
    ) -> Self {
        Self {
            path: result_path(conversation, file, human),
            contents: ArchiveContents::Bytes(text.as_bytes().into()),
        }
    }

    /// A media file of a history.
    pub(crate) fn media(name: &str, bytes: Vec<u8>) -> Self {
        Self {
            path: Path::new(HISTORY_DIR).join(MEDIA_DIR).join(name),
            contents: ArchiveContents::Media(bytes),
        }
    }

    fn write_into(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.contents {
            ArchiveContents::Sections(sections) => {
                let mut sink = StreamedHistory::new(out);
                sections.push_onto(&mut sink);
                sink.finish()
            }
            ArchiveContents::Bytes(_)
            | ArchiveContents::Media(_)
            | ArchiveContents::Result { .. } => out.write_all(&self.render()),
        }
    }

    fn render(&self) -> Cow<'_, [u8]> {
        match &self.contents {
            ArchiveContents::Bytes(bytes) => Cow::Borrowed(bytes),
            ArchiveContents::Media(bytes) => Cow::Borrowed(bytes),
            ArchiveContents::Result { transcript, message } => {
                Cow::Owned(result_text(transcript, *message).into_bytes())
            }
            ArchiveContents::Sections(sections) => Cow::Owned(sections.render()),
        }
    }
}

fn history_path(conversation: &Conversation<'_>) -> PathBuf {
    let name = format!("{}.md", conversation.thread_name);
    Path::new(HISTORY_DIR).join(name)
}

fn result_path(conversation: &Conversation<'_>, file: &str, human: bool) -> PathBuf {
    if human {
        return Path::new(HISTORY_DIR).join(file);
    }
    let directory = Path::new(RESULTS_DIR).join(conversation.results_directory());
    directory.join(file)
}

/// Masks the secrets in archive files. Returns their number.
pub(crate) fn mask_archive_files(files: &mut [ArchiveFile<'_>], redaction: Redaction) -> u64 {
    let mut total = 0;
    for file in files {
        let is_text = |bytes: &Vec<u8>| std::str::from_utf8(bytes).is_ok();
        if matches!(&file.contents, ArchiveContents::Media(bytes) if !is_text(bytes)) {
            continue;
        }
        let bytes = file.render();
        let text = String::from_utf8_lossy(&bytes);
        let (masked, count) = redaction.mask(&text);
        let masked = masked.into_owned().into_bytes();
        file.contents = ArchiveContents::Bytes(Cow::Owned(masked));
        total += count;
    }
    total
}

/// Stages archive files: all of them, or none. With `by_content` all of their names are made of
/// their contents. Fails if a file can't be written; those before it are removed then.
pub(crate) fn write_archive_files(
    tree: &OutputTree,
    files: &[ArchiveFile<'_>],
    by_content: bool,
) -> Result<Vec<StagedName>, WriteError> {
    let staged = files.iter().map(|file| {
        let shared = by_content || matches!(file.contents, ArchiveContents::Media(_));
        tree.write_archive_file(&file.path, shared, |out| file.write_into(out))
    });
    staged.collect()
}

/// An archive file that is kept in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeptFile {
    /// The path below the archive directory.
    pub name: ArchiveFilePath,
    pub bytes: Vec<u8>,
}

impl KeptFile {
    pub(super) fn from_archive_file(file: &ArchiveFile<'_>) -> Result<Self, WriteError> {
        Ok(Self {
            name: ArchiveFilePath::try_from(&*file.path)?,
            bytes: file.render().into_owned(),
        })
    }
}

/// Appends the section of the history about a summary. Earlier summaries are in the archive
/// already.
pub(crate) fn push_summary_section(
    view: TranscriptView<'_, '_>,
    summary: &Summary,
    now: Option<OffsetDateTime>,
    policy: &ArchivePolicy,
    out: &mut impl HistorySink,
) {
    let messages = archived_messages(view, summary);
    history::push_section("Summarized", now, view, &messages, policy, out);
}

/// Returns the messages of a summary that its section holds: also the one that it cuts.
fn archived_messages(view: TranscriptView<'_, '_>, summary: &Summary) -> Vec<usize> {
    let mut messages = summary.messages.clone();
    messages.retain(|&index| !view.message(index).earlier_summary);
    messages.extend(summary.cut.as_ref().map(|cut| cut.message));
    messages.sort_unstable();
    messages
}

/// Returns the media files that the section of a summary refers to, by name.
pub(crate) fn summary_media(
    view: TranscriptView<'_, '_>,
    summary: &Summary,
    policy: &ArchivePolicy,
) -> BTreeMap<String, Vec<u8>> {
    let messages = archived_messages(view, summary);
    history::media_files(view, &messages, policy)
        .into_iter()
        .map(|media| (media.file_name(), media.bytes))
        .collect()
}

/// Returns the messages from which the stages prune, dedup and cut take anything, in order.
pub(crate) fn pruned_messages(plan: &Plan) -> Vec<usize> {
    let edits = plan.edits.iter();
    let prunings = edits.filter(|edit| matches!(edit, Edit::Prune(_)));
    let messages: BTreeSet<usize> = prunings.flat_map(Edit::messages).collect();
    messages.into_iter().collect()
}

/// The sections that a plan adds to the history of its conversation: pruned results as stage prune
/// found them, then the summarised messages as stage summarize found them.
#[derive(Clone, Copy)]
pub(crate) struct HistorySections<'t> {
    pub(super) transcript: &'t Transcript<'t>,
    pub(super) plan: &'t Plan,
    pub(super) policy: &'t ArchivePolicy,
    /// The time that the sections bear, if any.
    pub(super) now: Option<OffsetDateTime>,
}

impl HistorySections<'_> {
    /// Returns true if the plan adds nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.plan.prunings().next().is_none() && self.plan.summary().is_none()
    }

    /// Returns the sections in Markdown.
    pub(super) fn render(&self) -> Vec<u8> {
        let mut sections = Vec::new();
        self.push_onto(&mut sections);
        sections
    }

    fn push_onto(&self, out: &mut impl HistorySink) {
        let (transcript, plan) = (self.transcript, self.plan);
        let pruned = pruned_messages(plan);
        if !pruned.is_empty() {
            let overlay = &overlay_edits(transcript, &plan.edits_before(Stage::Prune));
            let view = TranscriptView::new(transcript, overlay);
            history::push_section("Pruned", self.now, view, &pruned, self.policy, out);
        }
        if let Some(summary) = plan.summary() {
            let overlay = &overlay_edits(transcript, &plan.edits_before(Stage::Summarize));
            let view = TranscriptView::new(transcript, overlay);
            push_summary_section(view, summary, self.now, self.policy, out);
        }
    }

    /// Returns the media files that the sections refer to, by name.
    pub(super) fn media(&self) -> BTreeMap<String, Vec<u8>> {
        let Some(summary) = self.plan.summary() else {
            return BTreeMap::new();
        };
        let overlay = overlay_edits(self.transcript, &self.plan.edits_before(Stage::Summarize));
        let view = TranscriptView::new(self.transcript, &overlay);
        summary_media(view, summary, self.policy)
    }
}
