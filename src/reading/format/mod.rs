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
//!   `user_turn`, `summary_splices`, `thread_id`, `usage`, `dialects` and `message_builder`.
//!
//! `docs/reference/formats.md` describes the formats as their own programs write and read them.

// The interface.
mod insertion;
mod interface;
pub(crate) mod journal;
mod recognition;

// Detection.
mod foreign_log;
mod record_description;
mod vote;

// Formats of conversations and messages.
mod ai_sdk;
mod anthropic;
mod anthropic_blocks;
mod batch_answers;
mod bedrock;
mod conversation_record;
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
mod claude_compactions;
mod codex;
mod gemini_cli;
mod gemini_compactions;
mod opencode;
mod openhands;
mod pi;

// Parts of single formats, and of formats that are closely related.
mod claude_attachments;
mod claude_lines;
mod claude_live_lines;
mod claude_session;
mod claude_turns;
mod codex_history;
mod langchain_messages;
mod message_path;
mod message_prefix;
mod openai_calls;
mod openai_content;
pub(crate) mod openai_messages;
mod openai_records;
mod opencode_compaction;
mod opencode_live;
mod opencode_messages;
mod opencode_parts;
mod opencode_prompt;
mod opencode_sent;
mod openhands_messages;
mod pi_messages;
mod sharegpt_calls;
mod sharegpt_summary;
mod sharegpt_turns;
mod turn_list_format;

// Cases of logs, told in `fixtures/told`.
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
mod user_turn;

pub(crate) use foreign_log::is_foreign_log;
pub(crate) use insertion::SummaryPlace;
pub(crate) use interface::Format;
pub(crate) use recognition::{Certainty, Shape};
pub(crate) use record_description::{describe_record, shown_name};
pub(crate) use thread_id::{message_thread, thread_key};
pub(crate) use tree::JsonTree;
pub(crate) use vote::{FormatVerdict, FormatVote, shape_in_format};

use journal::JournalFormat;
use turn_list_format::TurnListFormat;

/// All formats, the most specific first: of equally certain formats the first one reads the file.
pub(crate) static FORMATS: &[&dyn Format] = &[
    &JournalFormat(logs::qwen_code::QWEN_CODE),
    &JournalFormat(logs::iflow::IFLOW),
    &JournalFormat(claude_code::ClaudeCodeJournal),
    &JournalFormat(codex::CodexJournal),
    &JournalFormat(logs::codex_items::CODEX_ITEMS),
    &JournalFormat(logs::kimi::KIMI),
    &JournalFormat(logs::codex_exec::CODEX_EXEC),
    &JournalFormat(pi::PiJournal),
    &JournalFormat(logs::droid::DROID),
    &JournalFormat(opencode::OpenCodeJournal),
    &JournalFormat(openhands::OpenHandsJournal),
    &JournalFormat(gemini_cli::GeminiCliJournal),
    &JournalFormat(logs::gemini_stream::GEMINI_STREAM),
    &JournalFormat(logs::droid_stream::DROID_STREAM),
    &JournalFormat(logs::claude_stream::CLAUDE_STREAM),
    &JournalFormat(logs::cursor::CURSOR),
    &JournalFormat(logs::copilot_cli::COPILOT_CLI),
    &JournalFormat(logs::grok_build::GROK_BUILD),
    &JournalFormat(logs::antigravity::ANTIGRAVITY),
    &JournalFormat(logs::amp::AMP),
    &JournalFormat(logs::mini_swe_agent::MINI_SWE_AGENT),
    &JournalFormat(logs::langsmith::LANGSMITH),
    &JournalFormat(logs::otel::OTEL),
    &JournalFormat(logs::langfuse::LANGFUSE),
    &JournalFormat(logs::chatgpt::CHATGPT),
    &JournalFormat(logs::claude_ai::CLAUDE_AI),
    &JournalFormat(logs::open_webui::OPEN_WEBUI),
    &JournalFormat(logs::librechat::LIBRECHAT),
    &JournalFormat(logs::continue_dev::CONTINUE),
    &JournalFormat(logs::aider::AIDER),
    &JournalFormat(logs::vscode_chat::VSCODE_CHAT),
    &JournalFormat(logs::vercel_ui::VERCEL_UI),
    &JournalFormat(logs::inspect::INSPECT),
    &JournalFormat(logs::tau2::TAU2),
    &JournalFormat(logs::atif::ATIF),
    &JournalFormat(logs::pydantic_ai::PYDANTIC_AI),
    &JournalFormat(logs::autogen::AUTOGEN),
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
    &TurnListFormat(hermes::HermesTurns),
    &TurnListFormat(sharegpt::ShareGptTurns),
    &llamafactory::LlamaFactoryFormat,
    &gemini::GeminiFormat,
    &bedrock::BedrockFormat,
    &ai_sdk::AiSdkFormat,
    &anthropic::AnthropicFormat,
    &langchain::LangChainFormat,
    &responses::ResponsesFormat,
    &openai::OpenAiFormat,
    // Most of their messages are also OpenAI's.
    &JournalFormat(logs::goose::GOOSE),
    &JournalFormat(logs::kimi_history::KIMI_HISTORY),
];

/// Returns the format with this name.
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
