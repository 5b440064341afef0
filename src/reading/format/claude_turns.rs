//! The turns of Claude Code, as its session files and its stream have them: one block of an answer
//! a line. The lines of one answer share its `message.id`.

use crate::reading::format::claude_attachments::ClaudeAttachment;
use crate::reading::format::dialects::ANTHROPIC;
use crate::reading::format::prelude::*;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ClaudeSpeaker {
    #[default]
    User,
    Assistant,
}

/// A line that was sent to the model or came from it.
#[derive(Debug, Clone, Default)]
pub(super) struct ClaudeTurn {
    /// The message of the line.
    pub(super) place: EventPlace,
    pub(super) speaker: ClaudeSpeaker,
    /// The id of the answer that the line is a piece of.
    pub(super) message_id: Option<String>,
    /// True if the line is the summary of a compaction.
    pub(super) is_summary: bool,
    /// The ids of the calls whose results the line holds.
    pub(super) answers: Vec<String>,
    /// What the agent sends in the user's name; its content is not that of a message.
    pub(super) attachment: Option<ClaudeAttachment>,
    /// The content and its kind; only strings and lists are content.
    content: Option<(Span, JsonKind)>,
    usage: Option<Span>,
    model: Option<String>,
}

impl ClaudeTurn {
    /// Returns the turn of a line if it is of type `user` or `assistant` and its message
    /// was sent.
    pub(super) fn from_line(line: JsonNode<'_>) -> Option<Self> {
        let speaker = match line.get_text("type")?.as_ref() {
            "user" => ClaudeSpeaker::User,
            "assistant" => ClaudeSpeaker::Assistant,
            "attachment" => {
                let attachment = Some(ClaudeAttachment::from_line(line)?);
                let place = line.get("attachment")?.place();
                return Some(Self { place, attachment, ..Self::default() });
            }
            _ => return None,
        };
        let message = line.get("message")?;
        // The message of a failed request is only shown; it is not sent with the next request.
        if !message.is_kind(JsonKind::Object) || line.has_true("isApiErrorMessage") {
            return None;
        }
        let message_id = message.non_empty_text("id");
        let model = message.non_empty_text("model");
        Some(Self {
            place: message.place(),
            speaker,
            message_id: message_id.filter(|_| speaker == ClaudeSpeaker::Assistant),
            is_summary: line.has_true("isCompactSummary"),
            answers: message
                .items_of("content")
                .filter(|_| speaker == ClaudeSpeaker::User)
                .filter_map(|block| block.non_empty_text("tool_use_id"))
                .collect(),
            content: message.get("content").map(|content| (content.span(), content.kind())),
            attachment: None,
            usage: message.get_kind("usage", JsonKind::Object).map(JsonNode::span),
            model: model.filter(|model| model != "<synthetic>"),
        })
    }

    /// Returns the blocks of the content, without the brackets around them.
    fn content_blocks(&self, record: &[u8]) -> Vec<u8> {
        match self.content {
            Some((span, JsonKind::String)) => text_block(span.slice(record)),
            Some((span, JsonKind::Array)) => {
                let list = span.slice(record);
                list[1..list.len() - 1].trim_ascii().to_vec()
            }
            _ => Vec::new(),
        }
    }
}

/// Puts turns in the order in which the agent sends them: attachments come before what the user says,
/// directly behind the answer, and behind the results of its calls.
fn in_sent_order<'t>(turns: &[&'t ClaudeTurn]) -> Vec<&'t ClaudeTurn> {
    let mut sent = Vec::with_capacity(turns.len());
    // The place behind the last answer and its results, and the attachments that are there.
    let (mut behind, mut attached) = (0, 0);
    let mut begun = HashSet::new();
    for &turn in turns {
        // A further piece of an answer belongs to its first one.
        let is_piece = turn.message_id.as_ref().is_some_and(|id| !begun.insert(id));
        if turn.attachment.is_some() {
            sent.insert(behind + attached, turn);
            attached += 1;
        } else if !turn.answers.is_empty() && sent.len() == behind + attached {
            sent.insert(behind, turn);
            behind += 1;
        } else {
            sent.push(turn);
            let is_answer = turn.speaker == ClaudeSpeaker::Assistant && !is_piece;
            if is_answer || !turn.answers.is_empty() {
                (behind, attached) = (sent.len(), 0);
            }
        }
    }
    sent
}

/// Builds a thread from turns in the order in which they were sent. The pieces of an answer become
/// one message in the place of the first piece.
pub(super) fn build_thread(
    turns: &[&ClaudeTurn],
    records: &[&[u8]],
    write_mode: WriteMode,
    last: usize,
) -> JournalThread {
    let mut thread = JournalThread::new(ANTHROPIC, write_mode, last);
    let mut answers: HashMap<&str, Vec<&ClaudeTurn>> = HashMap::new();
    for turn in turns {
        if let Some(id) = &turn.message_id {
            answers.entry(id).or_default().push(turn);
        }
    }
    thread.model = turns.iter().rev().find_map(|turn| turn.model.clone());
    for turn in in_sent_order(turns) {
        if let Some(attachment) = &turn.attachment {
            push_attachment(&mut thread, turn.place, attachment);
            continue;
        }
        match (turn.speaker, &turn.message_id) {
            (ClaudeSpeaker::Assistant, Some(id)) => {
                // The first piece takes all pieces of the answer.
                let Some(mut pieces) = answers.remove(id.as_str()) else {
                    continue;
                };
                pieces.sort_by_key(|piece| piece.place.record);
                push_answer(&mut thread, &pieces, records);
            }
            (ClaudeSpeaker::Assistant, None) => push_answer(&mut thread, &[turn], records),
            (ClaudeSpeaker::User, _) => {
                let mark =
                    if turn.is_summary { ElementMark::Summary } else { ElementMark::Message };
                let record = records[turn.place.record];
                let content: &[u8] = turn.content.map_or(b"null", |(span, _)| span.slice(record));
                thread.push_said(mark, turn.place, "user", content);
            }
        }
    }
    thread
}

/// Appends an attachment. One whose words are not in the log belongs to the message before it, so
/// that a compaction keeps both.
fn push_attachment(thread: &mut JournalThread, place: EventPlace, attachment: &ClaudeAttachment) {
    match (&attachment.content, thread.len().checked_sub(1)) {
        (Some(content), _) => thread.push_said(ElementMark::Message, place, "user", content),
        (None, Some(last)) => thread.add_place(last, place),
        (None, None) => {}
    }
}

fn push_answer(thread: &mut JournalThread, pieces: &[&ClaudeTurn], records: &[&[u8]]) {
    let blocks: Vec<Vec<u8>> = pieces
        .iter()
        .map(|piece| piece.content_blocks(records[piece.place.record]))
        .filter(|blocks| !blocks.is_empty())
        .collect();
    // Every piece repeats the usage; the last one has the final output.
    let usage =
        pieces.iter().rev().find_map(|piece| Some(piece.usage?.slice(records[piece.place.record])));
    let usage = usage.map_or_else(Vec::new, |usage| fill_json(r#", "usage": $"#, &[usage]));
    thread.push_element(
        ElementMark::Message,
        pieces.iter().map(|piece| piece.place).collect(),
        &fill_json(r#"{"role": "assistant", "content": $$}"#, &[&join_blocks(&blocks), &usage]),
    );
}
