//! Several policies side by side: what each saves, beside the cache it breaks.

use crate::replay::cache::CallSums;
use crate::replay::report::{Dollars, Totals};
use crate::report::numbers::{group_digits, percent_change};
use crate::report::table::{counters_line, plain_table};
use crate::report::{RedactionCounts, SummaryUsageTotals};
use std::collections::BTreeSet;

/// How the row without any policy is called.
const AS_LOGGED: &str = "(as logged)";
const UNKNOWN: &str = "-";

/// The table: a row for the log as it is, and one for each policy. Where policies count differently, those that count
/// alike stand together below a row of the log as they count it.
pub(crate) fn render(policies: &[(String, Totals)]) -> String {
    let Some((_, first)) = policies.first() else {
        return String::new();
    };
    let number = |value: u64| group_digits(i64::try_from(value).unwrap_or(i64::MAX));
    let header = [
        "policy",
        "calls",
        "tokens sent",
        "change",
        "compactions",
        "largest call",
        "refused",
        "cached",
        "not cached",
        "change",
        "cost $",
        "with cache $",
    ];
    let mut table = plain_table(&header, 1);
    let mut row = |name: &str,
                   calls: u64,
                   sums: &CallSums,
                   compactions: String,
                   largest: usize,
                   refused: u64,
                   cost: Option<Dollars>,
                   logged: Option<&CallSums>| {
        let fresh = |sums: &CallSums| sums.tokens - sums.cached;
        let [sent, not_cached] = logged.map_or_else(Default::default, |logged| {
            [
                percent_change(logged.tokens, sums.tokens),
                percent_change(fresh(logged), fresh(sums)),
            ]
        });
        let dollars = |dollars: Option<f64>| {
            dollars.map_or_else(|| UNKNOWN.to_owned(), |dollars| format!("{dollars:.4}"))
        };
        table.add_row([
            name.to_owned(),
            number(calls),
            number(sums.tokens),
            sent,
            compactions,
            number(largest as u64),
            number(refused),
            share(sums),
            number(fresh(sums)),
            not_cached,
            dollars(cost.map(|cost| cost.uncached)),
            dollars(cost.and_then(|cost| cost.cached)),
        ]);
    };
    let groups = alike(policies);
    for group in &groups {
        let Some((_, first)) = group.first() else {
            continue;
        };
        let name = if groups.len() > 1 {
            as_logged(&first.counters)
        } else {
            AS_LOGGED.to_owned()
        };
        let cost = first.cost.map(|cost| cost.logged);
        row(
            &name,
            first.calls,
            &first.logged,
            String::new(),
            first.largest_logged,
            first.refused_calls_logged,
            cost,
            None,
        );
        for (name, totals) in group {
            let cost = totals.cost.map(|cost| cost.sent);
            row(
                name,
                totals.calls,
                &totals.sent,
                number(totals.compactions),
                totals.largest_call,
                totals.refused_calls,
                cost,
                Some(&totals.logged),
            );
        }
    }
    let mut out: String = table
        .to_string()
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect();
    if groups.len() == 1 {
        out.push_str(&counters_line(&first.counters));
    }
    for (name, totals) in policies {
        out.push_str(&notes(name, totals));
    }
    let unpriced = first.calls_without_price;
    if unpriced > 0 {
        out.push_str(&format!(
            "no price is known for the model of {} of {} calls; --prices names it\n",
            number(unpriced),
            number(first.calls)
        ));
    }
    if first.cost.is_some_and(|cost| cost.logged.cached.is_none()) {
        out.push_str("no price is known for cached input; --prices names it\n");
    }
    out
}

/// The policies by who counted for them, each group where its first policy was named.
fn alike(policies: &[(String, Totals)]) -> Vec<Vec<&(String, Totals)>> {
    let mut groups: Vec<Vec<&(String, Totals)>> = Vec::new();
    for policy in policies {
        match groups.iter_mut().find(|group| {
            group
                .first()
                .is_some_and(|(_, first)| first.counters == policy.1.counters)
        }) {
            Some(group) => group.push(policy),
            None => groups.push(vec![policy]),
        }
    }
    groups
}

/// How the row without any policy is called where others count differently.
fn as_logged(counters: &BTreeSet<&str>) -> String {
    let names: Vec<&str> = std::iter::once("as logged")
        .chain(counters.iter().copied())
        .collect();
    format!("({})", names.join(", "))
}

/// What is worth a word about one policy.
fn notes(name: &str, totals: &Totals) -> String {
    let mut notes = Vec::new();
    let mut note = |count: u64, one: &str, many: &str| {
        if count > 0 {
            let what = if count == 1 { one } else { many };
            notes.push(format!(
                "{} {what}",
                group_digits(i64::try_from(count).unwrap_or(i64::MAX))
            ));
        }
    };
    note(
        totals.sent.broken,
        "call found the cache broken",
        "calls found the cache broken",
    );
    note(totals.sent.expired, "found it expired", "found it expired");
    note(
        totals.truncated_calls,
        "call with truncated arguments",
        "calls with truncated arguments",
    );
    note(totals.evicted, "result evicted", "results evicted");
    note(
        totals.failed_summaries,
        "summary failed",
        "summaries failed",
    );
    note(totals.failed, "transcript failed", "transcripts failed");
    note(totals.samples, "sample", "samples");
    note(
        totals.samples_too_long,
        "of them too long",
        "of them too long",
    );
    notes.extend(totals.asked.as_ref().map(SummaryUsageTotals::summary_line));
    notes.extend(totals.redacted.map(RedactionCounts::summary_line));
    if notes.is_empty() {
        String::new()
    } else {
        format!("{name}: {}\n", notes.join(", "))
    }
}

fn share(sums: &CallSums) -> String {
    #[expect(clippy::cast_precision_loss)]
    let percent = if sums.tokens == 0 {
        0.0
    } else {
        sums.cached as f64 / sums.tokens as f64 * 100.0
    };
    format!("{percent:.1} %")
}
