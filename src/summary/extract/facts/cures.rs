//! Finds what made a tool work that had failed: arguments that it lacked, or another tool for the same thing.

use super::call_effects::CallWeight;
use super::call_failures::is_refusal;
use super::call_form::{CallForm, CalledTool};
use super::call_lines::is_shell_name;
use super::exchanges::Exchange;
use super::fact::{Fact, FactKind};
use crate::summary::extract::lex::argument_leaves::{LeafValue, visit_leaves};
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::result_text::{read_result_start, result_lines};
use hashbrown::HashSet;

/// Number of later calls among which the cure of a failure is looked for.
const MOST_LATER: usize = 4;
/// Maximum number of cures that are told, the newest, and of arguments that are named.
const MOST_CURES: usize = 2;
const MOST_ARGUMENTS: usize = 4;
/// Minimum and maximum length in bytes of a value by which two calls are known to want the same.
const LEAST_SHARED: usize = 8;
const LONGEST_SHARED: usize = 200;
/// Maximum length in bytes of why a tool failed.
const LONGEST_REASON: usize = 90;
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
        // One failure may be a slip, and the newest says how the tool stands.
        let is_refused = exchange.result.is_some_and(is_refusal);
        let again = exchanges[..at].iter().any(|earlier| {
            earlier.failed && named_tool(earlier).is_some_and(|tool| tool.name == failed.name)
        });
        if !(is_refused || again) || !told.insert(failed.name) {
            continue;
        }
        let later = exchanges[at + 1..].iter().take(MOST_LATER);
        let Some(text) = later
            .filter(|later| !later.failed && later.result.is_some())
            // Who looks at what could not be changed has not changed it.
            .filter(|later| {
                later.weight() != CallWeight::Looks || exchange.weight() == CallWeight::Looks
            })
            .find_map(|later| cure_of(failed, later))
        else {
            continue;
        };
        let text = with_reason(text, exchange);
        let recency = (exchange.message + 1) * WORTH / message_count.max(1);
        facts.push(Fact {
            kind: FactKind::Finding,
            text,
            worth: LEAST_WORTH + i32::try_from(recency).unwrap_or(0),
            order: message_count - exchange.message.min(message_count),
            heading: None,
            is_pinned: false,
            longer: None,
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

/// Adds why a call failed: the first line of its result.
fn with_reason(text: String, failed: &Exchange<'_>) -> String {
    let reason = failed.result.and_then(|result| {
        let read = read_result_start(result, LONGEST_REASON * 2);
        let line = result_lines(&read.text).next()?;
        Some(fold_line(line, LONGEST_REASON).into_owned())
    });
    match reason.filter(|reason| !reason.is_empty()) {
        Some(reason) => format!("{text} ({reason})"),
        None => text,
    }
}

/// Tells how a call did what a failed one was to do. Returns `None` if it is about something else.
fn cure_of(failed: CalledTool<'_>, worked: &Exchange<'_>) -> Option<String> {
    let name = failed.name;
    let before = CallArguments::of(failed);
    let Some(tool) = named_tool(worked) else {
        let command = worked.whole_command()?;
        let is_shared = before
            .values
            .iter()
            .any(|value| command.contains(value.as_str()));
        return is_shared.then(|| format!("`{name}` failed, a command of the shell worked"));
    };
    let after = CallArguments::of(tool);
    if before.values.is_disjoint(&after.values) {
        return None;
    }
    if name != tool.name {
        return Some(format!("`{name}` failed, `{}` worked", tool.name));
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
        let page_failed = ("fetch_url", page, true);
        assert_eq!(
            cures_of(&[
                ("cite", r#"{"source": "mill.example"}"#, true),
                ("cite", r#"{"source": "mill.example"}"#, true),
                (
                    "cite",
                    r#"{"source": "mill.example", "authors": ["Mia"], "year": 2025}"#,
                    false
                ),
                page_failed,
                page_failed,
                (
                    "extract",
                    r#"{"urls": ["https://mill.example/pump"]}"#,
                    false
                ),
            ]),
            [
                "`fetch_url` failed, `extract` worked (a result)",
                "`cite` failed until it had `authors`, `year` (a result)"
            ]
        );
        assert_eq!(
            cures_of(&[
                ("read_file", r#"{"path": "/etc/pam.d/sudo"}"#, true),
                ("read_file", r#"{"path": "/etc/pam.d/sudo"}"#, true),
                ("bash", r#"{"command": "sudo cat /etc/pam.d/sudo"}"#, false),
            ]),
            ["`read_file` failed, a command of the shell worked (a result)"]
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
