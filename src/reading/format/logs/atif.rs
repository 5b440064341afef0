//! Trajectories of Harbor (ATIF, the Agent Trajectory Interchange Format): steps of a system, a
//! user and an agent; the results of an agent's calls are the observation of its step.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const ATIF: LogRow = LogRow {
    name: "atif",
    help: "Harbor trajectories: {\"schema_version\": \"ATIF-...\", \"session_id\", \"agent\", \"steps\": [...]}",
    evidence: &[conversation("steps beside a schema_version ATIF-...", &[
        If::First(&[starts("schema_version", "ATIF-"), has("steps")]),
    ])],
    reads: Reads::Conversations(&ConversationRow {
        id: Id::Text(at("session_id")),
        inner: Some(InnerConversations { key: "subagent_trajectories", row: &SUBAGENT }),
        ..SUBAGENT
    }),
};

/// The trajectory of a sub-agent, which may share the session of the agent that called it.
const SUBAGENT: ConversationRow = ConversationRow {
    messages: Messages::Listed("steps"),
    message: &STEP,
    id: Id::Text(at("trajectory_id|session_id")),
    model: &[Model::OfConversation(at("agent.model_name"))],
    tools: at("agent.tool_definitions"),
    read: &["session_id", "trajectory_id", "steps", "subagent_trajectories"],
    ..ConversationRow::PLAIN
};

#[rustfmt::skip]
const STEP: MessageRow = message(
    by("source", &[("system", Who::System), ("user", Who::User), ("agent", Who::Assistant)]),
    &[
        thought("reasoning_content"),
        RowStep::NeedText(&[has("message")], "a step"),
        inside("message", CONTENT),
        each("tool_calls", &[call("tool_call_id", "function_name", "arguments")]),
        RowStep::Case(&[
            // Where no result names its call, they come after the calls of their step.
            when(&[some("tool_calls"), If::Not(&[If::Some(at("observation.results"), &[NAMES_CALL])])], &[each("observation.results", &[RowStep::Behind(&CALLED)])]),
            otherwise(&[each("observation.results", &[RowStep::Behind(&RESULT)])]),
        ]),
    ],
);

const NAMES_CALL: If = kind("source_call_id", TEXT);

/// The result of a call of the step.
const CALLED: MessageRow =
    message(SpeakerRow::Always(Who::Tool(at("source_call_id"))), &[inside("content", CONTENT)]);

/// What nobody called for is told to the agent by its surroundings.
const RESULT: MessageRow = message(
    SpeakerRow::First(&[
        (&[kind("source_call_id", TEXT)], Who::Tool(at("source_call_id"))),
        (&[], Who::User),
    ]),
    &[inside("content", CONTENT)],
);

/// A text, or parts of text and images.
#[rustfmt::skip]
const CONTENT: &[RowStep] = &[text(""), each("", &[RowStep::Case(&[
    when(&[kind("text", TEXT)], &[text("text")]),
    when(&[is("type", "image")], &[image("source.path")]),
])])];
