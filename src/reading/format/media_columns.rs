//! Lists of images, videos and audios beside the messages of a row. A mark in the text stands for
//! each entry, in order: an entry goes with the message that shows it.

use crate::reading::format::prelude::*;

/// The keys of the lists, and their marks.
pub(crate) const MEDIA: [(&str, &str); 6] = [
    ("images", "<image>"),
    ("image", "<image>"),
    ("videos", "<video>"),
    ("video", "<video>"),
    ("audios", "<audio>"),
    ("audio", "<audio>"),
];

/// A list of media, with the message that shows each entry.
#[derive(Debug, Clone)]
pub(crate) struct MediaColumn {
    pub(crate) key: &'static str,
    pub(crate) mark: &'static str,
    /// The place of the value in the record.
    span: Span,
    /// True if the value is a single entry and no list.
    is_single: bool,
    pub(crate) entries: Vec<MediaEntry>,
}

#[derive(Debug, Clone)]
pub(crate) struct MediaEntry {
    pub(crate) json: Vec<u8>,
    /// The place of the message that shows it.
    pub(crate) message: Span,
}

impl MediaColumn {
    /// Returns the lists of a conversation in one record that agree with the marks in its messages.
    pub(crate) fn of_transcript(transcript: &Transcript<'_>) -> Vec<Self> {
        let is_row = !transcript.message_per_record && transcript.dialect.is_none();
        let record = transcript.records.first().filter(|_| is_row);
        let Some(tree) = record.and_then(|record| JsonTree::new(record.bytes).ok()) else {
            return Vec::new();
        };
        let columns = MEDIA.iter().filter_map(|(key, mark)| {
            let value = tree.root().get(key)?;
            Self::find(transcript, key, mark, value)
        });
        columns.collect()
    }

    fn find(
        transcript: &Transcript<'_>,
        key: &'static str,
        mark: &'static str,
        value: JsonNode<'_>,
    ) -> Option<Self> {
        let is_single = value.is_kind(JsonKind::String);
        let json: Vec<&[u8]> = if is_single {
            vec![value.bytes()]
        } else {
            value.items().map(JsonNode::bytes).collect()
        };
        let messages = 0..transcript.messages.len();
        let shown = messages.flat_map(|index| {
            let message = transcript.messages[index].span;
            std::iter::repeat_n(message, marks_in(transcript, index, mark))
        });
        let shown: Vec<Span> = shown.collect();
        let agrees = !json.is_empty() && shown.len() == json.len();
        agrees.then(|| Self {
            key,
            mark,
            span: value.span(),
            is_single,
            entries: json
                .into_iter()
                .zip(shown)
                .map(|(json, message)| MediaEntry { json: json.to_vec(), message })
                .collect(),
        })
    }

    /// Renders the value with those entries for whose message `stays` is true.
    pub(crate) fn render(&self, stays: impl Fn(Span) -> bool) -> Vec<u8> {
        let entries = self.entries.iter().filter(|entry| stays(entry.message));
        let entries: Vec<&[u8]> = entries.map(|entry| entry.json.as_slice()).collect();
        match entries.as_slice() {
            [] if self.is_single => b"null".to_vec(),
            [entry] if self.is_single => entry.to_vec(),
            entries => fill_json("[$]", &[entries.join(b", ".as_slice()).as_slice()]),
        }
    }

    /// Returns a text whose marks stand for no entry.
    pub(crate) fn without_marks(&self, text: &str) -> String {
        text.replace(self.mark, &format!("[{}]", self.key))
    }
}

/// Returns the number of marks in the text of a message, and of blocks that are marks.
fn marks_in(transcript: &Transcript<'_>, index: usize, mark: &str) -> usize {
    let bytes = |span| transcript.bytes(index, span);
    let in_text = |span| decode_literal(bytes(span)).matches(mark).count();
    match &transcript.messages[index].content {
        Content::Absent => 0,
        Content::Text(span) => in_text(*span),
        Content::Blocks(blocks) => blocks
            .iter()
            .map(|block| match block.kind {
                BlockKind::Text(span) if span != Span::default() => in_text(span),
                // `{"type": "image"}` stands for an entry of the list.
                BlockKind::Image if mark == MEDIA[0].1 => {
                    let tree = JsonTree::new(bytes(block.span));
                    usize::from(tree.is_ok_and(|tree| tree.root().entries().count() == 1))
                }
                _ => 0,
            })
            .sum(),
    }
}

/// Takes the marks out of the texts of a summary, and returns the splices that take the media of
/// summarized messages out of their lists.
pub(crate) fn place_media(place: &SummaryPlace<'_>, summary: &mut [(Role, String)]) -> Vec<Splice> {
    let (transcript, removed) = (place.transcript, place.removed.iter());
    let removed: Vec<Span> = removed.map(|index| transcript.messages[*index].span).collect();
    let mut splices = Vec::new();
    for column in MediaColumn::of_transcript(transcript) {
        for (_, text) in summary.iter_mut() {
            *text = column.without_marks(text);
        }
        let stays = |message: Span| !removed.contains(&message);
        if !column.entries.iter().all(|entry| stays(entry.message)) {
            let bytes = column.render(stays);
            let span = column.span;
            splices.push(Splice { span, bytes });
        }
    }
    splices
}
