//! Simulations of tau2-bench: an agent, a simulated user, and calls of both. The conversation is
//! that of the agent: what the user does with tools of its own is no part of it.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const TAU2: LogRow = LogRow {
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
        // The policy of the domain is the agent's prompt.
        prompt: at("policy|info.environment_info.policy"),
        id: Id::OfRun { of: at("task_id"), number: at("trial"), label: "trial", or: at("id") },
        read: &["id", "task_id", "trial", "messages", "policy"],
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
        RowStep::NeedText(&[has("content")], "a message"),
        RowStep::When(&[OF_THE_USER], &[RowStep::Note("results of the simulated user's calls"), RowStep::Skip]),
        value("content"),
        RowStep::Failed(&[truth("error")]),
        RowStep::When(&[is("role", "assistant")], &[
            each("tool_calls", &[
                RowStep::When(&[If::Not(&[OF_THE_USER])], &[call("id", "name", "arguments")]),
            ]),
            usage("usage"),
        ]),
        RowStep::IfSilent(&[
            RowStep::When(&[some("tool_calls")], &[RowStep::Note("calls of the simulated user"), RowStep::Skip]),
        ]),
    ],
);
