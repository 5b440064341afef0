//! The effective messages of one thread: the last summary, then what follows
//! its cutoff. The list grows message by message; a compaction replaces its
//! front. Every message is read and counted once, and moved, never copied.

use crate::conversation::Conversation;
use crate::json::Span;
use crate::json::encode_literal;
use crate::plan::{Edit, Eviction, Summary, overlay_edits};
use crate::planner::{ClearedResult, MessageCut, Meter, ResultName};
use crate::policy::{OnGrowth, Thresholds};
use crate::settings::Settings;
use crate::strategy::evict::{EvictionCandidate, plan_eviction};
use crate::strategy::prune;
use crate::tokens::TokenCounter;
use crate::transcript::view::TranscriptView;
use crate::transcript::{Content, Message, Record, Role};
use std::iter::{self, Peekable};
use std::sync::OnceLock;
use std::vec;

/// What is known of one message of the list.
pub(crate) struct Seat {
    /// Its index in the log; none for the summary.
    pub(crate) logged: Option<usize>,
    /// Tokens as logged.
    tokens: usize,
    /// Tokens as it is sent while it is recent: an evicted result as its notice.
    sent: usize,
    /// What truncation would do to it.
    cut: Option<MessageCut>,
    /// A result that is too large.
    large: Option<Box<Large>>,
}

/// A result that is too large.
struct Large {
    candidate: EvictionCandidate,
    name: ResultName,
    /// What stands in its place, unless that would be longer.
    eviction: Option<Eviction>,
}

impl Seat {
    /// Tokens as logged.
    pub(crate) fn tokens(&self) -> usize {
        self.tokens
    }

    /// What stands in the place of a result.
    pub(crate) fn eviction(&self) -> Option<&Eviction> {
        self.large.as_ref()?.eviction.as_ref()
    }
}

/// The messages of the log whose turn has not come.
pub(crate) struct Log {
    messages: vec::IntoIter<Message>,
    tokens: vec::IntoIter<usize>,
    candidates: Peekable<vec::IntoIter<(EvictionCandidate, ResultName)>>,
}

impl Log {
    /// The message whose turn is next.
    pub(crate) fn peek(&self) -> Option<&Message> {
        self.messages.as_slice().first()
    }
}

/// The list.
pub(crate) struct Effective<'w, 'u> {
    /// Its transcript holds the effective messages, with their counts as logged.
    pub(crate) one: Conversation<'u>,
    pub(crate) meter: Meter<'w>,
    pub(crate) seats: Vec<Seat>,
    /// The messages of its summary.
    pub(crate) framed: Vec<(Role, String)>,
    /// Where the messages stand in the one record that holds them all.
    pub(crate) list: Option<Span>,
    pub(crate) settings: &'w Settings,
    thresholds: &'w Thresholds,
    provider: Option<&'w str>,
    pub(crate) counter: &'w dyn TokenCounter,
}

impl<'w, 'u> Effective<'w, 'u> {
    /// An empty list, and the messages of the log that will come into it.
    pub(crate) fn begin(
        mut one: Conversation<'u>,
        settings: &'w Settings,
        thresholds: &'w Thresholds,
        provider: Option<&'w str>,
    ) -> (Self, Log) {
        let counter = settings.counter(one.model.as_deref(), provider);
        let count = one.transcript.messages.len();
        let messages = std::mem::replace(&mut one.transcript.messages, Vec::with_capacity(count));
        let tokens = std::mem::replace(&mut one.message_tokens, Vec::with_capacity(count));
        let names = std::mem::take(&mut one.names.results);
        let mut candidates: Vec<(EvictionCandidate, ResultName)> =
            std::mem::take(&mut one.candidates)
                .into_iter()
                .zip(names)
                .collect();
        // They were named in another order: what is large comes first.
        candidates.sort_by_key(|(candidate, _)| candidate.message);
        let candidates = candidates.into_iter().peekable();
        let ends = messages
            .first()
            .zip(messages.last())
            .filter(|_| !one.transcript.message_per_record);
        let list = ends.map(|(first, last)| Span {
            start: first.span.start,
            end: last.span.end,
        });
        let log = Log {
            messages: messages.into_iter(),
            tokens: tokens.into_iter(),
            candidates,
        };
        let (meter, seats) = (
            Meter::new(
                &settings.policy,
                thresholds,
                provider,
                counter,
                one.tool_tokens,
            ),
            Vec::with_capacity(count),
        );
        (
            Self {
                one,
                meter,
                seats,
                framed: Vec::new(),
                list,
                settings,
                thresholds,
                provider,
                counter,
            },
            log,
        )
    }

    /// Adds the next message of the log, which is its message `index`. A result that is too large is evicted now, as the
    /// live agent does: whether this one is.
    pub(crate) fn push(&mut self, log: &mut Log, index: usize) -> bool {
        let Some(tokens) = log.tokens.next() else {
            return false;
        };
        let place = self.seats.len();
        // Pushed, it would be moved twice: it is large.
        self.one
            .transcript
            .messages
            .extend(log.messages.by_ref().take(1));
        self.one.transcript.index_callers(place);
        let role = self.one.transcript.messages[place].role;
        let (mut sent, mut large) = (tokens, None);
        if log
            .candidates
            .peek()
            .is_some_and(|(candidate, _)| candidate.message == index)
            && let Some((candidate, name)) = log.candidates.next()
        {
            let candidate = EvictionCandidate {
                message: place,
                ..candidate
            };
            let edit = Edit::Evict(plan_eviction(
                &self.one.transcript,
                &candidate,
                &name.file,
                &name.path,
            ));
            let overlay = overlay_edits(&self.one.transcript, std::slice::from_ref(&edit));
            let noticed = self.counter.count_message(
                TranscriptView {
                    transcript: &self.one.transcript,
                    overlay: &overlay,
                },
                place,
            );
            // Others only go where the list would not fit otherwise: that is the planner's to say.
            let fits = candidate.large
                && (noticed <= tokens || self.settings.policy.on_growth == OnGrowth::Allow);
            let eviction = if let Edit::Evict(eviction) = edit {
                Some(eviction).filter(|_| fits)
            } else {
                None
            };
            if eviction.is_some() {
                sent = noticed;
            }
            large = Some(Box::new(Large {
                candidate,
                name,
                eviction,
            }));
        }
        let cut = if role == Role::Assistant {
            self.meter.measure_cut(&self.one.transcript, place, tokens)
        } else {
            None
        };
        self.count(tokens, sent, cut);
        let is_evicted = large.as_ref().is_some_and(|large| large.eviction.is_some());
        // Made where it is to stay: to move it at once would wait for its parts to be written.
        self.seats.extend(iter::once_with(|| Seat {
            logged: Some(index),
            tokens,
            sent,
            cut,
            large,
        }));
        is_evicted
    }

    /// Counts the message that was added last.
    fn count(&mut self, tokens: usize, sent: usize, cut: Option<MessageCut>) {
        self.meter.push_message(&self.one.transcript, sent, cut);
        self.one.message_tokens.push(tokens);
    }

    /// Makes the conversation ready for the planner: it is to see the candidates where they stand now. What is cleared is none.
    pub(crate) fn prepare(&mut self) {
        let large = self
            .seats
            .iter()
            .filter_map(|seat| seat.large.as_ref())
            .filter(|large| self.meter.cleared_at(large.candidate.message).is_none());
        (self.one.candidates, self.one.names.results) = large
            .map(|large| (large.candidate.clone(), large.name.clone()))
            .unzip();
    }

    /// Stage prune: clears what is old enough, for good. Returns where.
    pub(crate) fn prune(&mut self) -> Vec<usize> {
        while let Some(place) = self.meter.next_unobserved() {
            let seat = &self.seats[place];
            let cleared = self
                .meter
                .cleared_at(place)
                .map(|cleared| self.pruning(cleared));
            let edit = cleared.or_else(|| seat.eviction().cloned().map(Edit::Evict));
            let overlay = edit
                .map(|edit| overlay_edits(&self.one.transcript, &[edit]))
                .unwrap_or_default();
            self.meter.observe_result(
                TranscriptView {
                    transcript: &self.one.transcript,
                    overlay: &overlay,
                },
                place,
                seat.sent,
            );
        }
        self.meter
            .prune_old_results()
            .iter()
            .map(|cleared| cleared.message)
            .collect()
    }

    /// How a result was cleared.
    pub(crate) fn pruning(&self, cleared: &ClearedResult) -> Edit {
        Edit::Prune(prune::plan_pruning(
            &self.one.transcript,
            &self.settings.policy.prune,
            cleared.message,
            cleared.tokens,
        ))
    }

    /// Replaces what lies before a cutoff. `framed` is the summary as the model reads it, `literals` the same texts as JSON
    /// literals, one behind the other.
    pub(crate) fn compact(
        &mut self,
        summary: &Summary,
        framed: Vec<(Role, String)>,
        literals: &'u [u8],
    ) {
        let (transcript, counter) = (&mut self.one.transcript, self.counter);
        let head = transcript.system_prefix_len();
        transcript.callers = OnceLock::new();
        let messages = std::mem::take(&mut transcript.messages);
        let seats = std::mem::take(&mut self.seats);
        self.one.message_tokens.clear();
        let meter = Meter::new(
            &self.settings.policy,
            self.thresholds,
            self.provider,
            counter,
            self.one.tool_tokens,
        );
        let before = std::mem::replace(&mut self.meter, meter);
        let line = transcript.records.first().map_or(0, |record| record.line);
        transcript.records.push(Record {
            bytes: literals,
            line,
        });
        let mut stand_ins = Vec::with_capacity(framed.len());
        let mut start = 0;
        for (role, text) in &framed {
            let span = Span {
                start,
                end: start + encode_literal(text).len(),
            };
            start = span.end;
            let mut message = Message::new(transcript.records.len() - 1, span, *role);
            (
                message.content,
                message.content_span,
                message.earlier_summary,
            ) = (Content::Text(span), Some(span), true);
            let tokens = counter.count_summary(*role, text);
            stand_ins.push((
                message,
                Seat {
                    logged: None,
                    tokens,
                    sent: tokens,
                    cut: None,
                    large: None,
                },
            ));
        }
        self.framed = framed;
        let mut stand_ins = stand_ins.into_iter();
        for (index, (message, seat)) in messages.into_iter().zip(seats).enumerate() {
            if index >= summary.first_kept {
                stand_ins
                    .by_ref()
                    .for_each(|(message, seat)| self.reseat(message, seat));
            }
            if index < head
                || index >= summary.first_kept
                || summary.kept_system.binary_search(&index).is_ok()
            {
                self.reseat(message, seat);
                self.meter
                    .inherit_cleared(self.seats.len() - 1, &before, index);
            }
        }
        stand_ins.for_each(|(message, seat)| self.reseat(message, seat));
    }

    fn reseat(&mut self, message: Message, mut seat: Seat) {
        let place = self.seats.len();
        self.one.transcript.messages.push(message);
        if let Some(large) = &mut seat.large {
            large.candidate.message = place;
            large
                .eviction
                .iter_mut()
                .for_each(|eviction| eviction.message = place);
        }
        self.count(seat.tokens, seat.sent, seat.cut);
        self.seats.push(seat);
    }

    /// Where the first message of the log from `logged` on stands in the list.
    pub(crate) fn place_of(&self, logged: usize) -> usize {
        // A summary stands behind the system prompt, before all that is kept.
        self.seats
            .partition_point(|seat| seat.logged.is_none_or(|index| index < logged))
    }
}
