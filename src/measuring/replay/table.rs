//! The table of several policies side by side: the savings of each, and how
//! often it breaks the prompt cache.

use crate::measuring::replay::prompt_cache::{CallSums, InputCost};
use crate::measuring::replay::thread_report::ReplayTotals;
use crate::reporting::report::numbers::{group_count, percent_change};
use crate::reporting::report::terminal_text::{counters_line, plain_table, render_fitting};
use crate::reporting::report::{RedactionCounts, SummaryUsageTotals, wrap_lines};
use std::collections::BTreeSet;

/// The name of the column without any policy.
const AS_LOGGED: &str = "(as logged)";
/// The cell of an unknown cost.
const UNKNOWN: &str = "-";

/// The names of the rows.
const FIGURES: [&str; 11] = [
    "calls", "tokens sent", "change", "compactions", "largest call", "refused calls", "cached",
    "not cached", "change", "cost $", "cost with cache $",
];

struct ReplayColumn<'t> {
    name: &'t str,
    calls: u64,
    sums: &'t CallSums,
    /// The number of compactions. None in the column as logged.
    compactions: Option<u64>,
    largest_call: usize,
    refused_calls: u64,
    cost: Option<InputCost>,
    /// The calls as logged, for comparison. None in the column as logged.
    logged: Option<&'t CallSums>,
}

impl<'t> ReplayColumn<'t> {
    /// Returns the column of the log without any policy.
    fn as_logged(name: &'t str, totals: &'t ReplayTotals) -> Self {
        Self {
            name,
            calls: totals.calls,
            sums: &totals.logged,
            compactions: None,
            largest_call: totals.largest_logged,
            refused_calls: totals.refused_calls_logged,
            cost: totals.cost.map(|cost| cost.logged),
            logged: None,
        }
    }

    fn under_policy(name: &'t str, totals: &'t ReplayTotals) -> Self {
        Self {
            name,
            calls: totals.calls,
            sums: &totals.sent,
            compactions: Some(totals.compactions),
            largest_call: totals.largest_call,
            refused_calls: totals.refused_calls,
            cost: totals.cost.map(|cost| cost.sent),
            logged: Some(&totals.logged),
        }
    }

    fn cells(&self) -> [String; 11] {
        let [tokens_change, uncached_change] = match self.logged {
            Some(logged) => [
                percent_change(logged.tokens, self.sums.tokens),
                percent_change(logged.uncached(), self.sums.uncached()),
            ],
            None => Default::default(),
        };
        [
            group_count(self.calls),
            group_count(self.sums.tokens),
            tokens_change,
            self.compactions.map(group_count).unwrap_or_default(),
            group_count(self.largest_call as u64),
            group_count(self.refused_calls),
            format_cached_share(self.sums),
            group_count(self.sums.uncached()),
            uncached_change,
            format_dollars(self.cost.map(|cost| cost.uncached)),
            format_dollars(self.cost.and_then(|cost| cost.cached)),
        ]
    }
}

/// Renders the table, with a column for the log as it is and a column for each policy, and notes
/// below it. Policies with the same counters form a group behind a column of the log as these
/// counters count it.
pub(crate) fn render_policies(policies: &[(String, ReplayTotals)], width: usize) -> String {
    let Some((_, first)) = policies.first() else {
        return String::new();
    };
    let groups = group_by_counters(policies);
    let mut header = vec![String::new()];
    let mut columns = Vec::new();
    for group in &groups {
        let Some((_, first)) = group.first() else {
            continue;
        };
        let name =
            if groups.len() > 1 { name_as_logged(&first.counters) } else { AS_LOGGED.to_owned() };
        let logged = ReplayColumn::as_logged(&name, first);
        let policies = group.iter();
        let policies = policies.map(|(name, totals)| ReplayColumn::under_policy(name, totals));
        for column in std::iter::once(logged).chain(policies) {
            header.push(column.name.to_owned());
            columns.push(column.cells());
        }
    }
    let mut out = render_figures(&header, &columns, width);
    if groups.len() == 1 {
        out.push_str(&counters_line(&first.counters));
    }
    for (name, totals) in policies {
        out.push_str(&render_notes(name, totals));
    }
    let unpriced = first.calls_without_price;
    if unpriced > 0 {
        out.push_str(&format!(
            "no price is known for the model of {} of {} calls; --prices names it\n",
            group_count(unpriced),
            group_count(first.calls)
        ));
    }
    if first.cost.is_some_and(|cost| cost.logged.cached.is_none()) {
        out.push_str("no price is known for cached input; --prices names it\n");
    }
    wrap_lines(&out, width)
}

/// Renders a row for each figure that has a value.
fn render_figures(header: &[String], columns: &[[String; 11]], width: usize) -> String {
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut table = plain_table(&header, 1);
    for (row, figure) in FIGURES.into_iter().enumerate() {
        let cells = columns.iter().map(|column| column[row].as_str());
        if cells.clone().any(|cell| !cell.is_empty() && cell != UNKNOWN) {
            table.add_row(std::iter::once(figure).chain(cells));
        }
    }
    render_fitting(&table, 1, width)
}

/// Groups the policies by their counters, in the order of the first policy of each group.
fn group_by_counters(policies: &[(String, ReplayTotals)]) -> Vec<Vec<&(String, ReplayTotals)>> {
    let mut groups: Vec<Vec<&(String, ReplayTotals)>> = Vec::new();
    for policy in policies {
        let group = groups.iter_mut().find(|group| {
            group.first().is_some_and(|(_, first)| first.counters == policy.1.counters)
        });
        match group {
            Some(group) => group.push(policy),
            None => groups.push(vec![policy]),
        }
    }
    groups
}

/// Returns the name of the column without any policy where several counters are in use.
fn name_as_logged(counters: &BTreeSet<&str>) -> String {
    let names: Vec<&str> = std::iter::once("as logged").chain(counters.iter().copied()).collect();
    format!("({})", names.join(", "))
}

/// Renders the line of notable counts of a policy. Returns an empty text if there are none.
fn render_notes(name: &str, totals: &ReplayTotals) -> String {
    let counts = [
        (totals.sent.broken, "call found the cache broken", "calls found the cache broken"),
        (totals.sent.expired, "found it expired", "found it expired"),
        (totals.truncated_calls, "call with truncated arguments", "calls with truncated arguments"),
        (totals.evicted, "result evicted", "results evicted"),
        (totals.failed_summaries, "summary failed", "summaries failed"),
        (totals.failed, "transcript failed", "transcripts failed"),
        (totals.samples, "sample", "samples"),
        (totals.samples_too_long, "of them too long", "of them too long"),
    ];
    let mut notes: Vec<String> = counts
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, singular, plural)| {
            let noun = if count == 1 { singular } else { plural };
            format!("{} {noun}", group_count(count))
        })
        .collect();
    notes.extend(totals.asked.as_ref().map(SummaryUsageTotals::summary_line));
    notes.extend(totals.redacted.map(RedactionCounts::summary_line));
    if notes.is_empty() { String::new() } else { format!("{name}: {}\n", notes.join(", ")) }
}

fn format_dollars(dollars: Option<f64>) -> String {
    dollars.map_or_else(|| UNKNOWN.to_owned(), |dollars| format!("{dollars:.4}"))
}

/// Formats the share of tokens that is read from the cache.
fn format_cached_share(sums: &CallSums) -> String {
    #[expect(clippy::cast_precision_loss)]
    let percent =
        if sums.tokens == 0 { 0.0 } else { sums.cached as f64 / sums.tokens as f64 * 100.0 };
    format!("{percent:.1} %")
}
