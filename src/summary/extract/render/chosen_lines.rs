//! Writes the chosen facts as the lines of their sections.

use super::fact_pool::FactPool;
use super::section_bodies::SectionBodies;
use crate::summary::extract::facts::fact::{Fact, FactKind};
use crate::summary::extract::labels::{
    CALL_MARK, CALLS_HEADING, CONSTRAINT, DEFINITIONS_HEADING, EARLIER, FINDING_MARK,
    FINDINGS_HEADING, LAST_ACTION, OUTLINES_HEADING, PASSAGES_HEADING, RECORDS, ROW_MARK, TIP,
    USER_HEADING, USER_QUOTE,
};
use crate::summary::extract::lex::clip::CLIP_MARK;

/// A fact that was chosen, with its text in the form that there is room for.
struct ChosenFact<'p> {
    fact: &'p Fact,
    text: &'p str,
}

/// Drops the quotations that only begin what a constraint says as a whole.
fn drop_begun_quotations(bodies: &mut SectionBodies) {
    let wishes: Vec<&str> = (bodies.earlier.iter())
        .filter_map(|line| line.strip_prefix(CONSTRAINT))
        .collect();
    let is_begun = |line: &str| {
        let begun = line
            .strip_prefix(USER_QUOTE)
            .and_then(|quoted| quoted.strip_suffix(CLIP_MARK));
        begun.is_some_and(|begun| wishes.iter().any(|wish| wish.starts_with(begun)))
    };
    bodies.requests.retain(|line| !is_begun(line));
    if bodies.requests.iter().all(|line| line == USER_HEADING) {
        bodies.requests.clear();
    }
}

impl FactPool {
    /// Puts the chosen facts into their sections.
    pub(crate) fn fill(&self, bodies: &mut SectionBodies) {
        bodies.earlier = self.earlier_lines();
        // A wish that a request shows is not said twice.
        let told = [bodies.goal.join("\n"), bodies.requests.join("\n")].join("\n");
        (bodies.earlier).retain(|line| {
            line.strip_prefix(CONSTRAINT)
                .is_none_or(|wish| !told.contains(wish))
        });
        drop_begun_quotations(bodies);
        bodies.findings = self.finding_lines();
        bodies.calls = self.call_lines();
        bodies.definitions = self.listed_lines(FactKind::Definition, DEFINITIONS_HEADING);
        bodies.outlines = self.listed_lines(FactKind::Outline, OUTLINES_HEADING);
        bodies.passages = self.listed_lines(FactKind::Passage, PASSAGES_HEADING);
        bodies.records = self.record_lines();
        bodies.last_action = self.last_action();
    }

    /// Returns the line of the last call, if it is chosen.
    fn last_action(&self) -> Vec<String> {
        self.chosen(FactKind::Call)
            .find(|chosen| Some(chosen.fact.order) == self.all.last_order)
            .map(|chosen| format!("{LAST_ACTION}{}", chosen.text))
            .into_iter()
            .collect()
    }

    fn chosen(&self, kind: FactKind) -> impl Iterator<Item = ChosenFact<'_>> {
        let facts = self.all.facts.iter().enumerate();
        let chosen = facts.filter(move |(at, fact)| self.is_chosen[*at] && fact.kind == kind);
        chosen.map(|(at, fact)| ChosenFact {
            fact,
            text: self.text_of(at),
        })
    }

    /// Returns the chosen facts of a kind in their order.
    fn in_order(&self, kind: FactKind) -> Vec<ChosenFact<'_>> {
        let mut facts: Vec<ChosenFact<'_>> = self.chosen(kind).collect();
        facts.sort_by_key(|chosen| chosen.fact.order);
        facts
    }

    /// Returns the lines of the chosen wishes and of the prose of earlier summaries.
    pub(crate) fn earlier_lines(&self) -> Vec<String> {
        [
            (FactKind::Constraint, CONSTRAINT),
            (FactKind::Tip, TIP),
            (FactKind::Earlier, EARLIER),
        ]
        .into_iter()
        .flat_map(|(kind, label)| {
            self.in_order(kind)
                .into_iter()
                .map(move |chosen| format!("{label}{}", chosen.text))
        })
        .collect()
    }

    /// Returns the lines of the chosen findings, newest first.
    pub(crate) fn finding_lines(&self) -> Vec<String> {
        let facts = self.in_order(FactKind::Finding);
        let heading = (!facts.is_empty()).then(|| FINDINGS_HEADING.to_owned());
        let lines = facts
            .into_iter()
            .map(|chosen| format!("{FINDING_MARK}{}", chosen.text));
        heading.into_iter().chain(lines).collect()
    }

    /// Returns the lines of the chosen calls, oldest first.
    pub(crate) fn call_lines(&self) -> Vec<String> {
        let mut facts = self.in_order(FactKind::Call);
        let listed = self.all.facts.iter();
        let listed = listed.filter(|fact| fact.kind == FactKind::Call).count();
        // One that only another section tells, like the writing of a file, is not missed.
        let are_all = self.all.holds_all_calls
            && facts.len() == listed
            && facts.len() + 1 >= self.all.call_count;
        // The last call stands in the final state.
        facts.retain(|chosen| Some(chosen.fact.order) != self.all.last_order);
        let heading = match facts.len() {
            0 => None,
            _ if are_all => Some(format!("{CALLS_HEADING}:")),
            shown => Some(format!(
                "{CALLS_HEADING} ({shown} of {}):",
                self.all.call_count
            )),
        };
        let lines = facts
            .into_iter()
            .map(|chosen| format!("{CALL_MARK}{}", chosen.text));
        heading.into_iter().chain(lines).collect()
    }

    /// Returns the chosen facts of a kind below a heading, oldest first.
    fn listed_lines(&self, kind: FactKind, heading: &str) -> Vec<String> {
        let facts = self.in_order(kind);
        let heading = (!facts.is_empty()).then(|| heading.to_owned());
        let lines = facts
            .into_iter()
            .map(|chosen| format!("{CALL_MARK}{}", chosen.text));
        heading.into_iter().chain(lines).collect()
    }

    /// Returns the lines of the chosen records: those of a heading together, oldest first. A heading
    /// says how many of its records are shown if it is not all of them.
    pub(crate) fn record_lines(&self) -> Vec<String> {
        let mut facts = self.in_order(FactKind::Record);
        facts.extend(self.in_order(FactKind::ShortRecord));
        facts.sort_by_key(|chosen| chosen.fact.order);
        let mut lines = Vec::new();
        for (number, heading) in self.all.headings.iter().enumerate() {
            let rows = facts
                .iter()
                .filter(|chosen| chosen.fact.heading == Some(number));
            let rows: Vec<String> = rows
                .map(|chosen| format!("{ROW_MARK}{}", chosen.text))
                .collect();
            if rows.is_empty() {
                continue;
            }
            let known = self.all.record_count(number);
            let more = if self.all.records_are_cut { "+" } else { "" };
            lines.push(if rows.len() < known || !more.is_empty() {
                format!("{RECORDS}({} of {known}{more}) {heading}", rows.len())
            } else {
                format!("{RECORDS}{heading}")
            });
            lines.extend(rows);
        }
        lines
    }
}
