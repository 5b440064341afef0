//! The threads of a journal in words, for the unit tests of formats.

use crate::format::journal::interface::Journal;
use crate::format::journal::rebuild::rebuild_journal;
use crate::format::tree::JsonTree;
use crate::json::{Span, decode_literal};
use crate::transcript::{BlockKind, Content, Record};

/// A thread in words.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::format) struct ToldThread {
    pub(in crate::format) id: Option<String>,
    /// For each message its role, its text and the names of its calls: `user: Why? [look_up]`.
    pub(in crate::format) messages: Vec<String>,
    /// The descriptions of what the thread leaves out.
    pub(in crate::format) omitted: Vec<String>,
}

/// Returns true if the journal recognizes the record.
pub(in crate::format) fn recognizes(journal: &dyn Journal, record: &str) -> bool {
    let tree = JsonTree::new(record.as_bytes()).unwrap();
    journal.recognize_record(tree.root()).is_some()
}

/// Rebuilds the threads of a log with one record a line.
pub(in crate::format) fn tell_threads(journal: &dyn Journal, log: &str) -> Vec<ToldThread> {
    let lines: Vec<&[u8]> = log.lines().map(str::as_bytes).collect();
    let rebuilt = rebuild_journal(journal, &lines);
    assert!(rebuilt.bad.is_empty(), "{:?}", rebuilt.bad);
    let records: Vec<Record<'_>> = lines
        .iter()
        .zip(1..)
        .map(|(&bytes, line)| Record { bytes, line })
        .collect();
    let threads = rebuilt.threads.iter();
    threads
        .map(|thread| {
            let read = thread.read_transcript(&records).unwrap();
            assert!(read.left_out.is_empty(), "{:?}", read.left_out);
            let transcript = read.transcript;
            let document = transcript.records[0].bytes;
            let text = |span: Span| decode_literal(span.slice(document)).into_owned();
            let messages = transcript.messages.iter().map(|message| {
                let mut words = format!("{}:", message.role.name());
                match &message.content {
                    Content::Text(span) => words += &format!(" {}", text(*span)),
                    Content::Blocks(blocks) => {
                        for block in blocks {
                            if let BlockKind::Text(span) = block.kind {
                                words += &format!(" {}", text(span));
                            }
                        }
                    }
                    Content::Absent => {}
                }
                for call in &message.calls {
                    words += &format!(" [{}]", call.name.map(text).unwrap_or_default());
                }
                words
            });
            ToldThread {
                id: transcript.thread_id.clone(),
                messages: messages.collect(),
                omitted: transcript
                    .omitted
                    .iter()
                    .map(|kind| kind.what.clone())
                    .collect(),
            }
        })
        .collect()
}
