//! The word lists of the summarizer.

// Identifiers and keys.

/// File name extensions that make a dotted name a path.
pub(crate) const FILE_EXTENSIONS: &[&str] = &[
    "py", "rs", "c", "h", "cc", "cpp", "js", "jsx", "ts", "tsx", "go", "java", "md", "json",
    "jsonl", "toml", "yaml", "yml", "txt", "sh", "html", "css", "pony", "sql", "csv", "lock",
    "cfg", "ini", "xml", "log", "pdf", "bin", "png", "jpg", "svg", "so", "rb", "php", "swift",
    "kt", "scala", "ipynb", "gz", "zip", "db",
];

/// Plain words that instructions write in capitals. They are no acronyms. Sorted.
pub(crate) const SHOUTED_WORDS: &[&str] = &[
    "ABOUT",
    "AFTER",
    "ALL",
    "ALSO",
    "ALWAYS",
    "AND",
    "ANY",
    "ARE",
    "ASK",
    "AVOID",
    "BAD",
    "BEFORE",
    "BEST",
    "BOTH",
    "BUT",
    "CAN",
    "CANNOT",
    "CHECK",
    "COMPLETE",
    "COMPLETELY",
    "CONTINUE",
    "CORRECT",
    "CURRENT",
    "DID",
    "DOES",
    "DON",
    "DONE",
    "EACH",
    "EITHER",
    "END",
    "ENTER",
    "EVERY",
    "EVERYTHING",
    "EXACTLY",
    "EXAMPLE",
    "FINAL",
    "FIRST",
    "FOR",
    "FORMAT",
    "FROM",
    "GET",
    "GOOD",
    "HAD",
    "HAS",
    "HAVE",
    "HERE",
    "HOW",
    "IMPORTANT",
    "INSIDE",
    "INSTEAD",
    "INSTRUCTION",
    "INSTRUCTIONS",
    "INTO",
    "ITS",
    "JUST",
    "KEEP",
    "KNOW",
    "LAST",
    "LEFT",
    "LET",
    "LIKE",
    "LOOK",
    "MADE",
    "MAKE",
    "MANY",
    "MAY",
    "MORE",
    "MOST",
    "MUCH",
    "MUST",
    "NEED",
    "NEVER",
    "NEW",
    "NEXT",
    "NONE",
    "NOT",
    "NOTE",
    "NOTES",
    "NOTHING",
    "NOW",
    "OFF",
    "OLD",
    "ONCE",
    "ONE",
    "ONLY",
    "OPEN",
    "OTHER",
    "OUR",
    "OUT",
    "OVER",
    "OWN",
    "PLEASE",
    "READ",
    "READY",
    "REMEMBER",
    "RIGHT",
    "SAME",
    "SEE",
    "SHALL",
    "SHE",
    "SHOULD",
    "SOLVE",
    "SOME",
    "START",
    "STILL",
    "STOP",
    "SUCH",
    "SURE",
    "TAKE",
    "TELL",
    "THAN",
    "THAT",
    "THE",
    "THEIR",
    "THEM",
    "THEN",
    "THERE",
    "THESE",
    "THEY",
    "THIS",
    "THOSE",
    "TIME",
    "TIP",
    "TIPS",
    "TOO",
    "TRUST",
    "TRY",
    "TWO",
    "UNDER",
    "UNTIL",
    "USE",
    "USED",
    "USING",
    "VERY",
    "WAIT",
    "WANT",
    "WARNING",
    "WAS",
    "WELL",
    "WERE",
    "WHAT",
    "WHEN",
    "WHERE",
    "WHICH",
    "WHILE",
    "WHO",
    "WHY",
    "WILL",
    "WITH",
    "WITHOUT",
    "WORK",
    "WOULD",
    "WRITE",
    "WRONG",
    "YES",
    "YET",
    "YOU",
    "YOUR",
    "YOURSELF",
];

/// Keys that mean nothing without the name of the object around them.
pub(crate) const GENERIC_KEYS: &[&str] = &[
    "id", "name", "type", "value", "number", "text", "data", "key", "code",
];

/// Currencies that stand before an amount without a blank.
pub(crate) const CURRENCIES: &[&[u8]] = &[
    b"EUR", b"USD", b"GBP", b"CHF", b"SEK", b"NOK", b"DKK", b"JPY", b"CNY", b"INR", b"CAD", b"AUD",
    b"Rs", b"kr",
];

/// Values that are no references.
pub(crate) const PLACEHOLDER_VALUES: &[&str] = &[
    "none",
    "null",
    "true",
    "false",
    "the",
    "and",
    "json",
    "not",
    "you",
    "string",
    "content",
    "undefined",
];

// Names of arguments.

/// Names of arguments that hold files and resources. Other arguments hold a file only if their
/// value looks like a path.
pub(crate) const FILE_KEYS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "file_path",
    "filepath",
    "file_paths",
    "filename",
    "file_name",
    "notebook_path",
    "target_file",
    "absolute_path",
    "relative_path",
    "relative_workspace_path",
    "old_path",
    "new_path",
    "directory",
    "dir",
];

/// Names of arguments that hold a shell command.
pub(crate) const COMMAND_KEYS: &[&str] = &["command", "cmd", "commands", "script", "shell_command"];

/// Names of arguments that hold a program.
pub(crate) const CODE_KEYS: &[&str] = &["code"];

/// Names of arguments that hold the old name of a moved file.
pub(crate) const OLD_NAME_KEYS: &[&str] = &[
    "source",
    "src",
    "from",
    "old",
    "old_path",
    "old_name",
    "source_path",
    "from_path",
];

/// Names of arguments that hold a list of todos.
pub(crate) const TODO_LIST_KEYS: [&str; 4] = ["todos", "plan", "todo_list", "tasks"];

/// Keys of a todo that hold its text. The first match counts.
pub(crate) const TODO_TEXT_KEYS: &[&str] =
    &["content", "step", "title", "task", "text", "description"];

/// States of a todo that is no longer open.
pub(crate) const CLOSED_TODO_STATES: &[&str] = &[
    "completed",
    "complete",
    "done",
    "cancelled",
    "canceled",
    "deleted",
];

// Words in the names of tools.

/// Words for writing files, also in the sub-commands of editors.
pub(crate) const WRITING_WORDS: &[&str] = &[
    "write", "edit", "create", "save", "patch", "replace", "insert", "append", "mkdir", "update",
    "upload", "undo",
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
    "check", "describe", "fetch", "find", "get", "list", "lookup", "query", "read", "retrieve",
    "search", "show", "view",
];

// Shell commands.

/// Commands that write all of their operands.
pub(crate) const WRITING_COMMANDS: &[&str] = &[
    "mkdir", "touch", "tee", "create", "truncate", "chmod", "chown",
];

/// Commands that delete all of their operands.
pub(crate) const DELETING_COMMANDS: &[&str] = &["rm", "rmdir", "unlink"];

/// Commands that write their last operand.
pub(crate) const COPYING_COMMANDS: &[&str] = &["mv", "cp", "ln", "install", "rsync", "scp"];

/// Commands that write in place when given `-i`.
pub(crate) const EDITING_COMMANDS: &[&str] = &["sed", "perl", "awk"];

/// Commands whose first operand is a pattern or a script, not a file.
pub(crate) const PATTERN_COMMANDS: &[&str] = &[
    "sed", "perl", "awk", "grep", "egrep", "rg", "ag", "jq", "echo", "printf",
];

/// Commands whose operands are files even if they don't look like files.
pub(crate) const READING_COMMANDS: &[&str] = &[
    "cat", "head", "tail", "less", "more", "open", "source", "wc", "nl", "bat",
];

/// Names of a fenced block that holds a shell command.
pub(crate) const SHELL_NAMES: &[&str] = &["", "bash", "sh", "shell", "zsh", "mswea_bash_command"];

/// Commands of SWE-agent's editor that write the file that it shows afterwards.
pub(crate) const SWE_AGENT_WRITING_COMMANDS: &[&str] = &["edit", "create", "insert", "append"];

// Errors and outcomes.

/// Marks of an error line. The first two count only before a colon.
pub(crate) const ERROR_MARKS: [&str; 11] = [
    "error",
    "exception",
    "traceback",
    "failed",
    "fatal",
    "panic",
    "exit code ",
    "not found",
    "no such file",
    "permission denied",
    "segfault",
];

/// Text before a mark in lines that only mention an error, as source code does.
pub(crate) const CODE_BEFORE_ERRORS: &[&str] = &[
    "raise ", "raises ", "except ", "throw ", "throws ", "catch ", "catch(", "import ", "class ",
    "def ", "fn ", "return ", "new ", "const ", "let ", "console.", "print(", "//", "/*", "0 ",
    "no ",
];

/// Values of an error field that say there was no error.
pub(crate) const EMPTY_ERROR_VALUES: [&[u8]; 8] = [
    b"null", b"none", b"false", b"\"\"", b"''", b"0", b"[]", b"{}",
];

/// Messages of a system about a file that it did nothing to.
pub(crate) const REFUSALS: &[&str] = &[
    "o such file",
    "ot found",
    "ermission denied",
    "annot ",
    "s a directory",
    "ot a directory",
];

/// Words in the first line of a result that show that the file was written after all.
pub(crate) const SUCCESSES: &[&str] = &[
    "success",
    "has been",
    "have been",
    "updated",
    "wrote ",
    "created",
    "applied",
    "saved",
];

// Messages in the user's name.

/// A message that begins with any of these is a notice.
pub(crate) const NOTICE_OPENINGS: &[&str] = &[
    "Caveat: The messages below were generated by the user while running local commands",
    "[Request interrupted by user",
    "[The user interrupted",
];

/// Tags of messages that are a notice from beginning to end.
pub(crate) const NOTICE_TAGS: &[&str] = &[
    "command-name",
    "command-message",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "system-reminder",
    "task-notification",
    "bash-stdout",
    "bash-stderr",
    "environment_context",
    "user_instructions",
    "turn_aborted",
];

/// A message that begins with any of these is the output of a command.
pub(crate) const OUTPUT_OPENINGS: &[&str] = &[
    "Ran `",
    "OBSERVATION:\n",
    "EXECUTION RESULT of [",
    "<returncode>",
];

/// Openings of a shell prompt.
pub(crate) const PROMPT_OPENINGS: &[&str] = &["bash-", "root@"];
