//! Names of arguments and of members of results.

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
pub(crate) const TODO_LIST_KEYS: [&str; 5] =
    ["todos", "plan", "todo_list", "tasks", "task_progress"];

/// Keys of a todo that hold its text. The first match counts.
pub(crate) const TODO_TEXT_KEYS: &[&str] =
    &["content", "step", "title", "task", "text", "description"];

/// Keys of a todo that hold its state. An item without one is no todo.
pub(crate) const TODO_STATE_KEYS: &[&str] = &["status", "state", "completed", "done"];

/// Keys of the text of a task that a single call adds or changes.
pub(crate) const TASK_TEXT_KEYS: [&str; 2] = ["subject", "content"];
/// Keys of the number of a task in a call that changes it.
pub(crate) const TASK_NUMBER_KEYS: [&str; 2] = ["taskId", "task_id"];
/// The states of todos that are done or given up.
pub(crate) const CLOSED_TODO_STATES: &[&str] = &[
    "completed",
    "complete",
    "done",
    "cancelled",
    "canceled",
    "deleted",
    "true",
];

/// Those of them in which a todo is done.
pub(crate) const DONE_TODO_STATES: &[&str] = &["completed", "complete", "done", "true"];

/// Names of arguments that say how a call runs, not what it does.
pub(crate) const QUIET_KEYS: &[&str] = &[
    "sandbox_permissions",
    "prefix_rule",
    "with_escalated_permissions",
    "max_tokens",
    "login",
    "tty",
    "workdir",
    "timeout",
    "timeout_ms",
    "description",
    "task_progress",
    "activeForm",
    "requires_approval",
    "is_background",
    "run_in_background",
    "security_risk",
    "justification",
    "max_output_tokens",
    "yield_time_ms",
    "expected_replacements",
    "replace_all",
    "allow_multiple",
    "_i",
    "strategic_intent",
];

/// Names of arguments that say what an edit is for.
pub(crate) const INSTRUCTION_KEYS: &[&str] = &["instruction", "instructions", "explanation"];

/// Names of arguments that say how much of something is asked for or how far a todo is.
pub(crate) const PASSING_KEYS: &[&str] = &[
    "sandbox_permissions",
    "prefix_rule",
    "max_tokens",
    "max_output_tokens",
    "yield_time_ms",
    "Chunk ID",
    "duration_s",
    "offset",
    "limit",
    "timeout",
    "timeout_ms",
    "line",
    "line_number",
    "start_line",
    "end_line",
    "startLine",
    "endLine",
    "view_range",
    "insert_line",
    "depth",
    "head_limit",
    "max_results",
    "max_output_tokens",
    "yield_time_ms",
    "status",
    "state",
    "priority",
    "Group PGID",
    "Process Group PGID",
];

/// Names of arguments that hold the folder that a command runs in.
pub(crate) const FOLDER_KEYS: &[&str] =
    &["dir_path", "cwd", "directory", "dir", "working_directory"];

/// Names of arguments that hold the complete text of a file.
pub(crate) const WHOLE_TEXT_KEYS: &[&str] = &["content", "contents", "file_text", "body"];

/// Names of arguments that hold prose or code. As the key of a name in it they say nothing.
pub(crate) const TEXT_KEYS: &[&str] = &[
    "content",
    "contents",
    "file_text",
    "text",
    "description",
    "message",
    "prompt",
    "query",
    "pattern",
    "regex",
    "code",
    "body",
    "thought",
    "explanation",
    "title",
    "task_progress",
    "summary",
    "input",
    "command",
    "cmd",
    "commands",
    "script",
    "task",
    "step",
    "plan",
    "name",
    "_i",
    "intent",
    "strategic_intent",
    "reason",
    "rationale",
    "question",
];

/// Names of arguments that hold documents and code.
pub(crate) const BULKY_KEYS: &[&str] = &[
    "content",
    "contents",
    "file_text",
    "input",
    "patch",
    "diff",
    "body",
    "code",
];

/// Names of arguments that hold the text of an edit before it, after it, and what it changes.
pub(crate) const OLD_TEXT_KEYS: &[&str] = &[
    "old_str",
    "old_string",
    "oldString",
    "oldText",
    "old_text",
    "search",
    "to_replace",
];
pub(crate) const NEW_TEXT_KEYS: &[&str] = &[
    "new_str",
    "new_string",
    "newString",
    "newText",
    "new_text",
    "replacement_text",
    "replace",
    "new_content",
];
pub(crate) const PATCH_KEYS: &[&str] = &["diff", "patch", "input"];

/// Names of columns of records that say where somebody lives or is reached, or when a record was
/// made.
pub(crate) const PERSONAL_COLUMNS: &[&str] = &[
    "address",
    "address1",
    "address2",
    "street",
    "city",
    "zip",
    "zip_code",
    "postal_code",
    "country",
    "province",
    "phone",
    "phone_number",
    "email",
    "created_at",
    "updated_at",
    "createdAt",
    "updatedAt",
];

/// Keys whose values say nothing without the record that they stand in.
pub(crate) const OWNED_KEYS: &[&str] =
    &["dob", "date_of_birth", "birthday", "source", "expression"];

/// Names of columns that say when a record was made: what may still be done with it often hangs on that.
pub(crate) const CREATION_COLUMNS: &[&str] = &["created_at", "createdAt", "created"];

/// Keys of the text in a result that is wrapped in JSON. The first match counts.
pub(crate) const OUTPUT_KEYS: &[&str] = &["output", "stdout", "error", "stderr", "llmContent"];

/// Keys of the exit status in a result that is wrapped in JSON.
pub(crate) const EXIT_KEYS: &[&str] = &["exit_code", "exitCode", "returncode"];

/// Text before the exit status in a result that is plain text.
pub(crate) const EXIT_LINES: &[&str] = &[
    "\nExit Code: ",
    "\nExit code: ",
    "completed with exit code ",
    "finished with exit code ",
    "executed with exit code ",
    "exited with code ",
];

/// Names of columns that say what state a record is in.
pub(crate) const STATE_COLUMNS: &[&str] = &["status", "state", "order_status", "phase", "stage"];

/// States after which nothing more is done with a record.
pub(crate) const CLOSED_STATES: &[&str] = &["cancelled", "canceled", "closed", "archived"];

/// Keys of the values by which what a service made is found again.
pub(crate) const ANSWER_KEYS: &[&str] = &[
    "status",
    "state",
    "url",
    "html_url",
    "web_url",
    "preview_url",
    "id",
    "number",
    "key",
    "branch",
    "sha",
];
