//! Simulations of tau2-bench: an agent, a simulated user, and calls of both. The conversation is
//! that of the agent: what the user does with tools of its own is no part of it.

use crate::format::row::*;

#[rustfmt::skip]
pub(in crate::format) const TAU2: LogRow = LogRow {
    name: "tau2",
    help: "tau2-bench results: {\"simulations\": [{\"task_id\", \"trial\", \"messages\"}], \"tasks\", \"info\"}",
    evidence: &[
        conversation(WHY, &[If::Of(at("simulations.0"), SIMULATION)]),
        conversation(WHY, &[If::Of(at(""), SIMULATION), has("termination_reason")]),
    ],
    reads: Reads::Conversations(&ConversationRow {
        below: Some("simulations"),
        // Results of parallel calls may be one message.
        several: at("tool_messages"),
        message: &MESSAGE,
        id: Id::OfRun { of: at("task_id"), number: at("trial"), label: "trial", or: at("id") },
        read: &["id", "task_id", "trial", "messages"],
        ..ConversationRow::PLAIN
    }),
};

const WHY: &str = "simulations with task_id and messages";
const SIMULATION: &[If] = &[has("task_id"), kind("messages", LIST)];
const OF_THE_USER: If = is("requestor", "user");

#[rustfmt::skip]
const MESSAGE: MessageRow = message(
    by("role", &[
        ("system", Who::System),
        ("user", Who::User),
        ("assistant", Who::Assistant),
        ("tool", Who::Tool(at("id"))),
    ]),
    &[
        Step::NeedText(&[has("content")], "a message"),
        Step::When(&[OF_THE_USER], &[Step::Note("results of the simulated user's calls"), Step::Skip]),
        value("content"),
        Step::Failed(&[truth("error")]),
        Step::When(&[is("role", "assistant")], &[
            each("tool_calls", &[
                Step::When(&[If::Not(&[OF_THE_USER])], &[call("id", "name", "arguments")]),
            ]),
            usage("usage"),
        ]),
        Step::IfSilent(&[
            Step::When(&[some("tool_calls")], &[Step::Note("calls of the simulated user"), Step::Skip]),
        ]),
    ],
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::row::rendered;

    #[test]
    fn what_the_user_calls_is_no_part_of_the_conversation() {
        let simulation = r#"{"id": "s", "task_id": "mms_1", "trial": 2, "messages": [
            {"role": "assistant", "content": "Turn it off.", "tool_calls": null},
            {"role": "user", "content": null, "tool_calls": [{"id": "u", "name": "toggle", "arguments": {}, "requestor": "user"}]},
            {"role": "tool", "id": "u", "content": "off", "requestor": "user", "error": false},
            {"role": "user", "content": "It is off."},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "name": "look_up", "arguments": {"line": 1}, "requestor": "assistant"}]},
            {"role": "tool", "tool_messages": [{"id": "a", "role": "tool", "content": "no line", "requestor": "assistant", "error": true}]}]}"#;
        assert_eq!(
            rendered(&TAU2, simulation),
            [
                r#"{"role": "assistant", "content": "Turn it off."}"#,
                r#"{"role": "user", "content": "It is off."}"#,
                r#"{"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "look_up", "arguments": {"line": 1}}}]}"#,
                r#"{"role": "tool", "tool_call_id": "a", "content": "no line", "is_error": true}"#,
            ]
        );
    }
}
