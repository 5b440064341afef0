//! All journals.

use super::amp::amp;
use super::antigravity::antigravity;
use super::chats::{
    aider, chatgpt, claude_ai, continue_dev, librechat, open_webui, vercel_ui, vscode_chat,
    vscode_shown,
};
use super::claude::{claude_code, claude_stream};
use super::codex::{codex, codex_exec, codex_items};
use super::copilot::copilot_cli;
use super::cursor::cursor;
use super::droid::{droid, droid_stream};
use super::evaluations::{atif, inspect, tau2};
use super::frameworks::{autogen, pydantic_ai};
use super::gemini::{gemini_cli, gemini_stream};
use super::goose::{goose_export, goose_lines};
use super::grok::grok_build;
use super::iflow::iflow;
use super::kimi::{kimi, kimi_context};
use super::langsmith::langsmith;
use super::mini_swe_agent::mini_swe_agent;
use super::opencode::opencode;
use super::openhands::openhands;
use super::pi::{pi, pi_tree};
use super::qwen::qwen_code;
use super::records::{
    alpaca, anthropic_batch_output, gemini_batch_output, json_string, last_answer, logged_call,
    openai_batch_output, text_trajectory, without_calls,
};
use super::traces::{langfuse, otel, otel_numbered};
use crate::formats::journals::Journal;
use crate::formats::story::Story;

const PLAIN: Journal = Journal {
    name: "",
    format: "",
    lines: true,
    thread: "",
    beside: true,
    system: false,
    users: true,
    paired: false,
    part: Story::clone,
    write: claude_code,
};

pub(crate) const JOURNALS: &[Journal] = &[
    Journal { name: "claude_code", format: "claude-code", thread: "s-1", ..PLAIN },
    Journal {
        name: "claude_stream",
        format: "claude-stream",
        thread: "s-1",
        write: claude_stream,
        ..PLAIN
    },
    Journal {
        name: "codex",
        format: "codex",
        thread: "0199-1",
        system: true,
        write: codex,
        ..PLAIN
    },
    Journal {
        name: "codex_items",
        format: "codex-items",
        thread: "a-1",
        system: true,
        write: codex_items,
        ..PLAIN
    },
    Journal {
        name: "codex_exec",
        format: "codex-exec",
        thread: "0199-2",
        beside: false,
        users: false,
        paired: true,
        write: codex_exec,
        ..PLAIN
    },
    Journal { name: "pi", format: "pi", thread: "p1", write: pi, ..PLAIN },
    Journal { name: "pi_tree", format: "pi", thread: "p1", write: pi_tree, ..PLAIN },
    Journal {
        name: "opencode",
        format: "opencode",
        lines: false,
        thread: "ses_1",
        write: opencode,
        ..PLAIN
    },
    Journal {
        name: "openhands",
        format: "openhands",
        lines: false,
        thread: "x__y-1",
        system: true,
        write: openhands,
        ..PLAIN
    },
    Journal { name: "gemini_cli", format: "gemini-cli", thread: "g1", write: gemini_cli, ..PLAIN },
    Journal {
        name: "gemini_stream",
        format: "gemini-stream",
        thread: "g1",
        write: gemini_stream,
        ..PLAIN
    },
    Journal { name: "antigravity", format: "antigravity", write: antigravity, ..PLAIN },
    Journal { name: "cursor", format: "cursor", write: cursor, ..PLAIN },
    Journal {
        name: "copilot_cli",
        format: "copilot-cli",
        thread: "c-1",
        system: true,
        write: copilot_cli,
        ..PLAIN
    },
    Journal { name: "qwen_code", format: "qwen-code", thread: "q-1", write: qwen_code, ..PLAIN },
    Journal { name: "kimi", format: "kimi", thread: "k-1", system: true, write: kimi, ..PLAIN },
    Journal { name: "iflow", format: "iflow", thread: "session-1", write: iflow, ..PLAIN },
    Journal {
        name: "kimi_context",
        format: "kimi-context",
        system: true,
        write: kimi_context,
        ..PLAIN
    },
    Journal { name: "droid", format: "droid", thread: "d-1", write: droid, ..PLAIN },
    Journal {
        name: "droid_stream",
        format: "droid-stream",
        thread: "d-1",
        write: droid_stream,
        ..PLAIN
    },
    Journal { name: "goose_lines", format: "goose", write: goose_lines, ..PLAIN },
    Journal {
        name: "goose_export",
        format: "goose",
        lines: false,
        thread: "20260101_1",
        write: goose_export,
        ..PLAIN
    },
    Journal { name: "amp", format: "amp", lines: false, thread: "T-1", write: amp, ..PLAIN },
    Journal { name: "grok_build", format: "grok-build", system: true, write: grok_build, ..PLAIN },
    Journal {
        name: "mini_swe_agent",
        format: "mini-swe-agent",
        lines: false,
        thread: "pump__7",
        system: true,
        write: mini_swe_agent,
        ..PLAIN
    },
    Journal {
        name: "langsmith",
        format: "langsmith",
        thread: "t1",
        system: true,
        write: langsmith,
        ..PLAIN
    },
    Journal {
        name: "alpaca",
        format: "alpaca",
        thread: "a-1",
        beside: false,
        system: true,
        part: without_calls,
        write: alpaca,
        ..PLAIN
    },
    Journal {
        name: "json_string",
        format: "json-string",
        thread: "u-1",
        beside: false,
        system: true,
        write: json_string,
        ..PLAIN
    },
    Journal {
        name: "logged_call",
        format: "logged-call",
        thread: "l-1",
        beside: false,
        system: true,
        write: logged_call,
        ..PLAIN
    },
    Journal {
        name: "text_trajectory",
        format: "text-trajectory",
        thread: "i-1",
        beside: false,
        system: true,
        part: without_calls,
        write: text_trajectory,
        ..PLAIN
    },
    Journal {
        name: "openai_batch_output",
        format: "openai-batch-output",
        thread: "r-1",
        beside: false,
        part: last_answer,
        users: false,
        write: openai_batch_output,
        ..PLAIN
    },
    Journal {
        name: "anthropic_batch_output",
        format: "anthropic-batch-output",
        thread: "r-1",
        beside: false,
        part: last_answer,
        users: false,
        write: anthropic_batch_output,
        ..PLAIN
    },
    Journal {
        name: "gemini_batch_output",
        format: "gemini-batch-output",
        thread: "r-1",
        beside: false,
        part: last_answer,
        users: false,
        write: gemini_batch_output,
        ..PLAIN
    },
    Journal {
        name: "chatgpt",
        format: "chatgpt",
        lines: false,
        thread: "chat-1",
        system: true,
        paired: true,
        write: chatgpt,
        ..PLAIN
    },
    Journal {
        name: "claude_ai",
        format: "claude-ai",
        lines: false,
        thread: "chat-1",
        write: claude_ai,
        ..PLAIN
    },
    Journal {
        name: "vercel_ui",
        format: "vercel-ui",
        thread: "chat-1",
        system: true,
        write: vercel_ui,
        ..PLAIN
    },
    Journal {
        name: "inspect",
        format: "inspect",
        lines: false,
        thread: "x-epoch-1",
        system: true,
        write: inspect,
        ..PLAIN
    },
    Journal {
        name: "tau2",
        format: "tau2",
        lines: false,
        thread: "7-trial-0",
        system: true,
        write: tau2,
        ..PLAIN
    },
    Journal {
        name: "atif",
        format: "atif",
        lines: false,
        thread: "a-1",
        system: true,
        write: atif,
        ..PLAIN
    },
    Journal {
        name: "pydantic_ai",
        format: "pydantic-ai",
        lines: false,
        thread: "p-1",
        system: true,
        write: pydantic_ai,
        ..PLAIN
    },
    Journal {
        name: "autogen",
        format: "autogen",
        thread: "p-1",
        system: true,
        write: autogen,
        ..PLAIN
    },
    Journal { name: "otel", format: "otel", thread: "t1", system: true, write: otel, ..PLAIN },
    Journal {
        name: "otel_numbered",
        format: "otel",
        thread: "t1",
        system: true,
        write: otel_numbered,
        ..PLAIN
    },
    Journal {
        name: "langfuse",
        format: "langfuse",
        thread: "t1",
        system: true,
        write: langfuse,
        ..PLAIN
    },
    Journal {
        name: "open_webui",
        format: "open-webui",
        lines: false,
        thread: "chat-1",
        system: true,
        write: open_webui,
        ..PLAIN
    },
    Journal {
        name: "librechat",
        format: "librechat",
        lines: false,
        thread: "chat-1",
        write: librechat,
        ..PLAIN
    },
    Journal {
        name: "continue_dev",
        format: "continue",
        lines: false,
        thread: "chat-1",
        system: true,
        write: continue_dev,
        ..PLAIN
    },
    Journal {
        name: "aider",
        format: "aider",
        thread: "2026-03-02 09:00:00",
        part: without_calls,
        write: aider,
        ..PLAIN
    },
    Journal {
        name: "vscode_chat",
        format: "vscode-chat",
        lines: false,
        thread: "chat-1",
        beside: false,
        write: vscode_chat,
        ..PLAIN
    },
    Journal {
        name: "vscode_shown",
        format: "vscode-chat",
        lines: false,
        thread: "chat-1",
        beside: false,
        write: vscode_shown,
        ..PLAIN
    },
];
