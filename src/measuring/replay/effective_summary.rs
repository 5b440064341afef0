//! A compaction of the effective list: a summary replaces its front.

use crate::deciding::plan::Summary;
use crate::deciding::planner::{ListChange, Meter};
use crate::measuring::replay::effective::{EffectiveList, EffectiveMessage};
use crate::reading::json::{Span, encode_literal};
use crate::reading::transcript::{Content, Message, Record, Role};
use crate::reading::transcript::{dropped_blocks::DroppedBlocks, view::TranscriptView};
use std::sync::OnceLock;

impl<'u> EffectiveList<'_, 'u> {
    /// Replaces the messages before the cutoff by the summary's messages `framed`. `literals` are
    /// the texts of these messages as JSON literals, one behind the other, and behind them that of
    /// the message that the summary cuts.
    pub(crate) fn replace_by_summary(
        &mut self,
        summary: &Summary,
        framed: Vec<(Role, String)>,
        literals: &'u [u8],
    ) {
        let decided = if self.settings.policy.summarize.after_step {
            self.conversation.transcript.step_end()
        } else {
            self.conversation.transcript.messages.len()
        };
        self.observe_results_before(decided);
        let transcript = &mut self.conversation.transcript;
        let head = transcript.system_prefix_len();
        // A system message that stays counts alike, whether a prompt comes before it or not.
        transcript.without_prompt = head == 0;
        transcript.callers = OnceLock::new();
        let messages = std::mem::take(&mut transcript.messages);
        let line = transcript.records.first().map_or(0, |record| record.line);
        transcript.records.push(Record { bytes: literals, line });
        let facts = std::mem::take(&mut self.messages);
        self.conversation.message_tokens.clear();
        let meter = Meter::new(
            &self.settings.policy, self.thresholds, self.provider, self.counter,
            self.conversation.tool_tokens,
        );
        let mut earlier_meter = std::mem::replace(&mut self.meter, meter);
        let summary_messages = self.summary_messages(&framed);
        let is_kept = |index: usize| {
            index < head
                || index >= summary.first_kept
                || summary.kept_before.binary_search(&index).is_ok()
        };
        // All messages that were decided on are older than the summary.
        let older = (0..decided).filter(|index| is_kept(*index)).count();
        let first_newer = older + summary_messages.len();
        self.conversation.transcript.newer_than_summary = Some(first_newer);
        let before_summary = (0..summary.first_kept).filter(|index| is_kept(*index)).count();
        let summary_range = before_summary..before_summary + summary_messages.len();
        let mut summary_messages = summary_messages.into_iter();
        self.summary = framed;
        for (index, (mut message, mut facts)) in messages.into_iter().zip(facts).enumerate() {
            if let Some(cut) = summary.cut.as_ref().filter(|cut| cut.message == index) {
                self.show_cut(&mut message, &mut facts, &cut.text, literals.len());
            }
            if index >= summary.first_kept {
                for (message, facts) in summary_messages.by_ref() {
                    self.push_kept(message, facts);
                }
            }
            if is_kept(index) {
                let mut dropped = summary.dropped.iter();
                if let Some(dropped) = dropped.find(|dropped| dropped.message == index) {
                    self.push_without(message, facts, dropped);
                } else {
                    self.push_kept(message, facts);
                }
                self.meter.inherit_cleared(self.messages.len() - 1, &earlier_meter, index);
            }
        }
        for (message, facts) in summary_messages {
            self.push_kept(message, facts);
        }
        let new_index = |index: usize| {
            if index >= summary.first_kept {
                Some(summary_range.end + index - summary.first_kept)
            } else if is_kept(index) {
                Some(head.min(index) + summary.kept_before.partition_point(|kept| *kept < index))
            } else {
                None
            }
        };
        let change = ListChange {
            decided,
            new_index: &new_index,
            summary: summary_range.clone(),
            first_newer,
        };
        self.meter.continue_scan(&mut earlier_meter, &change);
    }

    /// Returns the summary's messages. Their texts lie in the last record.
    fn summary_messages(&self, framed: &[(Role, String)]) -> Vec<(Message, EffectiveMessage)> {
        let record = self.conversation.transcript.records.len() - 1;
        let mut start = 0;
        let mut messages = Vec::with_capacity(framed.len());
        for (role, text) in framed {
            let span = Span { start, end: start + encode_literal(text).len() };
            start = span.end;
            let mut message = Message::new(record, span, *role);
            message.content = Content::Text(span);
            message.content_span = Some(span);
            message.earlier_summary = true;
            let tokens = self.counter.count_summary(*role, text);
            let facts = EffectiveMessage {
                logged: None,
                tokens,
                tokens_sent: tokens,
                cut: None,
                large: None,
                times_cut: 0,
            };
            messages.push((message, facts));
        }
        messages
    }

    /// Gives a message the cut `text`, whose literal ends the last record at `end`.
    fn show_cut(
        &self,
        message: &mut Message,
        facts: &mut EffectiveMessage,
        text: &str,
        end: usize,
    ) {
        let span = Span { start: end - encode_literal(text).len(), end };
        let record = self.conversation.transcript.records.len() - 1;
        let mut shown = Message::new(record, span, message.role);
        shown.content = Content::Text(span);
        shown.content_span = Some(span);
        let tokens = self.counter.count_summary(message.role, text);
        *message = shown;
        *facts = EffectiveMessage {
            logged: facts.logged,
            tokens,
            tokens_sent: tokens,
            cut: None,
            large: None,
            times_cut: facts.times_cut + 1,
        };
    }

    /// Adds a message of the earlier list to the end of the new list, without the blocks that it
    /// loses for the summary.
    fn push_without(
        &mut self,
        mut message: Message,
        mut facts: EffectiveMessage,
        dropped: &DroppedBlocks,
    ) {
        let record = message.record;
        let splices = dropped.splices(&message);
        dropped.remove_from(&mut message);
        let transcript = &mut self.conversation.transcript;
        transcript.dropped.extend(splices.into_iter().map(|splice| (record, splice)));
        // The counter looks at a message in its list.
        let index = transcript.messages.len();
        transcript.messages.push(message);
        let view = TranscriptView::logged(transcript);
        facts.tokens = self.counter.count_message(view, index);
        facts.tokens_sent = facts.tokens;
        facts.cut = self.meter.measure_cut(transcript, index, facts.tokens);
        if let Some(message) = transcript.messages.pop() {
            self.push_kept(message, facts);
        }
    }

    /// Adds a message of the earlier list, or of the summary, to the end of the new list.
    fn push_kept(&mut self, message: Message, mut facts: EffectiveMessage) {
        let index = self.messages.len();
        self.conversation.transcript.messages.push(message);
        if let Some(large) = &mut facts.large {
            large.candidate.message = index;
            if let Some(eviction) = &mut large.eviction {
                eviction.message = index;
            }
        }
        self.count_last(facts.tokens, facts.tokens_sent, facts.cut);
        self.messages.push(facts);
    }
}
