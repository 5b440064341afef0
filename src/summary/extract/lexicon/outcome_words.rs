//! Words of errors and of the outcomes of calls.

/// Marks of an error line. The first two count only before a colon.
pub(crate) const ERROR_MARKS: [&str; 14] = [
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
    "not logged in",
    "no replacement was performed",
    "can't cd to",
];

/// Text before a mark in lines that only mention an error, as source code does.
pub(crate) const CODE_BEFORE_ERRORS: &[&str] = &[
    "raise ",
    "raises ",
    "except ",
    "throw ",
    "throws ",
    "catch ",
    "catch(",
    "import ",
    "class ",
    "def ",
    "fn ",
    "return ",
    "new ",
    "const ",
    "let ",
    "console.",
    "print(",
    "//",
    "/*",
    "0 ",
    "no ",
    "if it ",
    "if the ",
    "when the ",
    "only if ",
    "only when ",
    "unless ",
];

/// Values of an error field that say there was no error.
pub(crate) const EMPTY_ERROR_VALUES: [&[u8]; 9] = [
    b"(none)", b"null", b"none", b"false", b"\"\"", b"''", b"0", b"[]", b"{}",
];

/// The ends of lines about errors that change nothing.
pub(crate) const HARMLESS_ENDS: &[&str] = &["Broken pipe", "broken pipe"];

/// Names of errors that say more than that something failed.
pub(crate) const TELLING_ERRORS: &[&str] = &[
    "Error: ",
    "Exception: ",
    "panicked at",
    "error[",
    "Panic: ",
    "panic: ",
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

/// Words of a result that says that there is no such file.
pub(crate) const MISSING_FILES: &[&str] = &[
    "o such file",
    "ile not found",
    "ile does not exist",
    "not find file",
    "ENOENT",
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
    "edited ",
];

/// The beginning of a result that says that the call failed. Compared without case.
pub(crate) const FAILURE_OPENINGS: &[&str] = &[
    "error",
    "fatal",
    "traceback (most recent call last)",
    "your proposed edit has introduced",
    "exit code ",
    "command failed",
    "no replacement was performed",
    "the tool execution failed",
];

/// The beginning of a result that says that the call was not made. Compared without case.
pub(crate) const REFUSED_OPENINGS: &[&str] = &[
    "<tool_use_error>",
    "the user doesn't want",
    "the user denied",
    "file has not been read yet",
    "file has been modified since",
    "string to replace not found",
    "no changes to make: old_string",
    "file path must be within",
    "path not in workspace",
    "tool execution denied",
    "[operation cancelled]",
    "operation cancelled",
];

/// The beginning of such a result and a word behind it: a licence begins like the first, too. Compared
/// without case.
pub(crate) const REFUSED_LINES: &[[&str; 2]] =
    &[["permission to use ", " denied"], ["cd: ", "no such file"]];

/// Words in the first lines of a result that say that the call failed. Compared without case.
pub(crate) const FAILURE_MARKS: &[&str] = &[
    "no such file",
    "no matches found",
    "not found",
    "does not exist",
    "cannot access",
    "cannot open",
    "cannot find",
    "could not find",
    "can't cd to",
    "make: ***",
    "permission denied",
    "is a directory",
    "command timed out",
    "reported tool error",
    "syntax error near unexpected token",
];

/// Words of the first line of a result that says that a harness makes no calls of a kind, and what is blocked.
pub(crate) const BLOCKED_WORDS: &[&str] = &[
    "are blocked while",
    "is blocked while",
    "are blocked in",
    "is blocked in",
    "blocked by policy",
    "blocked by a hook",
];
pub(crate) const BLOCKED_SUBJECTS: &[&str] = &[
    "tools",
    "tool calls",
    "tool use",
    "this tool",
    "this command",
    "commands",
    "mutation",
    "patch execution",
    "edits",
    "writes",
];

/// What PowerShell prints behind an error, at the end of a result of any length.
pub(crate) const POWERSHELL_ERROR: &str = "+ FullyQualifiedErrorId";

/// Words of the line of a result that tells how a call went.
pub(crate) const TELLING_WORDS: &[&str] = &[
    " passing",
    " failing",
    " passed",
    " failed",
    "test result",
    "matches for",
    "success",
    "succeeded",
    "created",
    "updated",
    "written",
    "wrote ",
    "has been edited",
    "lines total)",
    "replaced",
    "installed",
    "pushed",
    "merged",
    "error:",
    "errors",
    "warnings",
    "finished",
    "finished in",
    "built in",
    "consistent",
    "flagged",
    "verified",
    " tests in ",
    "published",
    "deployed",
    "committed",
    "up to date",
    "成功",
    "失败",
    "완료",
    "erfolgreich",
];

/// Lines that a harness prints around every result.
pub(crate) const FURNITURE: &[&str] = &[
    "(Open file:",
    "(Current directory:",
    "bash-$",
    "Here's the result of running",
    "Chunk ID:",
    "Wall time:",
    "Wall time ",
    "Process exited with code 0",
    "Original token count:",
    "Total output lines:",
    "Script completed",
    "For further information visit",
    "Output:",
    "<output>",
    "</output>",
    "<returncode>0",
    "[The command completed with exit code 0",
    "[Current working directory:",
    "[Python interpreter:",
    "[Command finished with exit code 0",
    "Command: ",
    "Command `",
    "Directory: ",
    "Group PGID: ",
    "Process Group PGID: ",
    "Signal: ",
    "Background PIDs: ",
    "Error: (none)",
    "Exit Code: 0",
    "(no output)",
    "Your command ran successfully and did not produce any output",
    "(Bash completed with no output)",
    "(empty)",
    "File updated. Please review the changes",
    "(correct indentation",
    "DO NOT re-run the same failed edit",
    "Tool result too large, the result of this tool call",
    "You can read the result from the filesystem",
    "You can do this by specifying an offset",
];

/// Words of the line of a test run that counts what passed.
pub(crate) const TEST_COUNTS: &[&str] = &[
    " passing",
    " passed",
    "test result",
    " failed in",
    "tests run:",
    " consistent",
    " flagged",
];

/// Words of source code in a line that mentions an error.
pub(crate) const CODE_IN_ERRORS: &[&str] =
    &[" instanceof ", " => ", "?.", ".map_err(", "String(err"];

/// Ends of names of files of source code.
pub(crate) const CODE_EXTENSIONS: &[&str] = &[
    "c", "cc", "cpp", "cs", "css", "go", "h", "hpp", "java", "js", "jsx", "kt", "mjs", "php", "py",
    "rb", "rs", "scala", "scss", "sh", "sql", "svelte", "swift", "toml", "ts", "tsx", "vue",
    "yaml", "yml",
];

/// How the text before a mark of an error ends if it tells what may be: `only when it has failed, …`.
pub(crate) const CONDITIONAL_ENDS: &[&str] = &[" has", " have", " has actually", " if it"];

/// The beginnings of a result that only says that a search found nothing.
pub(crate) const NOT_FOUND_OPENINGS: &[&str] = &[
    "Could not find ",
    "No matches found for ",
    "No files found",
    "No results found",
];

/// Words of an error about a call that was made again at once: it says nothing of the work.
pub(crate) const SLIPS: &[&str] = &["Invalid `view_range` parameter"];
