//! Finds what made a tool work that had failed: arguments that it lacked, or another tool for the same thing.

use super::call_form::{CallForm, CalledTool};
use super::call_lines::is_shell_name;
use super::exchanges::Exchange;
use super::fact::{Fact, FactKind};
use crate::summary::extract::lex::argument_leaves::{LeafValue, visit_leaves};
use hashbrown::HashSet;

/// Number of later calls among which the cure of a failure is looked for.
const MOST_LATER: usize = 4;
/// Maximum number of cures that are told, the newest, and of arguments that are named.
const MOST_CURES: usize = 2;
const MOST_ARGUMENTS: usize = 4;
/// Minimum and maximum length in bytes of a value by which two calls are known to want the same.
const LEAST_SHARED: usize = 8;
const LONGEST_SHARED: usize = 200;
/// The worth of a cure in the newest message. That of others falls evenly to `LEAST_WORTH` in the first.
const WORTH: usize = 1800;
const LEAST_WORTH: i32 = 2600;

/// Returns what made tools work that had failed, newest first. `message_count` is the number of messages.
pub(crate) fn find_cures(exchanges: &[Exchange<'_>], message_count: usize) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    let mut told = HashSet::new();
    for (at, exchange) in exchanges.iter().enumerate().rev() {
        let Some(failed) = named_tool(exchange).filter(|_| exchange.failed) else {
            continue;
        };
        // The newest failure of a tool says how it stands.
        if !told.insert(failed.name) {
            continue;
        }
        let later = exchanges[at + 1..].iter().take(MOST_LATER);
        let Some(text) = later
            .filter(|later| !later.failed && later.result.is_some())
            .find_map(|later| cure_of(failed, named_tool(later)?))
        else {
            continue;
        };
        let recency = (exchange.message + 1) * WORTH / message_count.max(1);
        facts.push(Fact {
            kind: FactKind::Finding,
            text,
            worth: LEAST_WORTH + i32::try_from(recency).unwrap_or(0),
            order: message_count - exchange.message.min(message_count),
            heading: None,
            is_pinned: false,
        });
        if facts.len() >= MOST_CURES {
            break;
        }
    }
    facts
}

/// Returns the tool that a call names. Returns `None` for a shell: its commands say more than its name.
fn named_tool<'r>(exchange: &Exchange<'r>) -> Option<CalledTool<'r>> {
    match exchange.call {
        CallForm::Tool(call) if !is_shell_name(call.name) => Some(call),
        _ => None,
    }
}

/// Tells how a call did what a failed one was to do. Returns `None` if it is about something else.
fn cure_of(failed: CalledTool<'_>, worked: CalledTool<'_>) -> Option<String> {
    let (before, after) = (CallArguments::of(failed), CallArguments::of(worked));
    if before.values.is_disjoint(&after.values) {
        return None;
    }
    let name = failed.name;
    if failed.name != worked.name {
        return Some(format!("`{name}` failed, `{}` worked", worked.name));
    }
    let mut added = after
        .keys
        .iter()
        .filter(|key| !before.keys.contains(key))
        .peekable();
    added.peek()?;
    let added: Vec<String> = added
        .take(MOST_ARGUMENTS)
        .map(|key| format!("`{key}`"))
        .collect();
    Some(format!("`{name}` failed until it had {}", added.join(", ")))
}

/// The arguments of a call.
struct CallArguments {
    /// The names of the arguments, in their order.
    keys: Vec<String>,
    /// The texts that may tell what the call is about.
    values: HashSet<String>,
}

impl CallArguments {
    fn of(call: CalledTool<'_>) -> Self {
        let mut arguments = Self {
            keys: Vec::new(),
            values: HashSet::new(),
        };
        visit_leaves(call.arguments, &mut |key, leaf| {
            if !key.name.is_empty() && !arguments.keys.iter().any(|known| known == key.name) {
                arguments.keys.push(key.name.to_owned());
            }
            if let LeafValue::String(_) = leaf
                && let Some(value) = leaf.decode_start(LONGEST_SHARED + 1)
                && (LEAST_SHARED..=LONGEST_SHARED).contains(&value.len())
            {
                arguments.values.insert(value.into_owned());
            }
        });
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::exchanges::Exchanges;

    fn cures_of(calls: &[(&str, &str, bool)]) -> Vec<String> {
        let mut exchanges = Exchanges::default();
        for (number, (name, arguments, failed)) in calls.iter().enumerate() {
            let index = exchanges.push_call(number, CallForm::Tool(CalledTool { name, arguments }));
            exchanges.set_result(index, "a result", *failed);
        }
        let cures = find_cures(&exchanges.all, calls.len());
        cures.into_iter().map(|fact| fact.text).collect()
    }

    #[test]
    fn what_made_a_tool_work_is_told() {
        let page = r#"{"url": "https://mill.example/pump"}"#;
        assert_eq!(
            cures_of(&[
                ("cite", r#"{"source": "mill.example"}"#, true),
                (
                    "cite",
                    r#"{"source": "mill.example", "authors": ["Mia"], "year": 2025}"#,
                    false
                ),
                ("fetch_url", page, true),
                (
                    "extract",
                    r#"{"urls": ["https://mill.example/pump"]}"#,
                    false
                ),
            ]),
            [
                "`fetch_url` failed, `extract` worked",
                "`cite` failed until it had `authors`, `year`"
            ]
        );
        // Another page is another thing, and a shell has commands.
        assert!(
            cures_of(&[
                ("fetch_url", page, true),
                ("extract", r#"{"urls": ["https://other.example"]}"#, false)
            ])
            .is_empty()
        );
        assert!(
            cures_of(&[
                ("bash", r#"{"command": "make pump"}"#, true),
                ("bash", r#"{"command": "make pump", "timeout": "9"}"#, false)
            ])
            .is_empty()
        );
        assert!(cures_of(&[("fetch_url", page, true), ("extract", page, true)]).is_empty());
    }
}
