//! Words in the names of tools, by what the tool does.

/// Words for writing files, also in the sub-commands of editors.
pub(crate) const WRITING_WORDS: &[&str] = &[
    "write", "edit", "create", "save", "patch", "replace", "insert", "append", "update", "upload",
    "undo",
];

/// Words for deleting, unless the name also holds one of `FILE_PART_WORDS`.
pub(crate) const DELETING_WORDS: &[&str] = &["delete", "remove", "unlink", "rm", "rmdir"];

/// Words for parts of a file. A tool that deletes them writes the file.
pub(crate) const FILE_PART_WORDS: &[&str] = &[
    "line", "lines", "text", "range", "cell", "cells", "row", "rows", "block", "section",
    "content", "string", "key", "comment",
];

/// Words for moving. The old name is gone afterwards.
pub(crate) const MOVING_WORDS: &[&str] = &["move", "rename", "mv"];

/// Words for changes other than those to files.
pub(crate) const CHANGING_WORDS: &[&str] = &[
    "add", "book", "buy", "cancel", "commit", "deploy", "exchange", "install", "modify", "order",
    "pay", "post", "publish", "push", "put", "refund", "return", "send", "set", "submit",
    "transfer",
];

/// Words for looking. The words behind them name what is looked at.
pub(crate) const LOOKING_WORDS: &[&str] = &[
    "calculate",
    "browse",
    "cat",
    "check",
    "crawl",
    "describe",
    "extract",
    "fetch",
    "find",
    "get",
    "glob",
    "goto",
    "grep",
    "list",
    "lookup",
    "ls",
    "open",
    "plan",
    "query",
    "read",
    "retrieve",
    "scrape",
    "scroll",
    "search",
    "show",
    "think",
    "todo",
    "todowrite",
    "todos",
    "tree",
    "view",
];

/// Words for reading a document, and for calls without any effect.
pub(crate) const READING_WORDS: &[&str] =
    &["read", "view", "cat", "think", "todowrite", "todo", "plan"];

/// Tools by which an agent only handles its tools or tells what it is at: Claude Code, Gemini CLI.
pub(crate) const HARNESS_TOOLS: &[&str] = &["ToolSearch", "update_topic"];

/// Tools that ask another agent and return what it says: Claude Code, OpenCode, Gemini CLI, Roo Code, Deep Agents.
pub(crate) const AGENT_TOOLS: &[&str] = &[
    "Task",
    "Agent",
    "task",
    "agent",
    "delegate_to_agent",
    "codebase_investigator",
    "new_task",
];

/// Words for the web. What such a tool shows is what others wrote.
pub(crate) const WEB_WORDS: &[&str] = &["browse", "crawl", "internet", "scrape", "url", "web"];

/// Words for folders. A tool that makes or lists them shows and writes no file.
pub(crate) const FOLDER_WORDS: &[&str] = &["mkdir", "directory", "directories", "folder", "dir"];

/// Words for looking for names. What such a call names was not read.
pub(crate) const SEARCHING_WORDS: &[&str] = &[
    "find", "glob", "goto", "grep", "list", "locate", "ls", "scroll", "search", "tree",
];
