//! Collects the facts that a summary may hold, with what they cost and what they name.

use super::section_shares::is_little;
use super::token_budget::TokenCount;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::facts::banned_lists::banned_lists;
use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::cures::find_cures;
use crate::summary::extract::facts::definitions::written_definitions;
use crate::summary::extract::facts::edit_digests::{DigestScope, EditDigests};
use crate::summary::extract::facts::fact::{Fact, FactKind};
use crate::summary::extract::facts::findings::{TaskStarts, find_findings};
use crate::summary::extract::facts::frequent_commands::frequent_commands;
use crate::summary::extract::facts::given_values::given_values;
use crate::summary::extract::facts::ledger::list_calls;
use crate::summary::extract::facts::ledger_state::LedgerScope;
use crate::summary::extract::facts::passages::{TaskWords, find_passages};
use crate::summary::extract::facts::question_answers::UserAnswer;
use crate::summary::extract::facts::read_files::OutlineScope;
use crate::summary::extract::facts::record_columns::LEAST_TABLE;
use crate::summary::extract::facts::record_tables::RecordTables;
use crate::summary::extract::facts::references::References;
use crate::summary::extract::facts::standing_wishes::standing_wishes;
use crate::summary::extract::facts::written_documents::document_findings;
use crate::summary::extract::labels::RUN_OFTEN;
use crate::summary::extract::lex::clip::floor_char;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::identifiers::{TextEncoding, scan_identifiers};
use crate::summary::extract::lex::name_parts::visit_parts;
use hashbrown::HashSet;

/// Number of tokens of the budget for each fact of a kind that is considered.
const TOKENS_PER_FACT: usize = 8;
/// Minimum number of facts of a kind that are considered.
const LEAST_FACTS: usize = 12;
/// The worth of what the user chose, of a choice that much was done since, and its maximum length in bytes.
const ANSWER_WORTH: i32 = 4500;
const OLD_ANSWER_WORTH: i32 = 2000;
const LONGEST_ANSWER: usize = 260;
/// Number of messages from which on a choice is old.
const OLD_ANSWER: usize = 60;
/// Maximum number of answers of the user that stand with the wishes, the newest.
const MOST_ANSWERS: usize = 12;
/// Number of messages for each finding of an agent that says little.
const MESSAGES_PER_FINDING: usize = 12;
/// Number of calls from which on the work has begun.
const BEGUN_CALLS: usize = 3;
/// Tokens of the mark before a line and of its end.
const LINE_TOKENS: usize = 2;
/// Tokens of the count in the heading of records that are not all shown.
const COUNT_TOKENS: usize = 6;

/// The facts that a summary may hold, with what they cost and name.
pub(super) struct FactCandidates {
    pub(super) facts: Vec<Fact>,
    /// The headings of the records.
    pub(super) headings: Vec<String>,
    /// Number of records of each heading that no fact holds: an earlier summary left them out.
    hidden: Vec<usize>,
    /// Older results were not read. They may hold more records.
    pub(super) records_are_cut: bool,
    /// The facts that need each heading.
    pub(super) rows: Vec<Vec<usize>>,
    /// The tokens of each fact and of each heading.
    pub(super) costs: Vec<usize>,
    pub(super) heading_costs: Vec<usize>,
    /// The references that each fact names.
    pub(super) named: Vec<Vec<usize>>,
    /// The facts that tell the same as each fact: what edits added to the file of a call, and the reverse; the record
    /// that a call made.
    pub(super) twins: Vec<Vec<usize>>,
    /// Number of calls in the conversation.
    pub(super) call_count: usize,
    /// All calls that say something are facts: no older ones were left out.
    pub(super) holds_all_calls: bool,
    /// The order of the last call, which stands in the final state.
    pub(super) last_order: Option<usize>,
    /// Most results are records.
    pub(super) is_tabular: bool,
}

impl FactCandidates {
    /// Collects the facts that a budget of `budget` tokens could hold.
    pub(super) fn collect(
        facts: &mut ConversationFacts<'_>,
        budget: usize,
        count: TokenCount<'_>,
    ) -> Self {
        let most = (budget / TOKENS_PER_FACT).max(LEAST_FACTS);
        let mut records = RecordTables::collect(&facts.exchanges.all, most);
        records.drop_kept(&facts.kept_records);
        let is_tabular = records.is_tabular();
        facts.references.weigh(is_tabular);
        if is_tabular && !is_little(budget) {
            facts.references.owners = records.owners(&facts.references);
        }
        let begin = facts.requests.task_start();
        let (mut all, mut headings) = records.facts(&facts.references, facts.turns.len(), begin);
        // What earlier summaries hold stands before what came later.
        let earlier_count = facts.earlier.lines.len();
        for fact in &mut all {
            fact.order += earlier_count;
        }
        all.extend((facts.earlier).facts(&records, &mut headings, &facts.references));
        all.extend(facts.frame.facts(facts.exchanges.all.len() >= BEGUN_CALLS));
        all.extend(answer_facts(&facts.user_answers, facts.turns.len()));
        all.extend(given_values(facts.requests.current_task()));
        all.extend(standing_wishes(facts.requests.current_task(), &facts.files));
        all.extend(banned_lists(facts.requests.current_task()));
        let starts = TaskStarts {
            task: begin,
            phase: facts.requests.phase_start(facts.turns.len()),
        };
        let mut findings = find_findings(facts.turns, most / 2, starts, is_tabular);
        // An agent that says little writes down what it found.
        if !is_tabular && findings.len() * MESSAGES_PER_FINDING < facts.turns.len() {
            findings.extend(document_findings(&facts.exchanges.all, facts.turns.len()));
        }
        if !is_tabular {
            findings.extend(find_cures(&facts.exchanges.all, facts.turns.len()));
        }
        let words = task_words(facts);
        findings.retain(|finding| {
            !facts.state.shows(&finding.text)
                && !facts.requests.tells(&finding.text)
                && !words.hold_all_of(&finding.text)
        });
        all.extend(findings);
        let digests = if is_tabular {
            EditDigests::default()
        } else {
            EditDigests::collect(&DigestScope {
                exchanges: &facts.exchanges.all,
                files: &facts.files,
                words: &words,
                message_count: facts.turns.len(),
                phase: starts.phase,
                most,
            })
        };
        let calls = call_facts(facts, &records, &digests.files, most);
        all.extend(digests.facts);
        let holds_all_calls = calls.len() < most && facts.earlier.hidden_calls == 0;
        let names_commands = |fact: &Fact| fact.text.starts_with(RUN_OFTEN);
        // What is run often now says more than what an earlier summary says.
        if calls.iter().any(names_commands) {
            all.retain(|fact| !names_commands(fact));
        }
        all.extend(calls.into_iter().map(|fact| Fact {
            order: fact.order + earlier_count,
            ..fact
        }));
        if !is_tabular {
            all.extend(written_definitions(
                &facts.exchanges.all,
                &facts.files,
                facts.turns.len(),
                starts.phase,
                most,
            ));
            all.extend(facts.reads.outlines(&OutlineScope {
                exchanges: &facts.exchanges.all,
                files: &facts.files,
                words: &words,
                kept: &facts.work_in_hand.kept_lines,
                message_count: facts.turns.len(),
                phase: starts.phase,
                most,
            }));
            let mut passages = passage_facts(facts, &words, most);
            passages.retain(|passage| !all.iter().any(|fact| tells(fact, &passage.text)));
            all.extend(passages);
        }
        all.retain(|fact| !is_off(fact.kind));
        let last_call = facts.exchanges.all.len().checked_sub(1);
        let rows = rows_of_headings(&all, headings.len());
        let count_tokens = |heading: usize| {
            let has_many = rows[heading].len() >= LEAST_TABLE;
            if has_many { COUNT_TOKENS } else { 0 }
        };
        Self {
            costs: (all.iter())
                .map(|fact| count(&fact.text) + LINE_TOKENS)
                .collect(),
            heading_costs: (headings.iter().enumerate())
                .map(|(at, text)| count(text) + LINE_TOKENS + count_tokens(at))
                .collect(),
            rows,
            hidden: facts.earlier.hidden_records(&headings),
            // Among prose and code a record is one fact among others.
            records_are_cut: is_tabular && records.is_cut,
            named: (all.iter())
                .map(|fact| named_references(&fact.text, &facts.references))
                .collect(),
            twins: twins_of(&all),
            facts: all,
            headings,
            call_count: facts.exchanges.all.len() + facts.earlier.call_count(),
            holds_all_calls,
            last_order: last_call
                .filter(|_| !facts.state.goes_on)
                .map(|last| earlier_count + last),
            is_tabular,
        }
    }
}

impl FactCandidates {
    /// Returns the number of records that a heading stands for.
    pub(super) fn record_count(&self, heading: usize) -> usize {
        let rows = self.rows[heading].iter();
        let known = rows.filter(|&&at| self.facts[at].kind == FactKind::Record);
        known.count() + self.hidden[heading]
    }
}

/// Returns what the user answered to questions of tools in `message_count` messages, the newest answers.
fn answer_facts(answers: &[UserAnswer], message_count: usize) -> impl Iterator<Item = Fact> {
    let newest = answers.iter().rev().take(MOST_ANSWERS).rev();
    newest.map(move |answer| Fact {
        kind: FactKind::Constraint,
        text: fold_line(&answer.text, LONGEST_ANSWER).into_owned(),
        worth: if answer.message + OLD_ANSWER < message_count {
            OLD_ANSWER_WORTH
        } else {
            ANSWER_WORTH
        },
        order: 0,
        heading: None,
        is_pinned: false,
        longer: None,
    })
}

/// Returns the calls, at most `most` of them, behind the line of those that were run often.
fn call_facts(
    facts: &ConversationFacts<'_>,
    records: &RecordTables<'_>,
    digested: &HashSet<String>,
    most: usize,
) -> Vec<Fact> {
    let scope = LedgerScope {
        told: &records.told,
        answers: &facts.user_answers,
        is_tabular: records.is_tabular(),
        digested,
        message_count: facts.turns.len(),
        begin: facts.requests.task_start(),
        most,
        goes_on: facts.state.goes_on,
    };
    let mut calls = list_calls(&facts.exchanges, scope);
    if let Some(frequent) = frequent_commands(&facts.exchanges.all) {
        // It says as much as a run without an outcome.
        calls.retain(|call| !frequent.text.contains(&format!("`{}`", call.text)));
        calls.insert(0, frequent);
    }
    calls
}

/// Returns the words of the requests of the current task.
fn task_words(facts: &ConversationFacts<'_>) -> TaskWords {
    let mut words = TaskWords::default();
    for request in facts.requests.current_task() {
        words.add(&request.text);
    }
    words
}

/// Returns the lines of results in which the best references stand, at most `most` of them.
fn passage_facts(facts: &ConversationFacts<'_>, words: &TaskWords, most: usize) -> Vec<Fact> {
    find_passages(
        facts.turns,
        &facts.references,
        words,
        &facts.work_in_hand.kept_lines,
        most,
    )
}

/// Returns the indices of the facts that need each of `count` headings.
fn rows_of_headings(facts: &[Fact], count: usize) -> Vec<Vec<usize>> {
    let mut rows = vec![Vec::new(); count];
    for (at, fact) in facts.iter().enumerate() {
        if let Some(heading) = fact.heading {
            rows[heading].push(at);
        }
    }
    rows
}

/// Returns true if the outcome of a call holds the beginning of a line.
fn tells(fact: &Fact, line: &str) -> bool {
    let start = &line[..floor_char(line, KNOWN_LENGTH)];
    fact.kind == FactKind::Call && fact.text.contains(start)
}

/// Returns the facts in whose place each fact need not stand.
fn twins_of(facts: &[Fact]) -> Vec<Vec<usize>> {
    let of_kind = |kind: FactKind| {
        let facts = facts.iter().enumerate();
        facts.filter(move |(_, fact)| fact.kind == kind)
    };
    let mut twins = vec![Vec::new(); facts.len()];
    for (call, added) in of_kind(FactKind::Call).filter_map(|(at, fact)| {
        let (_, added) = fact.text.split_once(ADDED_LINES)?;
        // A sum in a command is no edit.
        let added = (added.len() >= LEAST_ADDED).then_some(added)?;
        Some((at, &added[..floor_char(added, KNOWN_LENGTH)]))
    }) {
        for (digest, fact) in of_kind(FactKind::Definition) {
            if fact.text.contains(added) {
                twins[call].push(digest);
                twins[digest].push(call);
            }
        }
    }
    for (record, fact) in of_kind(FactKind::Record) {
        let Some(row) = made_row(&fact.text) else {
            continue;
        };
        for (call, _) in of_kind(FactKind::Call).filter(|(_, call)| row.tells(&call.text)) {
            // The row says more than the line.
            twins[call].push(record);
        }
    }
    twins
}

/// A row of a record, and the call that made it.
struct MadeRow<'f> {
    tool: &'f str,
    values: &'f str,
}

impl MadeRow<'_> {
    /// Returns true if the row holds all that the line of a call says: the values that the call gave and, as a word of
    /// its outcome, the key of the record.
    fn tells(&self, call: &str) -> bool {
        let told = call.strip_prefix(self.tool);
        told.and_then(|told| told.strip_prefix(' ')?.split_once(OUTCOME))
            .is_some_and(|(given, outcome)| self.holds(given) && self.is_keyed_by(outcome))
    }

    /// Returns true if the row holds each of the values that a call gave: `organization mills, name old-mill`.
    fn holds(&self, given: &str) -> bool {
        given.split(VALUE_END).all(|value| {
            let value = value.split_once(' ').map_or(value, |(_, value)| value);
            self.values.contains(value)
        })
    }

    /// Returns true if a word of the outcome is the first value of the row with a digit.
    fn is_keyed_by(&self, outcome: &str) -> bool {
        let mut words = self.values.split(WORD_ENDS);
        let has_digit = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
        let key = words.find(has_digit).unwrap_or_default();
        !key.is_empty() && outcome.split(WORD_ENDS).any(|word| word == key)
    }
}

/// Reads which call made a record: `id: 114, url: … [create_repository]`. Returns `None` if none is named.
fn made_row(row: &str) -> Option<MadeRow<'_>> {
    let (values, tool) = row.strip_suffix(']')?.rsplit_once(" [")?;
    Some(MadeRow { tool, values })
}

/// Before the outcome of a call, between the values that it gave, and between words.
const OUTCOME: &str = " -> ";
const VALUE_END: &str = ", ";
const WORD_ENDS: [char; 4] = [' ', ',', '|', ':'];

/// Before the lines that an edit added, and the least bytes by which they are known.
const ADDED_LINES: &str = " + ";
const LEAST_ADDED: usize = 12;
/// Number of bytes at the start of a line by which it is known again.
const KNOWN_LENGTH: usize = 40;

/// Returns true if a build for measurements leaves out the facts of a kind.
fn is_off(kind: FactKind) -> bool {
    match kind {
        FactKind::Finding => SummaryRule::Findings.is_off(),
        FactKind::Call => SummaryRule::Calls.is_off(),
        FactKind::Record => SummaryRule::Records.is_off(),
        FactKind::ShortRecord => {
            SummaryRule::Records.is_off() || SummaryRule::ShortRecords.is_off()
        }
        FactKind::Definition => SummaryRule::Definitions.is_off(),
        FactKind::Outline => SummaryRule::Outlines.is_off(),
        FactKind::Passage => SummaryRule::Passages.is_off(),
        FactKind::Constraint | FactKind::Tip | FactKind::Earlier => false,
    }
}

/// Returns the indices of the references that a text names.
fn named_references(text: &str, references: &References<'_>) -> Vec<usize> {
    let mut named = Vec::new();
    let mut push = |name: &str| {
        visit_parts(name, &mut |part| named.extend(references.index_of(part)));
    };
    scan_identifiers(text, TextEncoding::Plain, &mut |identifier, _, _| {
        push(identifier)
    });
    named
}
