//! The transcript formats. No other module knows any of them by name.
//!
//! A format is one file of this folder, declared below, and one line in [`FORMATS`]; [`Format`]
//! explains how to add a format. The files come in four groups:
//!
//! - the interface: `interface` ([`Format`]), `recognition`, `insertion`, and [`journal`] for
//!   formats whose conversations are rebuilt from events;
//! - detection: `vote` asks every format about the first records of a file;
//! - the formats: conversations and messages, journals that are written back, then parts of single
//!   formats; [`logs`] has those that are only read, as rows of [`row`];
//! - the parts that readers share: [`tree`], `tree_reading`, `located_node`, `message_parts`,
//!   `summary_splices`, `thread_id`, `usage`, `dialects` and `message_builder`.
//!
//! `docs/reference/formats.md` describes the formats as their own programs write and read them.

// The interface.
mod insertion;
mod interface;
pub(crate) mod journal;
mod recognition;

// Detection.
mod foreign_log;
mod vote;

// Formats of conversations and messages.
mod ai_sdk;
mod anthropic;
mod anthropic_blocks;
mod batch_answers;
mod bedrock;
mod chat_row;
mod gemini;
mod hermes;
mod hidden_messages;
mod langchain;
mod llamafactory;
mod logged_call;
pub(crate) mod media_columns;
mod openai;
mod preference_pairs;
mod responses;
mod sharegpt;
mod training_records;
mod wrapped_openai;

// Formats of journals.
mod claude_code;
mod codex;
mod gemini_cli;
mod opencode;
mod openhands;
mod pi;

// Parts of single formats, and of formats that are closely related.
mod claude_attachments;
mod claude_lines;
mod claude_live_lines;
mod claude_preserved;
mod claude_session;
mod claude_turns;
mod codex_history;
mod langchain_messages;
mod message_prefix;
mod openai_calls;
mod openai_content;
pub(crate) mod openai_messages;
mod openai_records;
mod opencode_compaction;
mod opencode_live;
mod opencode_messages;
mod opencode_prompt;
mod opencode_sent;
mod openhands_messages;
mod pi_messages;
mod sharegpt_calls;
mod sharegpt_turns;

// Cases of logs, told in `fixtures/told`.
#[cfg(test)]
mod asked_values;
#[cfg(test)]
mod told;

// The examples of `docs/add-a-format.md`.
#[cfg(test)]
mod worked_example;
#[cfg(test)]
mod worked_log;

// Logs that are only read, as rows.
mod logs;
mod row;

// What readers share.
pub(crate) mod answers_beside;
mod dialects;
mod located_node;
mod message_builder;
mod message_parts;
mod prelude;
mod summary_splices;
pub(crate) mod tagged_calls;
mod thread_id;
pub(crate) mod tree;
mod tree_reading;
mod usage;

pub(crate) use foreign_log::{describe_record, is_foreign_log, shown_name};
pub(crate) use insertion::SummaryPlace;
pub(crate) use interface::Format;
pub(crate) use recognition::{Certainty, Shape};
pub(crate) use thread_id::{message_thread, thread_key};
pub(crate) use tree::JsonTree;
pub(crate) use vote::{FormatVerdict, FormatVote, shape_in_format};

/// All formats, the most specific first: of equally certain formats the first one reads the file.
pub(crate) static FORMATS: &[&dyn Format] = &[
    &logs::qwen_code::QWEN_CODE,
    &logs::iflow::IFLOW,
    &claude_code::CLAUDE_CODE,
    &codex::CODEX,
    &logs::codex_items::CODEX_ITEMS,
    &logs::kimi::KIMI,
    &logs::codex_exec::CODEX_EXEC,
    &pi::PI,
    &logs::droid::DROID,
    &opencode::OPENCODE,
    &openhands::OPENHANDS,
    &gemini_cli::GEMINI_CLI,
    &logs::gemini_stream::GEMINI_STREAM,
    &logs::droid_stream::DROID_STREAM,
    &logs::claude_stream::CLAUDE_STREAM,
    &logs::cursor::CURSOR,
    &logs::copilot_cli::COPILOT_CLI,
    &logs::grok_build::GROK_BUILD,
    &logs::antigravity::ANTIGRAVITY,
    &logs::amp::AMP,
    &logs::mini_swe_agent::MINI_SWE_AGENT,
    &logs::langsmith::LANGSMITH,
    &logs::otel::OTEL,
    &logs::langfuse::LANGFUSE,
    &logs::chatgpt::CHATGPT,
    &logs::claude_ai::CLAUDE_AI,
    &logs::open_webui::OPEN_WEBUI,
    &logs::librechat::LIBRECHAT,
    &logs::continue_dev::CONTINUE,
    &logs::aider::AIDER,
    &logs::vscode_chat::VSCODE_CHAT,
    &logs::vercel_ui::VERCEL_UI,
    &logs::inspect::INSPECT,
    &logs::tau2::TAU2,
    &logs::atif::ATIF,
    &logs::pydantic_ai::PYDANTIC_AI,
    &logs::autogen::AUTOGEN,
    &wrapped_openai::OPENAI_BATCH,
    &wrapped_openai::OPENAI_DPO,
    &wrapped_openai::SWE_AGENT,
    &wrapped_openai::TAU_BENCH,
    &wrapped_openai::TRL,
    &wrapped_openai::TRAJECTORY,
    &preference_pairs::PREFERENCE_PAIRS,
    &preference_pairs::LLAMA_FACTORY_PAIRS,
    &training_records::ALPACA,
    &training_records::JSON_STRING,
    &training_records::TEXT_TRAJECTORY,
    &logged_call::LOGGED_CALL,
    &batch_answers::OPENAI_BATCH_OUTPUT,
    &batch_answers::ANTHROPIC_BATCH_OUTPUT,
    &batch_answers::GEMINI_BATCH_OUTPUT,
    &hermes::HERMES,
    &sharegpt::SHAREGPT_CHAT,
    &llamafactory::LLAMA_FACTORY,
    &gemini::GEMINI_CHAT,
    &bedrock::BEDROCK,
    &ai_sdk::AI_SDK,
    &anthropic::ANTHROPIC_CHAT,
    &langchain::LANGCHAIN_CHAT,
    &responses::RESPONSES_CHAT,
    &openai::OPENAI_CHAT,
    // Most of their messages are also OpenAI's.
    &logs::goose::GOOSE,
    &logs::kimi_history::KIMI_HISTORY,
];

pub(crate) fn format_by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}

/// Returns the format of a record that holds a whole conversation, if something in the record
/// belongs to this format only. Plain messages fit several formats: for these it is `None`.
pub(crate) fn certain_format(record: &[u8]) -> Option<&'static dyn Format> {
    let (format, shape) = certain_format_and_shape(record)?;
    (shape == Shape::Conversation).then_some(format)
}

/// Returns the format of a record that holds a whole conversation, however certain.
pub(crate) fn conversation_format(record: &[u8]) -> Option<&'static dyn Format> {
    let (format, shape) = detect_format([record])?;
    (shape == Shape::Conversation).then_some(format)
}

/// Returns the format of a record and its shape, if something in the record belongs to this format
/// only.
pub(crate) fn certain_format_and_shape(record: &[u8]) -> Option<(&'static dyn Format, Shape)> {
    let mut verdict = FormatVerdict::new(FORMATS);
    verdict.observe_record(record);
    let (format, recognition) = verdict.winner()?;
    (recognition.certainty > Certainty::Fits).then_some((format, recognition.shape))
}

/// Returns the format of the first records of a file, and their shape.
pub(crate) fn detect_format<'r>(
    records: impl IntoIterator<Item = &'r [u8]>,
) -> Option<(&'static dyn Format, Shape)> {
    let mut verdict = FormatVerdict::new(FORMATS);
    verdict.observe_records(records);
    let winner = verdict.winner();
    winner.map(|(format, recognition)| (format, recognition.shape))
}
