//! Formats whose conversations are lists of turns, each a tag and a text: ShareGPT and Hermes. They
//! differ in the recognition of a record and in the calls of a turn.

use crate::reading::format::prelude::*;
use crate::reading::format::sharegpt_summary::{place_summary_in_turns, render_turn};
use crate::reading::format::sharegpt_turns::{ShareGptTurn, read_turns};

/// A way to write conversations as lists of turns.
pub(super) trait TurnList: Sync {
    /// The name for `--format` and reports.
    const NAME: &'static str;
    /// The line for `epitome formats`.
    const HELP_LINE: &'static str;
    /// The keys under which a record may hold its list of turns.
    const LISTS: &'static [&'static str];

    /// The entry of a summary's turn that tells the format where calls and results don't, if one must.
    const MARK: Option<[&'static str; 2]> = None;

    /// Returns the evidence that a record is of this format, or `None` if it is not.
    fn recognize_record(record: JsonNode<'_>) -> Option<Recognition>;

    /// Appends the messages of a turn. `bytes` are those of its record.
    fn read_turn(bytes: &[u8], turn: ShareGptTurn<'_>, messages: &mut Vec<Message>);
}

/// The format of conversations that are lists of turns.
pub(super) struct TurnListFormat<L>(pub(super) L);

impl<L: TurnList> Format for TurnListFormat<L> {
    fn name(&self) -> &'static str {
        L::NAME
    }

    fn help_line(&self) -> &'static str {
        L::HELP_LINE
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        L::recognize_record(record)
    }

    fn read_transcript<'a>(&self, records: Vec<Record<'a>>, _: Shape) -> Result<Transcript<'a>> {
        read_turns(records, L::LISTS, L::read_turn)
    }

    fn place_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> SummaryInsertion {
        place_summary_in_turns(transcript, place, text, mark::<L>(transcript, place))
    }

    fn render_message(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        render_turn(transcript, role, text, &mark::<L>(transcript, place))
    }
}

/// Returns the entry of a turn that marks the format, with a comma behind it; empty if none is needed.
fn mark<L: TurnList>(transcript: &Transcript<'_>, place: &SummaryPlace<'_>) -> Vec<u8> {
    let mark = L::MARK.filter(|_| place.needs_mark(transcript));
    mark.map_or_else(Vec::new, |[key, value]| {
        format!("\"{key}\": \"{value}\", ").into_bytes()
    })
}
