//! Makes rows of samples: converts, checks and counts them, and leaves out answers at their end
//! until they fit.

use crate::convert::chat::{AnswerUse, ChatPart, ChatTranscript, ChatTurn, TurnGap};
use crate::convert::json_output::write_list;
use crate::convert::{Conversion, ConversionSource, MergeRule, target_by_name};
use crate::dataset::chat_turns::{
    ArgumentForm, is_trained, joined_runs, single_turns, tool_list, turn_text, write_message,
    write_tools,
};
use crate::dataset::columns::{ColumnUse, RowColumns, read_columns};
use crate::dataset::drops::DropReason;
use crate::dataset::sample_media::{SampleMedia, row_media};
use crate::dataset::sketch::Sketch;
use crate::dataset::target::{DatasetTarget, MaskStyle};
use crate::dataset::thread_rows::{DatasetRow, MadeSample, RowFacts};
use crate::dataset::training_mask::WEIGHTS;
use crate::deciding::tokens::{ChatTemplate, Ledger, TokenCounter};
use crate::reading::format::{Shape, format_by_name};
use crate::reading::json::has_lone_surrogate;
use crate::reading::transcript::{Record, Role, view::TranscriptView};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use twox_hash::XxHash3_128;

/// What the assistant says before the user, as the warning names it.
const OPENING: &str = "what the assistant says before the user";

/// The use of the messages of a sample, by their index.
pub(crate) struct SampleAnswers<'s> {
    /// For each message, whether the sample trains on it.
    pub(crate) trained: &'s [bool],
    /// For each message, whether it must not be trained on in any sample.
    pub(crate) excluded: &'s [bool],
    /// The other columns of the conversation's row, once they were read: all samples share them.
    pub(crate) columns: &'s OnceCell<RowColumns>,
}

/// The end of an answer that is trained on.
struct AnswerEnd {
    groups: usize,
    turns: usize,
}

pub(crate) struct RowMaker {
    pub(crate) target: &'static DatasetTarget,
    /// The most tokens of a row.
    pub(crate) max_tokens: Option<usize>,
    /// Counts rows as the trainer does, in place of the policy's counter.
    pub(crate) template: Option<ChatTemplate>,
    /// What to do with the other columns of the input rows.
    pub(crate) columns: ColumnUse,
    /// Makes sketches of rows, to find near duplicates.
    pub(crate) sketches: bool,
}

impl RowMaker {
    /// Makes a row of a sample, which is a transcript that ends with an answer.
    pub(crate) fn make_row(
        &self,
        source: &ConversionSource<'_, '_>,
        answers: &SampleAnswers<'_>,
        counter: &dyn TokenCounter,
    ) -> MadeSample {
        let Some(target) = target_by_name(self.target.conversion) else {
            return MadeSample::dropped(DropReason::NotText);
        };
        let conversion = Conversion {
            target,
            merge: if self.target.alternates { MergeRule::Speakers } else { MergeRule::Never },
            texts_only: !self.target.takes_blocks,
        };
        let mut left_out = BTreeSet::new();
        let sample = conversion.read_sample(source, &mut |turn| {
            set_training(turn, answers);
            for (key, _) in turn.extras.drain(..) {
                let key = key.decoded();
                if !WEIGHTS.iter().any(|mask| mask.key == key) {
                    left_out.insert(format!("messages[].{key}"));
                }
            }
        });
        left_out.extend(sample.left_out.into_iter().map(|note| note.what));
        let mut chat = sample.chat;
        if self.target.alternates && leave_out_opening(&mut chat) {
            left_out.insert(OPENING.to_owned());
        }
        let columns = answers.columns.get_or_init(|| self.columns_of(source));
        left_out.extend(columns.left_out.iter().cloned());
        chat.record_fields.clone_from(&columns.fields);
        let media = SampleMedia::new(&columns.media, source);
        let mut made = self.write_checked(&mut chat, &media, counter);
        made.left_out = left_out;
        made.moved = sample.moved;
        if let Some(row) = &mut made.row {
            row.columns.clone_from(&columns.types);
        }
        made
    }

    fn columns_of(&self, source: &ConversionSource<'_, '_>) -> RowColumns {
        let columns = || read_columns(source, &(self.target.features)());
        match self.columns {
            ColumnUse::Kept => columns(),
            ColumnUse::LeftOut => columns().leave_out(source),
            ColumnUse::Dropped => RowColumns { media: row_media(source), ..RowColumns::default() },
        }
    }

    /// Checks a chat and writes it, without the answers at its end that do not fit.
    fn write_checked(
        &self,
        chat: &mut ChatTranscript<'_>,
        media: &SampleMedia<'_>,
        counter: &dyn TokenCounter,
    ) -> MadeSample {
        let answers_before = count_trained(chat);
        cut_behind_training(chat);
        if let Some(reason) = find_gap(chat) {
            return MadeSample::dropped(reason).with_answers(answers_before);
        }
        let mut lost: Option<MadeSample> = None;
        loop {
            cut_behind_training(chat);
            let answers = count_trained(chat);
            if answers == 0 {
                let lost = lost.map(|lost| lost.with_answers(answers_before));
                return lost.unwrap_or_else(|| MadeSample::dropped(DropReason::NoTrainedAnswer));
            }
            if let Some(fault) = self.find_fault(chat) {
                return fault.with_answers(answers);
            }
            if media.lacks_entries(chat) {
                return MadeSample::dropped(DropReason::NotText).with_answers(answers);
            }
            media.fit_to(chat);
            let turns = single_turns(chat);
            let plain = plain_chat(chat, &turns);
            let Some(tokens) = self.count_row(chat, &turns, &plain, counter) else {
                return MadeSample::dropped(DropReason::Template).with_answers(answers);
            };
            if let Some(most) = self.max_tokens.filter(|most| tokens > *most) {
                lost.get_or_insert_with(|| MadeSample::too_long(tokens));
                let fits = |turns: &[ChatTurn]| {
                    let tokens = self.count_row(chat, turns, &plain_chat(chat, turns), counter);
                    tokens.is_some_and(|tokens| tokens <= most)
                };
                let fitting = count_fitting(chat, |end| fits(&turns[..end]));
                chat.groups.truncate(fitting);
                continue;
            }
            let mut bytes = Vec::with_capacity(plain.len() + 64);
            let digest = XxHash3_128::oneshot(&plain);
            let messages = turns.len();
            (self.target.write_row)(chat, &mut bytes);
            if has_lone_surrogate(&bytes) {
                return MadeSample::dropped(DropReason::LoneSurrogate).with_answers(answers);
            }
            bytes.push(b'\n');
            let facts = RowFacts {
                sample: 0,
                bytes: bytes.len() as u64,
                tokens,
                messages,
                answers,
                digest,
            };
            return MadeSample {
                row: Some(DatasetRow {
                    bytes,
                    facts,
                    columns: Vec::new(),
                    sketch: self.sketches.then(|| Sketch::of_turns(&turns)),
                }),
                drop: lost
                    .filter(|_| answers < answers_before)
                    .and_then(|lost| lost.with_answers(answers_before - answers).drop),
                ..MadeSample::default()
            };
        }
    }

    /// Returns the tokens of a chat with these turns, which is `plain` as a record, or None if the
    /// template refuses it.
    fn count_row(
        &self,
        chat: &ChatTranscript<'_>,
        turns: &[ChatTurn],
        plain: &[u8],
        counter: &dyn TokenCounter,
    ) -> Option<usize> {
        match &self.template {
            None => Some(count_tokens(plain, counter)),
            Some(template) => count_rendered(template, chat, turns),
        }
    }

    /// Returns the sample that is not written because its chat is not worth training on, if it is
    /// not.
    fn find_fault(&self, chat: &ChatTranscript<'_>) -> Option<MadeSample> {
        let turns = single_turns(chat);
        let has_block = |turn: &ChatTurn| {
            let mut parts = turn.parts.iter();
            parts.any(|part| matches!(part, ChatPart::Block(_)))
        };
        let find = |reason, is_wrong: &dyn Fn(&ChatTurn) -> bool| {
            let at = turns.iter().position(is_wrong)?;
            Some(MadeSample::dropped(reason).at_message(at))
        };
        let takes_blocks = self.target.takes_blocks;
        find(DropReason::NotText, &|turn| !takes_blocks && has_block(turn))
            .or_else(|| find(DropReason::EmptyText, &|turn| is_silent(turn) && !has_block(turn)))
            .or_else(|| {
                let at = find_misplaced(&turns, self.target.alternates)?;
                Some(MadeSample::dropped(DropReason::TurnOrder).at_message(at))
            })
            .or_else(|| (!self.is_maskable(&turns)).then(|| MadeSample::dropped(DropReason::Mask)))
    }

    /// Returns true if the target trains on no answer that must not be trained on.
    fn is_maskable(&self, turns: &[ChatTurn]) -> bool {
        let mut untrained = turns
            .iter()
            .skip_while(|turn| self.target.mask == MaskStyle::Completion && !is_trained(turn))
            .filter(|turn| turn.role == Role::Assistant && !is_trained(turn));
        match self.target.mask {
            MaskStyle::EachAnswer => true,
            MaskStyle::Completion => untrained.next().is_none(),
            MaskStyle::AllAnswers => {
                untrained.all(|turn| turn.training != Some(AnswerUse::Excluded))
            }
        }
    }
}

/// Notes how a sample uses a turn.
fn set_training(turn: &mut ChatTurn, answers: &SampleAnswers<'_>) {
    if turn.role != Role::Assistant {
        return;
    }
    let is_set =
        |list: &[bool]| turn.message.is_some_and(|index| list.get(index).copied().unwrap_or(false));
    turn.training = Some(if is_set(answers.trained) && turn.says_something() {
        AnswerUse::Trained
    } else if turn.is_summary || is_set(answers.excluded) {
        AnswerUse::Excluded
    } else {
        AnswerUse::Context
    });
}

/// Leaves out what is between the system prompt and the first words of the user. Returns true
/// if that is anything of the log. Where the user never speaks, all stays.
fn leave_out_opening(chat: &mut ChatTranscript<'_>) -> bool {
    let is_asked = |group: &Vec<ChatTurn>| {
        let mut turns = group.iter();
        // A turn without a message was put in.
        turns.any(|turn| turn.role == Role::User && turn.message.is_some())
    };
    let Some(first) = chat.groups.iter().position(is_asked) else {
        return false;
    };
    let opening: Vec<Vec<ChatTurn>> = chat.groups.drain(..first).collect();
    let (prompt, opening): (Vec<_>, Vec<_>) =
        opening.into_iter().partition(|group| group.iter().all(|turn| turn.role.is_system()));
    chat.groups.splice(0..0, prompt);
    !opening.is_empty()
}

/// Returns the reason for which nothing of a chat is trained on: a turn lacks something of what was
/// sent.
fn find_gap(chat: &ChatTranscript<'_>) -> Option<DropReason> {
    let mut turns = chat.system.iter().chain(chat.groups.iter().flatten());
    turns.find_map(|turn| turn.gap).map(|gap| match gap {
        TurnGap::Call => DropReason::Unread,
        TurnGap::Content => DropReason::NotText,
    })
}

/// Removes what follows the last answer that is trained on.
fn cut_behind_training(chat: &mut ChatTranscript<'_>) {
    let last = chat.groups.iter().rposition(|group| group.iter().any(is_trained));
    chat.groups.truncate(last.map_or(0, |last| last + 1));
}

fn count_trained(chat: &ChatTranscript<'_>) -> usize {
    chat.groups.iter().filter(|group| group.iter().any(is_trained)).count()
}

/// Returns how many groups of a chat that is too long stay: up to the last answer with which it
/// fits. `fits` gets the number of turns. It is asked about few numbers, because it counts them all.
fn count_fitting(chat: &ChatTranscript<'_>, fits: impl Fn(usize) -> bool) -> usize {
    let mut turns = usize::from(!chat.system.is_empty());
    let mut ends = Vec::new();
    for (at, group) in chat.groups.iter().enumerate() {
        turns += joined_runs(group).count();
        if group.iter().any(is_trained) {
            ends.push(AnswerEnd { groups: at + 1, turns });
        }
    }
    // The last is the end of the chat.
    ends.pop();
    let fitting = ends.partition_point(|end| fits(end.turns));
    ends[..fitting].last().map_or(0, |end| end.groups)
}

/// Returns true if a turn of a person or an answer says nothing.
fn is_silent(turn: &ChatTurn) -> bool {
    matches!(turn.role, Role::User | Role::Assistant)
        && turn.calls.is_empty()
        && turn_text(turn).is_blank()
}

/// Returns the first turn that does not stand where it may: the last must be an answer, and where
/// turns must alternate, the user speaks first behind the system prompt and no turn follows one of
/// the same speaker.
fn find_misplaced(turns: &[ChatTurn], alternates: bool) -> Option<usize> {
    let last = turns.len().checked_sub(1)?;
    let ends_wrong = turns[last].role != Role::Assistant;
    let prompt = usize::from(turns[0].role.is_system());
    let is_misplaced = |at: usize| {
        let turn = &turns[at];
        // A first turn without a message was put in.
        let may_begin = turn.role == Role::User && turn.message.is_some();
        turn.role.is_system()
            || (at == prompt && !may_begin)
            || (at > prompt && turn.role == turns[at - 1].role && turn.role != Role::Tool)
    };
    let found = (prompt..turns.len()).find(|at| alternates && is_misplaced(*at));
    found.or(ends_wrong.then_some(last))
}

/// Returns a chat as a record of OpenAI chat messages, by which rows are counted and compared.
fn plain_chat(chat: &ChatTranscript<'_>, turns: &[ChatTurn]) -> Vec<u8> {
    let mut out = b"{\"messages\": ".to_vec();
    write_list(turns, &mut out, |turn, out| {
        let mask = is_trained(turn).then_some(("weight", "1"));
        write_message(turn, ArgumentForm::OpenAi, mask, out);
    });
    write_tools(chat, &mut out);
    out.push(b'}');
    out
}

/// Returns the tokens of a chat as the trainer renders it, or None if the template refuses it.
fn count_rendered(
    template: &ChatTemplate,
    chat: &ChatTranscript<'_>,
    turns: &[ChatTurn],
) -> Option<usize> {
    let mut messages = Vec::new();
    write_list(turns, &mut messages, |turn, out| {
        write_message(turn, ArgumentForm::Object, None, out);
    });
    template.count(&messages, tool_list(chat).as_deref()).ok()
}

/// Returns the tokens of a record of OpenAI chat messages, as `count` counts it.
fn count_tokens(record: &[u8], counter: &dyn TokenCounter) -> usize {
    let record = Record { bytes: record, line: 1 };
    let transcript = format_by_name("openai")
        .and_then(|format| format.read_transcript(vec![record], Shape::Conversation).ok());
    // What was just written can be read.
    transcript.map_or(usize::MAX, |transcript| {
        let view = TranscriptView::logged(&transcript);
        let ledger = Ledger::new(counter, view);
        ledger.tools + ledger.messages.iter().sum::<usize>()
    })
}
