//! A session of Claude Code, and the plans for it.

use crate::harness::Dir;
use crate::promises::support::json_lines;
use crate::talk::text;
use serde_json::{Value, json};

/// A line of a Claude Code session.
pub(super) fn line(uuid: &str, parent: Option<&str>, number: usize) -> Value {
    let kind = if number.is_multiple_of(2) { "user" } else { "assistant" };
    let mut message = json!({"role": kind, "content": text("s", number)});
    if kind == "assistant" {
        message["id"] = json!(format!("msg_{uuid}"));
    }
    json!({
        "parentUuid": parent, "isSidechain": false, "cwd": "/srv/app", "sessionId": "s", "version": "2.1.0", "type": kind, "message": message,
        "uuid": uuid, "timestamp": "2026-01-01T00:00:00.000Z",
    })
}

/// A session of so many lines in a row.
pub(super) fn session(lines: usize) -> Vec<Value> {
    let uuid = |number: usize| format!("u{number}");
    (0..lines)
        .map(|number| line(&uuid(number), number.checked_sub(1).map(uuid).as_deref(), number))
        .collect()
}

pub(super) fn file(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The lines of `plan --json`.
pub(super) fn plans(dir: &Dir, words: &str) -> Vec<Value> {
    json_lines(&dir.epitome(&format!("plan --json --quiet {words}")).run().1.stdout)
}
