//! Transcripts made for tests: long enough to be worth a summary, each message told apart from all
//! others.

/// Fires on a [`talk`] of six messages and more, and leaves its last two.
pub(crate) const CUT: &str = "--trigger messages=6 --keep messages=2";

/// The text of message `number` of a thread.
pub(crate) fn text(thread: &str, number: usize) -> String {
    format!(
        "Step {number} of {thread}: the importer reads the bookings of day {number}, compares each with the bank's statement \
         and notes what differs for the accountant, who answers before the next day begins."
    )
}

/// One message: users and assistants take turns.
pub(crate) fn message(thread: &str, number: usize) -> String {
    let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
    format!(r#"{{"role": "{role}", "content": {}}}"#, quoted(&text(thread, number)))
}

/// A conversation of so many messages, as one line.
pub(crate) fn talk(thread: &str, messages: usize) -> String {
    let messages: Vec<String> = (0..messages).map(|number| message(thread, number)).collect();
    format!("{{\"thread_id\": {}, \"messages\": [{}]}}\n", quoted(thread), messages.join(", "))
}

/// A conversation with one tool call, whose result is this text.
pub(crate) fn with_result(thread: &str, call_id: &str, result: &str) -> String {
    format!(
        r#"{{"thread_id": {}, "messages": [{{"role": "user", "content": "What does the log say?"}}, {{"role": "assistant", "content": null, "tool_calls": [{{"id": {id}, "type": "function", "function": {{"name": "read_log", "arguments": "{{}}"}}}}]}}, {{"role": "tool", "tool_call_id": {id}, "content": {}}}]}}
"#,
        quoted(thread),
        quoted(result),
        id = quoted(call_id),
    )
}

/// Lines for a tool result: so many, all different.
pub(crate) fn log(lines: usize) -> String {
    (0..lines)
        .map(|line| {
            format!(
                "12:{:02}:{:02} worker {} took booking {line} from the queue and wrote it\n",
                line / 60 % 60,
                line % 60,
                line % 7
            )
        })
        .collect()
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}
