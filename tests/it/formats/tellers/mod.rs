//! The story as agents keep it: their records, and what they note between.

mod chats;
mod claude;
mod codex;
mod copilot;
mod cursor;
mod evaluations;
mod frameworks;
mod gemini;
mod json;
mod kimi;
mod langsmith;
mod opencode;
mod openhands;
mod pi;
mod qwen;
mod records;
mod table;
mod traces;

pub(crate) use table::JOURNALS;
