//! Shell commands, by what they do.

/// Commands that write all of their operands.
pub(crate) const WRITING_COMMANDS: &[&str] = &[
    "tee",
    "create",
    "truncate",
    "Set-Content",
    "Add-Content",
    "Out-File",
];

/// Commands that delete all of their operands.
pub(crate) const DELETING_COMMANDS: &[&str] = &["rm", "rmdir", "unlink", "Remove-Item"];

/// Commands that write their last operand.
pub(crate) const COPYING_COMMANDS: &[&str] = &[
    "mv",
    "cp",
    "ln",
    "install",
    "rsync",
    "scp",
    "Move-Item",
    "Copy-Item",
];

/// Commands of PowerShell for files. Their options have operands of their own, so that only what looks
/// like a path is a file.
pub(crate) const POWERSHELL_FILE_COMMANDS: &[&str] = &[
    "Remove-Item",
    "Move-Item",
    "Copy-Item",
    "Set-Content",
    "Add-Content",
    "Out-File",
    "Get-Content",
    "Select-String",
];

/// Commands whose first operand is a mode or an owner, not a file.
pub(crate) const MODE_COMMANDS: &[&str] = &["chmod", "chown", "chgrp"];

/// Commands that write in place when given `-i`.
pub(crate) const EDITING_COMMANDS: &[&str] = &["sed", "perl", "awk"];

/// Commands whose first operand is a pattern or a script, not a file.
pub(crate) const PATTERN_COMMANDS: &[&str] = &[
    "sed", "perl", "awk", "grep", "egrep", "rg", "ag", "jq", "echo", "printf",
];

/// Commands whose operands are files even if they don't look like files.
pub(crate) const READING_COMMANDS: &[&str] = &[
    "cat",
    "head",
    "tail",
    "less",
    "more",
    "open",
    "source",
    "wc",
    "nl",
    "bat",
    "Get-Content",
];

/// Commands that look for names, print what they list, or make what is empty. Their operands were not read, and
/// nothing was written into them.
pub(crate) const SEARCHING_COMMANDS: &[&str] = &[
    "ls",
    "find",
    "find_file",
    "grep",
    "egrep",
    "rg",
    "ag",
    "locate",
    "tree",
    "search_dir",
    "search_file",
    "Select-String",
    "goto",
    "scroll_up",
    "scroll_down",
    "mkdir",
    "touch",
    "glob",
    "du",
    "file",
    "stat",
    "which",
    "[",
    "[[",
    "test",
];

/// Commands that run their operands. What they show is what these print.
pub(crate) const RUNNING_COMMANDS: &[&str] = &[
    "python", "python3", "pytest", "node", "npx", "jest", "vitest", "bash", "sh", "zsh", "ruby",
    "deno", "bun", "tsx", "ts-node",
];

/// Words that stand before the name of a command, and those of them behind which it may not have run.
pub(crate) const PREFIX_WORDS: &[&str] = &[
    "sudo", "env", "time", "nohup", "if", "then", "elif", "else", "while", "until", "do", "!", "{",
];
pub(crate) const CONDITIONAL_WORDS: &[&str] = &["then", "elif", "else", "do", "{"];

/// Programs with sub-commands that build or test.
pub(crate) const BUILDING_PROGRAMS: &[&str] = &[
    "npm",
    "npm.cmd",
    "npx",
    "npx.cmd",
    "pnpm",
    "yarn",
    "bun",
    "cargo",
    "go",
    "dotnet",
    "gradle",
    "gradlew",
    "mvn",
    "mvnw",
    "next",
    "vite",
    "uv",
    "poetry",
    "rake",
    "bundle",
    "mix",
    "swift",
    "xcodebuild",
    "flutter",
    "dart",
    "composer",
    "php",
    "bazel",
    "cmake",
    "meson",
    "just",
    "nx",
];

/// Words of commands that build or test what is in files.
pub(crate) const CHECKING_WORDS: &[&str] = &[
    "build",
    "check",
    "clippy",
    "compile",
    "jest",
    "lint",
    "make",
    "mypy",
    "pytest",
    "ruff",
    "tsc",
    "test",
    "tests",
    "typecheck",
    "vet",
    "vitest",
];

/// Commands that change nothing, besides those that search and read.
pub(crate) const IDLE_COMMANDS: &[&str] = &[
    "cd",
    "pwd",
    "echo",
    "printf",
    "sed",
    "awk",
    "jq",
    "sort",
    "uniq",
    "cut",
    "xargs",
    "true",
    "set",
    "export",
    "sleep",
    "env",
    "diff",
    "date",
    "whoami",
    "uname",
    "type",
    "command",
    "Get-ChildItem",
    "Get-Content",
    "Test-Path",
    "Select-String",
    "Get-Command",
    "Get-Item",
    "Select-Object",
    "Sort-Object",
    "Where-Object",
    "Format-Table",
    "Format-List",
    "Measure-Object",
    "Out-String",
    "Out-Null",
    "Join-Path",
    "Split-Path",
    "Resolve-Path",
    "Write-Output",
    "Write-Host",
    "dir",
    "for",
    "do",
    "done",
    "while",
    "if",
    "then",
    "fi",
];

/// Programs whose first operand is a sub-command: `npm ls`.
pub(crate) const COMMANDING_PROGRAMS: &[&str] = &[
    "kubectl",
    "helm",
    "npm",
    "pnpm",
    "yarn",
    "pip",
    "pip3",
    "cargo",
    "brew",
    "winget",
    "choco",
    "apt",
    "systemctl",
    "terraform",
];

/// Programs whose sub-commands stand behind what they are about: `gh pr view`.
pub(crate) const GROUPING_PROGRAMS: &[&str] = &[
    "gh", "glab", "docker", "podman", "gcloud", "aws", "az", "uv", "conda", "opencode",
];

/// Their sub-commands that change nothing: `gh auth status`, `kubectl get`.
pub(crate) const LOOKING_SUB_COMMANDS: &[&str] = &[
    "list", "ls", "status", "show", "info", "search", "view", "get", "describe", "whoami", "ps",
    "outdated",
];

/// Programs that run scripts.
pub(crate) const SCRIPTING_PROGRAMS: &[&str] = &[
    "python", "python2", "python3", "node", "bun", "deno", "ruby", "perl", "php", "bash", "sh",
    "zsh",
];

/// Sub-commands of `git` that change nothing.
pub(crate) const IDLE_GIT_COMMANDS: &[&str] = &[
    "status",
    "diff",
    "log",
    "show",
    "branch",
    "blame",
    "ls-files",
    "grep",
    "remote",
    "rev-parse",
];

/// Names of a fenced block that holds a shell command.
pub(crate) const SHELL_NAMES: &[&str] = &["", "bash", "sh", "shell", "zsh", "mswea_bash_command"];

/// Commands of SWE-agent's editor that write the file that it shows afterwards.
pub(crate) const SWE_AGENT_WRITING_COMMANDS: &[&str] = &["edit", "create", "insert", "append"];

/// Commands that take back all changes that are not committed.
pub(crate) const REVERTING_COMMANDS: &[&str] = &[
    "git checkout -- .",
    "git checkout .",
    "git reset --hard",
    "git restore .",
];

/// Commands that install what others wrote.
pub(crate) const INSTALLING_COMMANDS: &[&str] = &[
    "pip install",
    "pip3 install",
    "python -m pip install",
    "npm install",
    "npm ci",
    "apt-get install",
    "apt install",
    "winget install",
];

/// Programs that end with status 1 if they find nothing.
pub(crate) const FINDING_COMMANDS: &[&str] = &["rg", "grep", "egrep", "ag"];

/// Commands that only wait or tell what is known: that they ran says nothing.
pub(crate) const TRIVIAL_COMMANDS: &[&str] = &["pwd", "echo", "date", "sleep", "true", "whoami"];
