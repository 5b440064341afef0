//! Makes rows of samples: converts, checks and counts them, and leaves out answers at their end
//! until they fit.

use crate::convert::chat::{AnswerUse, ChatPart, ChatTranscript, ChatTurn};
use crate::convert::json_output::write_list;
use crate::convert::{Conversion, ConversionSource, MergeRule, target_by_name};
use crate::dataset::chat_turns::{
    ArgumentForm, is_trained, single_turns, tool_list, turn_text, write_message, write_tools,
};
use crate::dataset::columns::{ColumnUse, RowColumns, read_columns};
use crate::dataset::drops::DropReason;
use crate::dataset::sketch::Sketch;
use crate::dataset::target::{DatasetTarget, MaskStyle};
use crate::dataset::thread_rows::{DatasetRow, MadeSample, RowFacts};
use crate::format::{Shape, format_by_name};
use crate::json::has_lone_surrogate;
use crate::tokens::{ChatTemplate, Ledger, TokenCounter};
use crate::transcript::overlay::Overlay;
use crate::transcript::view::TranscriptView;
use crate::transcript::{Record, Role};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use twox_hash::XxHash3_128;

/// The keys of logged messages that rows hold in their own form.
const MASK_KEYS: [&str; 3] = ["weight", "loss_weight", "train"];

/// The use of the messages of a sample, by their index.
pub(crate) struct SampleAnswers<'s> {
    /// For each message, whether the sample trains on it.
    pub(crate) trained: &'s [bool],
    /// For each message, whether it must not be trained on in any sample.
    pub(crate) excluded: &'s [bool],
    /// The other columns of the conversation's row, once they were read: all samples share them.
    pub(crate) columns: &'s OnceCell<RowColumns>,
}

/// Makes the rows of a target.
pub(crate) struct RowMaker {
    pub(crate) target: &'static DatasetTarget,
    /// The most tokens of a row.
    pub(crate) max_tokens: Option<usize>,
    /// Counts rows as the trainer does, in place of the policy's counter.
    pub(crate) template: Option<ChatTemplate>,
    /// What becomes of the other columns of the rows that samples are made of.
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
            merge: if self.target.alternates {
                MergeRule::Speakers
            } else {
                MergeRule::Never
            },
        };
        let mut left_out = BTreeSet::new();
        let sample = conversion.read_sample(source, &mut |turn| {
            set_training(turn, answers);
            for (key, _) in turn.extras.drain(..) {
                let key = key.decoded();
                if !MASK_KEYS.contains(&key.as_ref()) {
                    left_out.insert(format!("messages[].{key}"));
                }
            }
        });
        left_out.extend(sample.left_out.into_iter().map(|note| note.what));
        let mut chat = sample.chat;
        let columns = answers.columns.get_or_init(|| self.columns_of(source));
        left_out.extend(columns.left_out.iter().cloned());
        chat.record_fields.clone_from(&columns.fields);
        let mut made = self.write_checked(&mut chat, counter);
        made.left_out = left_out;
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
            ColumnUse::Dropped => RowColumns::default(),
        }
    }

    /// Checks a chat and writes it, without the answers at its end that do not fit.
    fn write_checked(
        &self,
        chat: &mut ChatTranscript<'_>,
        counter: &dyn TokenCounter,
    ) -> MadeSample {
        let answers_before = count_trained(chat);
        let mut lost_tokens = None;
        loop {
            cut_behind_training(chat);
            let answers = count_trained(chat);
            if answers == 0 {
                return match lost_tokens {
                    Some(tokens) => MadeSample::too_long(answers_before, tokens),
                    None => MadeSample::dropped(DropReason::NoTrainedAnswer),
                };
            }
            if let Some(reason) = self.find_fault(chat) {
                return MadeSample::dropped_answers(reason, answers);
            }
            let turns = single_turns(chat);
            let plain = plain_chat(chat, &turns);
            let tokens = match &self.template {
                None => count_tokens(&plain, counter),
                Some(template) => match count_rendered(template, chat, &turns) {
                    Some(tokens) => tokens,
                    None => return MadeSample::dropped_answers(DropReason::Template, answers),
                },
            };
            if self.max_tokens.is_some_and(|most| tokens > most) {
                lost_tokens.get_or_insert(tokens);
                chat.groups.pop();
                continue;
            }
            let mut bytes = Vec::with_capacity(plain.len() + 64);
            let digest = XxHash3_128::oneshot(&plain);
            let messages = turns.len();
            (self.target.write_row)(chat, &mut bytes);
            if has_lone_surrogate(&bytes) {
                return MadeSample::dropped_answers(DropReason::LoneSurrogate, answers);
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
                drop: lost_tokens
                    .and_then(|tokens| MadeSample::too_long(answers_before - answers, tokens).drop),
                left_out: BTreeSet::new(),
            };
        }
    }

    /// Returns the reason for which a chat is not worth training on, if any.
    fn find_fault(&self, chat: &ChatTranscript<'_>) -> Option<DropReason> {
        let turns = single_turns(chat);
        let has_block = |turn: &ChatTurn| {
            let mut parts = turn.parts.iter();
            parts.any(|part| matches!(part, ChatPart::Block(_)))
        };
        if !self.target.takes_blocks && turns.iter().any(has_block) {
            return Some(DropReason::NotText);
        }
        if turns.iter().any(|turn| is_silent(turn) && !has_block(turn)) {
            return Some(DropReason::EmptyText);
        }
        if !has_good_order(&turns, self.target.alternates) {
            return Some(DropReason::TurnOrder);
        }
        (!self.is_maskable(&turns)).then_some(DropReason::Mask)
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
    let is_set = |list: &[bool]| {
        turn.message
            .is_some_and(|index| list.get(index).copied().unwrap_or(false))
    };
    turn.training = Some(if is_set(answers.trained) && turn.says_something() {
        AnswerUse::Trained
    } else if turn.is_summary || is_set(answers.excluded) {
        AnswerUse::Excluded
    } else {
        AnswerUse::Context
    });
}

/// Removes what follows the last answer that is trained on.
fn cut_behind_training(chat: &mut ChatTranscript<'_>) {
    let last = chat
        .groups
        .iter()
        .rposition(|group| group.iter().any(is_trained));
    chat.groups.truncate(last.map_or(0, |last| last + 1));
}

fn count_trained(chat: &ChatTranscript<'_>) -> usize {
    chat.groups
        .iter()
        .filter(|group| group.iter().any(is_trained))
        .count()
}

/// Returns true if a turn of a person or an answer says nothing.
fn is_silent(turn: &ChatTurn) -> bool {
    matches!(turn.role, Role::User | Role::Assistant)
        && turn.calls.is_empty()
        && turn_text(turn).is_blank()
}

/// Returns true if turns end with an answer and, where they must alternate, the user speaks first
/// behind the system prompt and no turn follows one of the same speaker.
fn has_good_order(turns: &[ChatTurn], alternates: bool) -> bool {
    let ends_with_answer = turns
        .last()
        .is_some_and(|turn| turn.role == Role::Assistant);
    if !alternates {
        return ends_with_answer;
    }
    let prompt = usize::from(turns.first().is_some_and(|turn| turn.role.is_system()));
    let turns = &turns[prompt..];
    // A first turn without a message was put in.
    let speaks_first = turns
        .first()
        .is_some_and(|turn| turn.role == Role::User && turn.message.is_some());
    let repeats = turns
        .windows(2)
        .any(|pair| pair[0].role == pair[1].role && pair[0].role != Role::Tool);
    ends_with_answer && speaks_first && !repeats && !turns.iter().any(|turn| turn.role.is_system())
}

/// Returns a chat as a record of OpenAI chat messages, by which rows are counted and compared.
fn plain_chat(chat: &ChatTranscript<'_>, turns: &[ChatTurn]) -> Vec<u8> {
    let mut out = b"{\"messages\": ".to_vec();
    write_list(turns, &mut out, |turn, out| {
        let mask = is_trained(turn).then_some(("weight", "1"));
        write_message(turn, ArgumentForm::Text, mask, out);
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
    let record = Record {
        bytes: record,
        line: 1,
    };
    let transcript = format_by_name("openai").and_then(|format| {
        format
            .read_transcript(vec![record], Shape::Conversation)
            .ok()
    });
    // What was just written can be read.
    transcript.map_or(usize::MAX, |transcript| {
        let overlay = Overlay::default();
        let view = TranscriptView {
            transcript: &transcript,
            overlay: &overlay,
        };
        let ledger = Ledger::new(counter, view);
        ledger.tools + ledger.messages.iter().sum::<usize>()
    })
}
