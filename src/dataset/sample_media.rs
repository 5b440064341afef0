//! The lists of media of the rows that samples are made of: a sample holds the entries that its
//! turns show, and no others.

use crate::convert::ConversionSource;
use crate::convert::chat::{ChatPart, ChatTranscript, ChatTurn};
use crate::convert::escaped_text::EscapedText;
use crate::reading::format::media_columns::{MEDIA, MediaColumn};
use crate::reading::format::{Shape, format_by_name};
use crate::reading::json::Span;
use crate::reading::transcript::Transcript;
use std::collections::HashSet;

/// Returns the lists of media of the row that a sample was made of. The sample may hold few of its
/// messages, so they are read again.
pub(super) fn row_media(source: &ConversionSource<'_, '_>) -> Vec<MediaColumn> {
    let transcript = source.view.transcript;
    if !may_have_media(transcript) {
        return Vec::new();
    }
    let row = transcript.records[..1].to_vec();
    let whole = format_by_name(source.format)
        .and_then(|format| format.read_transcript(row, Shape::Conversation).ok());
    whole.as_ref().map_or_else(Vec::new, MediaColumn::of_transcript)
}

/// The lists of media of a row, and the places of the messages of a sample.
#[derive(Debug)]
pub(super) struct SampleMedia<'c> {
    columns: &'c [MediaColumn],
    /// For each message of the sample, its place in the row.
    places: Vec<Option<Span>>,
}

impl<'c> SampleMedia<'c> {
    /// Finds the messages of a sample in its row, which has these lists of media.
    pub(super) fn new(columns: &'c [MediaColumn], source: &ConversionSource<'_, '_>) -> Self {
        let messages = source.view.transcript.messages.iter();
        let messages = messages.filter(|_| !columns.is_empty());
        Self {
            columns,
            places: messages.map(|message| (message.record == 0).then_some(message.span)).collect(),
        }
    }

    /// Keeps in each list of a chat the entries that its turns show. Marks in other words of it, as
    /// in those of a summary, stand for none.
    pub(super) fn fit_to(&self, chat: &mut ChatTranscript<'_>) {
        let shown = self.shown_places(chat);
        for column in self.columns {
            let mut fields = chat.record_fields.iter_mut();
            if let Some((_, value)) = fields.find(|(key, _)| key.decoded() == column.key) {
                *value = column.render(|message| shown.contains(&message));
            }
            let turns = chat.system.iter_mut().chain(chat.groups.iter_mut().flatten());
            for turn in turns.filter(|turn| self.place_of(turn).is_none()) {
                for part in &mut turn.parts {
                    if let ChatPart::Text(text) = part {
                        let plain = column.without_marks(&text.decoded());
                        *part = ChatPart::Text(EscapedText::from(plain.as_str()));
                    }
                }
            }
        }
    }

    /// Returns true if a turn of a chat shows an entry for which the row has no column.
    pub(super) fn lacks_entries(&self, chat: &ChatTranscript<'_>) -> bool {
        let shown = self.shown_places(chat);
        self.columns.iter().any(|column| {
            let mut fields = chat.record_fields.iter();
            let mut entries = column.entries.iter();
            entries.any(|entry| shown.contains(&entry.message))
                && !fields.any(|(key, _)| key.decoded() == column.key)
        })
    }

    fn shown_places(&self, chat: &ChatTranscript<'_>) -> HashSet<Span> {
        let turns = chat.system.iter().chain(chat.groups.iter().flatten());
        turns.filter_map(|turn| self.place_of(turn)).collect()
    }

    fn place_of(&self, turn: &ChatTurn) -> Option<Span> {
        *self.places.get(turn.message?)?
    }
}

/// Returns true if the record of a transcript has a key of a list of media.
fn may_have_media(transcript: &Transcript<'_>) -> bool {
    let is_row = !transcript.message_per_record && transcript.dialect.is_none();
    let record = transcript.records.first().filter(|_| is_row);
    record.is_some_and(|record| {
        MEDIA.iter().any(|(key, _)| {
            let key = format!("\"{key}\"");
            memchr::memmem::find(record.bytes, key.as_bytes()).is_some()
        })
    })
}
