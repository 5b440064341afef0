//! Finds what the assistant found, decided and reported.

use super::agent_reports::agent_reports;
use super::fact::{Fact, FactKind};
use super::finding_sentences::{CAUSES, MessageKind, ScoredSentence, best_sentences};
use super::named_culprits::culprits_in;
use super::overtaken_findings::{
    EditsSince, LaterMessages, OvertakenMessage, commits_in, complains, denies, is_mended, is_over,
    says_settled, shows_passed_tests,
};
use super::report_recaps::{Recap, announces_proposal, left_to_do, recap_of};
use crate::summary::extract::lex::code_marks::names_in_code;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lex::sentences::{asks_at_end, split_sentences};
use crate::summary::extract::lexicon::assistant_words::{DONE_WORDS, WANTING_WORDS};
use crate::summary::extract::lexicon::finding_words::{
    CULPRIT_DENIALS, UNSEEN_WORDS, UNSHOWN_WORDS,
};
use crate::summary::extract::lexicon::plan_words::LEAVE_WORDS;
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;
use hashbrown::HashSet;
use std::cmp::Reverse;
use std::sync::LazyLock;

/// Maximum number of messages that are read for each fact wanted.
const MESSAGES_PER_FACT: usize = 4;
/// Length in bytes from which on a message without calls is a report.
const LEAST_REPORT: usize = 500;
/// Length in bytes from which on a report tells more than it asks at its end.
const LONG_REPORT: usize = 1500;
/// What a sentence of the newest report is worth more: it says how things stand.
const REPORT_WORTH: i32 = 500;
/// What the items of the newest reports are worth.
const RECAP_WORTHS: [i32; 3] = [9000, 6000, 4500];
/// What the steps are worth that the newest report leaves to do.
const LEFT_WORTH: i32 = 5000;
/// What the places are worth in which a fault lies.
const CULPRIT_WORTH: i32 = 4000;
/// What a finding in the newest message is worth. What others are falls evenly to 0 in the first one.
const RECENCY: usize = 1600;
/// What the newest finding is worth more. Each older one has half of that.
const NEWEST_WORTH: i32 = 800;
const MOST_HALVINGS: usize = 12;
/// What each word of a finding is worth beside records, and the most that count.
const RECORD_SCORE_WORTH: i32 = 150;
const MOST_RECORD_SCORE: i32 = 6;
/// What a finding about something that works by now is worth less.
const OVER_LOSS: i32 = 2000;
/// What a cause is worth less for each newer message that names one, and the most of these that count.
const OLDER_CAUSE_LOSS: i32 = 350;
const MOST_CAUSES: i32 = 2;
/// What a finding is worth less in a message that ends with a question: the user may want another way.
const PROPOSAL_LOSS: i32 = 900;
/// What a finding of a finished task is worth less.
const FINISHED_LOSS: i32 = 2500;
/// What a finding is worth less that is older than the newest request, if much was done for that.
const PHASE_LOSS: i32 = 1500;
/// Maximum number of such findings.
const MOST_PAST: usize = 3;
/// Number of messages within which it is news that something was not found.
const NEW_MESSAGES: usize = 8;
/// The same of what a view of a file did not show: the message, and what came of its call.
const NEW_VIEWS: usize = 2;

/// Returns the best sentences of the newest messages of the assistant and of the agents that it asked, a few of
/// each, and what its reports list. Where results are records, a message has one sentence: the rest stands in
/// rows, with its newest values.
pub(crate) fn find_findings(
    turns: &[ViewedTurn<'_>],
    most: usize,
    starts: TaskStarts,
    holds_records: bool,
) -> Vec<Fact> {
    let mut search = FindingSearch {
        turns,
        starts,
        holds_records,
        has_calls: !holds_records && turns.iter().any(|turn| !turn.calls.is_empty()),
        facts: Vec::new(),
        seen: HashSet::new(),
        since: LaterMessages::default(),
        names_culprits: false,
        denied: HashSet::new(),
        later_edits: EditsSince::default(),
    };
    let is_said = |turn: &ViewedTurn<'_>| turn.role == Role::Assistant && !turn.earlier_summary;
    // Beside the first call, nothing has been found yet.
    let opening = (turns.iter().position(is_said)).filter(|&first| !turns[first].calls.is_empty());
    let reports = agent_reports(turns);
    let mut left = most * MESSAGES_PER_FACT;
    for (number, turn) in turns.iter().enumerate().rev() {
        if search.facts.len() >= most || left == 0 {
            break;
        }
        if (is_said(turn) && opening != Some(number)) || reports.contains(&number) {
            left -= 1;
            search.observe_message(number, turn);
        } else if !search.since.are_tests_passed {
            search.since.are_tests_passed = shows_passed_tests(turn);
        }
    }
    search.keep_best_of_past();
    search.facts
}

/// Indices of the messages that begin the current task and the work for the newest request.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TaskStarts {
    pub(crate) task: usize,
    pub(crate) phase: usize,
}

/// A search for findings.
struct FindingSearch<'t, 'v> {
    turns: &'t [ViewedTurn<'v>],
    starts: TaskStarts,
    holds_records: bool,
    /// An agent without calls thinks aloud in every message.
    has_calls: bool,
    facts: Vec<Fact>,
    /// The sentences so far.
    seen: HashSet<String>,
    since: LaterMessages,
    /// A message said where the fault lies.
    names_culprits: bool,
    /// The names in sentences of later messages that deny something.
    denied: HashSet<String>,
    /// The later calls that changed files.
    later_edits: EditsSince<'t>,
}

/// A message of the assistant that is read.
struct ReadMessage<'t> {
    number: usize,
    text: &'t str,
    kind: MessageKind,
    /// What the assistant asks about is not decided.
    is_proposal: bool,
    /// What later messages are compared with.
    overtaken: OvertakenMessage,
}

impl<'t> FindingSearch<'t, '_> {
    /// Keeps only the best findings that are older than the newest request, if much was done for that.
    fn keep_best_of_past(&mut self) {
        let oldest = self.turns.len() - self.starts.phase;
        let is_past = |fact: &Fact| self.starts.phase > 0 && fact.order > oldest;
        let mut past: Vec<i32> = (self.facts.iter().filter(|fact| is_past(fact)))
            .map(|fact| fact.worth)
            .collect();
        past.sort_unstable_by_key(|worth| Reverse(*worth));
        if let Some(least) = past.get(MOST_PAST - 1) {
            self.facts
                .retain(|fact| !is_past(fact) || fact.worth >= *least);
        }
    }

    fn observe_message(&mut self, number: usize, turn: &'t ViewedTurn<'_>) {
        let speaks_alone = self.has_calls && turn.calls.is_empty();
        let is_report =
            speaks_alone && turn.text.len() >= LEAST_REPORT && !thinks_aloud(&turn.text);
        // Behind a long report, the question is about what comes next, unless it asks for leave.
        let is_told = turn.text.len() >= LONG_REPORT
            && !announces_proposal(&turn.text)
            && !asks_for_leave(&turn.text);
        let is_proposal = speaks_alone && !is_told && asks_at_end(&turn.text);
        let recap = RECAP_WORTHS
            .get(self.since.reports)
            .filter(|_| is_report && !is_proposal)
            .and_then(|worth| Some((recap_of(&turn.text)?, *worth)));
        let kind = match (is_report, self.has_calls) {
            // Its items are told.
            (true, _) if recap.is_some() => MessageKind::Remark,
            (true, _) => MessageKind::Report,
            (false, true) => MessageKind::Remark,
            (false, false) => MessageKind::Thought,
        };
        let message = ReadMessage {
            number,
            text: &turn.text,
            kind,
            is_proposal,
            overtaken: OvertakenMessage {
                is_report,
                is_refuted: self.turns.get(number + 1).is_some_and(complains),
                since: self.since,
            },
        };
        let said = self.facts.len();
        let of_agent = turn.role.is_result();
        let told = recap
            .as_ref()
            .map(|(recap, _)| recap.longer.as_ref().unwrap_or(&recap.text).clone());
        if let Some((recap, worth)) = recap {
            self.push_recap(&message, recap, worth, of_agent);
        }
        // What another agent leaves to do, the agent that asked it may have done.
        if is_report
            && !of_agent
            && self.since.reports == 0
            && let Some(text) = left_to_do(&turn.text)
        {
            self.push(&message, text, LEFT_WORTH);
        }
        // Where the fault lies, the newest message says.
        if !of_agent && !self.names_culprits {
            self.push_culprits(&message);
        }
        // Single sentences of another agent would read as the agent's own.
        if !of_agent {
            self.push_sentences(&message, told.as_deref());
        }
        let new = &self.facts[said..];
        self.since.is_settled |= new.iter().any(|fact| says_settled(&fact.text));
        self.since.causes += i32::from(new.iter().any(|fact| CAUSES.has_words(&fact.text)));
        self.since.messages += usize::from(!new.is_empty());
        self.since.reports += usize::from(is_report && !is_proposal && !of_agent);
        self.since.edits += self.later_edits.observe(turn);
        self.since.is_committed |= commits_in(turn);
    }

    /// Adds the places in which a message says that a fault lies, unless later messages deny or mend them.
    fn push_culprits(&mut self, message: &ReadMessage<'_>) {
        let since = message.overtaken.since;
        let answer = self.turns.get(message.number + 1);
        let is_denied = answer.is_some_and(|turn| complains(turn) || denies(turn));
        if let Some(culprits) = culprits_in(message.text) {
            self.names_culprits = true;
            let is_over = is_denied
                || since.is_settled
                || since.are_tests_passed
                || self.later_edits.name_any_of(&culprits)
                || names_in_code(&culprits).any(|name| self.denied.contains(name));
            if !is_over {
                let worth = CULPRIT_WORTH - self.loss_of_age(message.number);
                self.push(message, culprits, worth);
            }
        }
        let sentences = message.text.lines().flat_map(split_sentences);
        for sentence in sentences.filter(|sentence| DENIALS.has_words(sentence)) {
            self.denied
                .extend(names_in_code(sentence).map(str::to_owned));
        }
    }

    /// Adds what the list of a report tells. The report is another agent's if `of_agent`.
    fn push_recap(
        &mut self,
        message: &ReadMessage<'_>,
        mut recap: Recap,
        worth: i32,
        of_agent: bool,
    ) {
        if of_agent {
            recap.name_agent();
        }
        // What the newest request is about, the report before it often says.
        let is_past = message.number < self.starts.phase && self.since.reports > 0;
        let worth = if is_past { worth / 2 } else { worth };
        self.push(
            message,
            recap.text,
            worth - self.loss_of_age(message.number),
        );
        if let Some(fact) = self.facts.last_mut().filter(|_| !is_past) {
            fact.longer = recap.longer;
        }
    }

    /// Adds the sentences of a message that find something. `told` is what is told of the items of a report.
    fn push_sentences(&mut self, message: &ReadMessage<'_>, told: Option<&str>) {
        for scored in best_sentences(message.text, message.kind) {
            let text = scored.plain();
            if !self.seen.insert(text.clone()) || told.is_some_and(|told| told.contains(&text)) {
                continue;
            }
            // What was not seen long ago may have been found since.
            let since = self.turns.len() - message.number;
            if (since > NEW_MESSAGES && UNSEEN.has_words(&text))
                || (since > NEW_VIEWS && UNSHOWN.has_words(&text))
            {
                continue;
            }
            // A later commit says how far the work is.
            if message.overtaken.since.is_committed && DONE.has_words(&text) {
                continue;
            }
            let worth = self.worth_of(&scored, &text, message);
            self.push(message, text, worth);
        }
    }

    fn push(&mut self, message: &ReadMessage<'_>, text: String, worth: i32) {
        self.facts.push(Fact {
            kind: FactKind::Finding,
            text,
            worth,
            order: self.turns.len() - message.number,
            heading: None,
            is_pinned: false,
            longer: None,
        });
    }

    /// Returns what a sentence is worth. `text` is the sentence as it is written.
    fn worth_of(&self, scored: &ScoredSentence<'_>, text: &str, message: &ReadMessage<'_>) -> i32 {
        let recency = (message.number + 1) * RECENCY / self.turns.len().max(1);
        let by_score = if self.holds_records {
            RECORD_SCORE_WORTH * scored.score.min(MOST_RECORD_SCORE)
        } else {
            scored.worth()
        };
        let is_newest_report = message.overtaken.is_report && message.overtaken.since.reports == 0;
        let rank = i32::try_from(scored.rank).unwrap_or(0);
        i32::try_from(recency).unwrap_or(0)
            + (NEWEST_WORTH >> message.overtaken.since.messages.min(MOST_HALVINGS))
            + if is_newest_report { REPORT_WORTH } else { 0 }
            + by_score
            - message.kind.further_loss() * rank
            - if message.is_proposal {
                PROPOSAL_LOSS
            } else {
                0
            }
            - if is_over(text, message.overtaken)
                || is_mended(text, message.overtaken.since)
                || self.later_edits.are_about(text)
            {
                OVER_LOSS
            } else {
                0
            }
            - if CAUSES.has_words(text) {
                OLDER_CAUSE_LOSS * message.overtaken.since.causes.min(MOST_CAUSES)
            } else {
                0
            }
            - self.loss_of_age(message.number)
    }

    fn loss_of_age(&self, number: usize) -> i32 {
        if number < self.starts.task {
            FINISHED_LOSS
        } else if number < self.starts.phase {
            PHASE_LOSS
        } else {
            0
        }
    }
}

/// Returns true for a message in which a model thinks of what to answer: `The user wants me to …`.
fn thinks_aloud(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix(USER_OPENING);
    rest.is_some_and(|rest| WANTING_WORDS.iter().any(|words| rest.starts_with(words)))
}

/// The opening of such a message.
const USER_OPENING: &str = "The user ";

/// Returns true if a message asks at its end whether what it tells is to be done.
fn asks_for_leave(text: &str) -> bool {
    let last = text.trim_end().lines().next_back();
    last.is_some_and(|line| LEAVE.has_words(line))
}

/// Searches for the words of such a question.
static LEAVE: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[LEAVE_WORDS]));

/// Searches for words that deny that a fault lies somewhere.
static DENIALS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[CULPRIT_DENIALS]));
/// Searches for the words of what is done, and of what was not seen.
static DONE: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[DONE_WORDS]));
static UNSEEN: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[UNSEEN_WORDS]));
static UNSHOWN: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[UNSHOWN_WORDS]));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_thinks_of_what_the_user_wants() {
        assert!(thinks_aloud("The user wants me to mend the mill."));
        assert!(!thinks_aloud("The user table has a new index now."));
    }
}
