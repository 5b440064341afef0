//! All words that the summarizer knows. Nothing else in it depends on a language: a conversation in
//! another one loses only what these lists add.
//!
//! Languages: English, German, French, Spanish, Portuguese, Italian (`de fr es pt it` below), Chinese,
//! Japanese, Korean, Russian. Words are in lower case. A phrase of a language with blanks counts
//! between word boundaries, one without blanks anywhere.

/// Words that forbid, require or limit: a sentence with one of them is a constraint.
pub(crate) const BINDING: &[&str] = &[
    "never", "must", "mustn't", "don't", "do not", "does not need", "doesn't need", "always", "only", "no more than",
    "at most", "at least", "not allowed", "forbidden", "avoid", "without", "shall", "should", "shouldn't", "cannot",
    "can't", "may not", "need to", "needs to", "have to", "has to", "required", "requires", "make sure", "ensure",
    "instead of", "unless", "except", "keep", "exactly", "leave", "prefer", "rather", "limit", "up to", "under",
    "within", "before you", "no longer than", "in any case", "as long as", "maximum", "minimum", "not want", "won't",
    "important", "nothing but", "allowed", "not to", "mandatory", "stick to", "refrain", "no need",
    // de
    "nie", "niemals", "nicht", "kein", "keine", "keinen", "muss", "müssen", "darf", "dürfen", "immer", "nur", "soll",
    "sollen", "höchstens", "mindestens", "ohne", "lieber", "bitte", "vermeide", "statt", "ausschließlich",
    // fr
    "jamais", "toujours", "ne pas", "n'", "doit", "dois", "doivent", "faut", "seulement", "uniquement", "sans",
    "au plus", "au moins", "évite", "évitez", "plutôt", "pas de",
    // es pt it
    "nunca", "siempre", "sempre", "no debes", "debe", "deben", "deve", "devono", "solo", "sólo", "somente", "apenas",
    "soltanto", "sin", "sem", "senza", "evita", "evite", "mai", "não", "non", "al menos", "como máximo", "prefiero",
    // ru
    "никогда", "всегда", "не", "нельзя", "должен", "должна", "должны", "только", "нужно", "без", "избегай",
    // zh ja ko
    "不要", "不能", "不得", "必须", "只能", "禁止", "务必", "不可", "避免", "始终", "应该", "应当", "最多", "至少", "一定要", "别",
    "ないで", "禁止", "必ず", "なければ", "だけ", "してはいけ", "べき", "ください", "のみ", "以内",
    "하지 마", "하지 말", "반드시", "항상", "만 ", "금지", "해야", "않도록", "이내",
];

/// Words that bind wherever they are in a sentence. The others also tell what is so.
pub(crate) const COMMANDING: &[&str] = &[
    "must", "mustn't", "must not", "do not", "don't", "not allowed", "forbidden", "at most", "at least", "no more than", "no longer than",
    "you should", "you may not", "you may only", "you cannot", "you can't", "you have to", "you need to", "make sure", "ensure", "your task",
    "should be", "should not", "shouldn't", "prefer", "required", "mandatory", "always", "rather than", "instead of", "only if", "unless",
    // de
    "muss", "müssen", "darf", "dürfen", "soll", "niemals", "höchstens", "mindestens",
    // fr
    "doit", "doivent", "faut", "jamais", "toujours", "je préfère",
    // es pt it
    "nunca", "siempre", "sempre", "debe", "deve", "prefiero", "prefiro", "preferisco",
    // ru
    "нельзя", "должен", "должна", "должны", "никогда",
    // zh ja ko
    "不要", "不能", "不得", "必须", "只能", "禁止", "务必", "应当", "应该", "一定要", "最多", "至少", "请勿",
    "必ず", "なければ", "ないで", "반드시", "금지", "해야", "하지 마",
];

/// Words with which users say what they want: a wish binds less than a limit.
pub(crate) const WISHING: &[&str] = &[
    "i want", "i need", "i'd like", "i would like", "i was hoping", "we need", "we want", "please",
    // de
    "ich möchte", "ich will", "ich brauche", "wir brauchen", "ich hätte gern", "bitte",
    // fr
    "je veux", "je voudrais", "j'aimerais", "j'ai besoin", "s'il te plaît", "s'il vous plaît",
    // es pt it
    "quiero", "quisiera", "necesito", "quero", "preciso", "gostaria", "voglio", "vorrei", "por favor", "per favore",
    // ru
    "хочу", "хотел бы", "хотела бы", "мне нужно", "пожалуйста",
    // zh ja ko
    "我希望", "我想要", "我要", "我需要", "请你", "请先", "してほしい", "したいです", "ください", "お願い", "고 싶", "원합니다", "주세요",
];

/// Verbs with which an order begins in English: a short sentence that begins with one sets something.
pub(crate) const ORDERS: &[&str] = &[
    "use", "keep", "write", "run", "set", "leave", "avoid", "ask", "make", "limit", "return", "answer", "stick", "wait",
    "treat", "name", "format", "add", "put", "call", "follow", "include", "exclude", "skip", "ignore", "reply", "respond",
    "stop", "start", "store", "save", "test", "target", "assume", "prefer", "ensure", "do", "please", "pin", "log", "commit",
    "sign", "remember", "send", "pay", "book", "charge", "report", "document", "comment", "order", "sort", "stay", "work", "be",
];

/// Words with which a condition begins in English.
pub(crate) const CONDITIONS: &[&str] = &["if", "when", "whenever", "once", "where", "for", "in", "before", "after", "while"];

/// Words that take back what was said before.
pub(crate) const TAKING_BACK: &[&str] = &[
    "forget", "ignore", "never mind", "nevermind", "no longer", "not anymore", "any more", "after all", "drop the", "scrap",
    "undo", "revert", "doesn't matter", "is fine now", "lift", "instead", "changed my mind", "scratch that", "vergiss", "doch", "nicht mehr", "oublie", "finalement", "olvida", "al final", "esquece", "dimentica", "забудь", "算了", "不用了",
    "取消", "もういい", "취소",
];
/// Words that allow what was forbidden before.
pub(crate) const PERMITTING: &[&str] = &["you can", "you may"];

/// Words with which an agent tells what it found, decided or did.
pub(crate) const TELLING: &[&str] = &[
    "found", "because", "confirm", "confirmed", "confirms", "cause", "caused", "issue is", "problem is", "fixed", "works",
    "working", "passes", "passed", "failed", "fails", "failing", "cannot", "can't", "decided", "instead", "not", "remain",
    "remains", "remaining", "still", "verdict", "complete", "completed", "done", "successfully", "created", "added",
    "updated", "removed", "changed", "implemented", "total", "cost", "costs", "available", "shows", "means", "located",
    "defined", "returns", "missing", "requires", "so the", "therefore", "turns out", "root", "result", "results", "now",
    "cancelled", "canceled", "booked", "refund", "reverted", "committed", "gefunden", "weil", "behoben", "erledigt",
    "trouvé", "parce que", "corrigé", "terminé", "encontrado", "porque", "corregido", "concluído", "потому", "исправлено",
    "готово", "发现", "因为", "修复", "完成", "原因", "问题是", "已", "確認", "修正", "完了", "완료", "검증", "수정",
];

/// Words with which an agent only announces what it does next, or is polite.
pub(crate) const ANNOUNCING: &[&str] = &[
    "let me", "let's", "i'll", "i will", "i need to", "i should", "now i", "next, i", "i'm going to", "i am going to",
    "first, i", "to do this", "feel free", "let me know", "please provide", "please let", "could you", "would you like",
    "happy to", "you're welcome", "thank you", "i understand", "i'm sorry", "i apologize", "ich werde", "lass mich", "je vais", "voy a", "vou",
    "我来", "让我", "我将", "接下来", "まず", "次に",
];

/// Words of a question for leave: the answer `yes` means what it asks.
pub(crate) const QUESTION_MARKS: [char; 2] = ['?', '？'];

/// Marks of an error in a result, in lower case.
pub(crate) const ERROR_MARKS: [&str; 22] = [
    "error:", "exception:", "error[", "error (", "errors:", "fatal:", "panicked at", "failed", "failure", "not found", "no such file",
    "permission denied", "cannot ", "can't ", "denied", "traceback (most recent", "unable to", "undefined", "does not exist", "exit code ", "invalid", "refused",
];

/// What the first line of a result says that was refused, and what any line of a short one says.
pub(crate) const FIRST_REFUSALS: &[&str] = &["no such file", "no matches found", "command not found", "does not exist", "permission denied", "not found"];
pub(crate) const REFUSALS: &[&str] = &[
    "no replacement was performed", "did not appear verbatim", "invalid arguments", "missing required", "the tool use was rejected",
    "is a directory", "cannot access", "no changes to apply", "syntax error",
];

/// Openings of lines of source code that speak of errors.
pub(crate) const CODE_OPENINGS: &[&str] = &[
    "//", "#", "*", "/*", "def ", "class ", "raise ", "throw ", "except", "catch", "return ", "if ", "assert ", "import ",
    "from ", "with ", "print(", "\"\"\"", "try", "console.", "pub ", "fn ", "let ", "const ", "self.", "else", "elif", ">>> ", "+", "-", "|",
];

/// Words of a line that tells how a run went.
pub(crate) const OUTCOMES: &[&str] = &[
    "passed", "failed", "test result", "tests", "ok", "success", "successfully", "succeeded", "created", "written", "built",
    "finished", "warnings", "errors", "total", "changed", "insertions", "edited", "updated", "saved", "done", "match", "matches",
];

/// The first words of tools that only look.
pub(crate) const LOOKING: &[&str] = &[
    "read", "view", "get", "look", "list", "search", "find", "grep", "glob", "ls", "cat", "open", "goto", "scroll", "think",
    "calculate", "fetch", "show", "query", "lookup", "describe", "check", "inspect", "browse", "navigate", "screenshot", "head", "tail", "load", "retrieve", "count", "web", "take",
];
/// The first words of looking tools whose result is a file, so that it was read.
pub(crate) const READING: &[&str] = &["read", "view", "cat", "open", "show", "load"];
/// The first words of looking tools that only search or list, so that nothing was read.
pub(crate) const SEARCHING: &[&str] = &["search", "find", "grep", "glob", "ls", "list", "goto", "scroll", "mkdir", "tree", "locate"];
/// Words of tools that write files.
pub(crate) const WRITING: &[&str] = &["write", "edit", "create", "insert", "replace", "append", "patch", "update", "save", "modify", "apply"];
/// Words of tools that delete files.
pub(crate) const DELETING: &[&str] = &["delete", "remove", "rm", "unlink"];
/// Words of tools that keep a list of steps.
pub(crate) const PLANNING: &[&str] = &["todo", "todos", "plan", "tasks"];
/// Names of tools that run a command.
pub(crate) const SHELLS: &[&str] = &["bash", "shell", "run", "sh", "exec", "execute_bash", "run_shell_command", "execute_command", "exec_command", "run_command", "run_terminal_cmd", "terminal", "local_shell", "container.exec", "powershell", "cmd", "execute", "command"];

/// Programs that only look.
pub(crate) const LOOK_PROGRAMS: &[&str] = &[
    "ls", "cat", "grep", "rg", "find", "head", "tail", "sed", "nl", "wc", "tree", "pwd", "which", "echo", "stat", "file", "less", "more", "du", "df", "env", "printenv", "date", "whoami", "ps", "diff", "sort", "uniq", "cut", "awk", "jq", "bat", "fd", "ag", "type", "open", "goto", "scroll_down", "scroll_up", "find_file", "search_dir", "search_file", "sleep", "true", "test", "[", "printf", "xxd", "hexdump", "strings", "realpath", "basename", "dirname", "gci", "dir", "get-content", "get-childitem", "select-string",
];
/// Programs that show files.
pub(crate) const READ_PROGRAMS: &[&str] = &["cat", "head", "tail", "sed", "nl", "less", "more", "bat", "open", "get-content", "type", "awk", "jq"];
/// Programs that change files or the state of a repository.
pub(crate) const CHANGE_PROGRAMS: &[&str] = &["rm", "mv", "cp", "mkdir", "touch", "ln", "chmod", "chown", "tee", "apply_patch", "edit", "create", "insert", "append", "submit", "patch", "rmdir", "unlink", "install", "rsync", "write", "remove-item", "set-content"];
/// Words behind `git` that only look.
pub(crate) const GIT_LOOKS: &[&str] = &["status", "log", "diff", "show", "branch", "remote", "blame", "grep", "rev-parse", "ls-files", "describe", "reflog"];

/// Names of arguments that hold a path.
pub(crate) const PATH_ARGUMENTS: &[&str] = &["path", "file_path", "filepath", "file", "filename", "absolute_path", "target_file", "relative_workspace_path", "notebook_path", "paths", "files", "file_name", "filePath", "absolutePath", "TargetFile", "AbsolutePath", "fileName"];
/// Names of arguments that hold the text of a file, or what replaces it.
pub(crate) const BULK_ARGUMENTS: &[&str] = &["content", "file_text", "new_str", "new_string", "newString", "contents", "replacement", "code", "patch", "diff", "text", "new_content", "CodeContent", "body"];
/// Names of arguments that hold what was replaced.
pub(crate) const OLD_ARGUMENTS: &[&str] = &["old_str", "old_string", "oldString", "search", "find"];
/// Names of arguments that say how a call is made, not what it does.
pub(crate) const QUIET_ARGUMENTS: &[&str] = &["workdir", "timeout", "timeout_ms", "description", "task_progress", "requires_approval", "security_risk", "yield_time_ms", "max_output_tokens", "explanation", "run_in_background", "is_input", "is_background", "login", "with_escalated_permissions", "justification", "sandbox_permissions", "cwd", "dir_path", "thought"];
/// Names of arguments that hold a command.
pub(crate) const COMMAND_ARGUMENTS: &[&str] = &["command", "cmd", "script", "input", "CommandLine", "commands"];
/// Members of a result that hold what was printed.
pub(crate) const OUTPUT_KEYS: &[&str] = &["output", "stdout", "content", "result", "text", "stderr", "error", "message", "data"];
/// Members of a result that hold the exit status.
pub(crate) const EXIT_KEYS: &[&str] = &["exit_code", "exitCode", "returncode", "return_code", "exit_status"];
/// Before the exit status in a result.
pub(crate) const EXIT_LINES: &[&str] = &["exit code ", "exit code: ", "Exit code: ", "Exit Code: ", "exited with code ", "<returncode>", "exit status: ", "exit status "];

/// Endings of files.
pub(crate) const FILE_ENDINGS: &[&str] = &[
    "py", "rs", "c", "h", "cc", "cpp", "hpp", "js", "ts", "tsx", "jsx", "mjs", "cjs", "go", "java", "md", "rst", "json", "jsonl", "toml",
    "yaml", "yml", "txt", "sh", "html", "css", "scss", "pony", "sql", "csv", "tsv", "lock", "cfg", "ini", "xml", "log", "pdf", "bin",
    "png", "jpg", "svg", "so", "rb", "php", "cs", "kt", "swift", "lua", "vue", "gd", "tscn", "ipynb", "parquet", "zip", "gz", "env", "tres", "pyi", "ex", "exs", "scala", "proto", "graphql", "tf", "mdx", "bat", "ps1", "db", "tex", "wav", "mp4", "gitignore", "docx", "xlsx",
];

/// Tags of blocks that a harness puts beside the user's words in the same message.
pub(crate) const HARNESS_TAGS: &[&str] = &[
    "environment_context", "environment_details", "system-reminder", "additional_data",
    "attached_files", "open_and_recently_viewed_files", "ide_opened_file", "ide_selection", "task-notification",
    "session_context", "hook_context", "ADDITIONAL_METADATA", "USER_SETTINGS_CHANGE", "user_instructions", "INSTRUCTIONS", "permissions instructions",
    "local-command-stdout", "local-command-stderr", "local-command-caveat", "command-message", "command-name", "bash-stdout", "bash-stderr", "turn_aborted",
];
/// Headings with which a harness's own words begin behind the user's.
pub(crate) const HARNESS_SECTIONS: &[&str] = &[
    "\n# task_progress RECOMMENDED", "\n# task_progress List (Optional", "\n# task_progress CREATION REQUIRED",
    "\n# TODO LIST RECOMMENDED", "\n# TODO LIST UPDATE REQUIRED",
];
/// Openings of messages in the user's name that a harness wrote.
pub(crate) const NOTICES: &[&str] = &[
    "Caveat: The messages below were generated by the user while running local commands", "[Request interrupted by user",
    "Here is a demonstration of how to", "[The user interrupted", "Retrieved knowledge from microagents", "Base directory for this skill:",
    "Added workspace context", "Continue if you have next steps, or stop and ask for clarification",
    "Please always provide EXACTLY ONE action", "[TASK RESUMPTION] This task was interrupted",
    "[ERROR] You did not use a tool in your previous response!", "The following is an <EPHEMERAL_MESSAGE>",
    "The following is a <SYSTEM_MESSAGE>",
];
/// Openings of messages in the user's name that are the output of a call.
pub(crate) const OUTPUTS: &[&str] = &[
    "Ran `", "OBSERVATION:", "Observation:", "EXECUTION RESULT of [", "Result of search_", "<returncode>", "Created At: 20", "[execute_command", "Your command ran successfully and did not produce any output.",
];
/// Lines that harnesses print around results.
pub(crate) const FURNITURE: &[&str] = &[
    "(Open file:", "(Current directory:", "bash-$", "Here's the result of running", "Wall time", "Chunk ID:", "Original token count", "Output:", "Process exited with code 0", "Process running",
    "[Current working directory:", "[Python interpreter:", "[Command finished with exit code 0]", "[The command completed with exit code 0.]", "<output>", "</output>", "<returncode>0", "[File:", "(Error: ", "Review the changes and make sure",
    "OBSERVATION:", "Observation:", "Exit code: 0", "Exit Code: 0", "Background PIDs:", "Process Group PGID:", "Signal:", "Error: (none)", "Stderr: (empty)", "<environment_details>",
];
/// Openings of summaries that other agents write.
pub(crate) const SUMMARY_OPENINGS: &[&str] = &[
    "This session is being continued from a previous conversation", "Another language model started to solve this problem",
    "The conversation history before this point was compacted into the following summary", "<CONTEXT_STATE>", "USER_CONTEXT:",
];
/// Words in headings of summaries below which limits stand, and those below which open steps stand.
pub(crate) const LIMIT_HEADINGS: &[&str] = &["constraint", "preference", "instruction", "rule", "user message"];
pub(crate) const OPEN_HEADINGS: &[&str] = &["next", "pending", "in progress", "blocked", "current", "remaining", "open", "active"];
/// Words in headings of summaries below which the goal stands.
pub(crate) const GOAL_HEADINGS: &[&str] = &["goal", "objective", "intent", "request", "task overview"];

/// A result that a converter puts where the log has none.
pub(crate) const NO_RESULT: &str = "[no result in the log]";
