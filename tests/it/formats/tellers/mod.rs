//! The story as agents keep it: their records, and what they note between.

mod amp;
mod antigravity;
mod chats;
mod claude;
mod codex;
mod copilot;
mod cursor;
mod droid;
mod evaluations;
mod frameworks;
mod gemini;
mod goose;
mod grok;
mod iflow;
mod json;
mod kimi;
mod langsmith;
mod mini_swe_agent;
mod opencode;
mod openhands;
mod pi;
mod qwen;
mod records;
mod table;
mod traces;

pub(crate) use table::JOURNALS;
