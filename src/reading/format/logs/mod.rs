//! The logs that are only read, each as a row; what only one of them does is beside its row.

pub(super) mod aider;
pub(super) mod amp;
pub(super) mod antigravity;
pub(super) mod atif;
pub(super) mod autogen;
pub(super) mod chatgpt;
pub(super) mod claude_ai;
pub(super) mod claude_stream;
pub(super) mod codex_exec;
pub(super) mod codex_items;
pub(super) mod continue_dev;
pub(super) mod copilot_cli;
pub(super) mod cursor;
pub(super) mod droid;
pub(super) mod droid_stream;
pub(super) mod gemini_stream;
pub(super) mod goose;
pub(super) mod grok_build;
pub(super) mod iflow;
pub(super) mod inspect;
pub(super) mod kimi;
pub(super) mod kimi_history;
pub(super) mod langfuse;
pub(super) mod langsmith;
pub(super) mod librechat;
pub(super) mod mini_swe_agent;
pub(super) mod open_webui;
pub(super) mod otel;
pub(super) mod pydantic_ai;
pub(super) mod qwen_code;
pub(super) mod tau2;
pub(super) mod vercel_ui;
pub(super) mod vscode_chat;

// Parts of single logs, and of logs that are closely related.
mod chatgpt_content;
mod kimi_context;
mod last_call;
mod logged_messages;
mod open_webui_marks;
mod otel_attributes;
mod otel_messages;
mod otel_pieces;
mod vercel_model_messages;
mod vscode_shown;
