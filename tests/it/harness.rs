//! A private folder for each test, and `epitome` run in it: `dir.epitome("compact a.jsonl -o
//! out").ok()`.

use assert_cmd::Command;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Stdio};
use tempfile::TempDir;

/// 2026-01-01: the time of every archive section.
pub(crate) const EPOCH: &str = "1767225600";

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_epitome");

/// Returns the program that a [`Dir`] runs: another one with all features, if `EPITOME_FULL_PROGRAM` names it.
fn program() -> String {
    std::env::var("EPITOME_FULL_PROGRAM").unwrap_or_else(|_| PROGRAM.to_owned())
}

/// Returns true if the program that a [`Dir`] runs has the features of a release: Parquet and tokenizers.
pub(crate) fn is_full_program() -> bool {
    cfg!(feature = "full") || std::env::var_os("EPITOME_FULL_PROGRAM").is_some()
}

/// Runs a Python script of the project with the program under test. Returns what it printed; none, with a
/// word, where Python is missing.
#[expect(clippy::print_stderr, reason = "says what was skipped")]
pub(crate) fn run_script(script: &str, arguments: &[&str]) -> Option<process::Output> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(script);
    let ran = process::Command::new("python3").arg(script).arg(PROGRAM).args(arguments).output();
    if ran.is_err() {
        eprintln!("skipped: python3 is not installed");
    }
    ran.ok()
}

/// A folder that ends with the test.
pub(crate) struct Dir {
    folder: TempDir,
}

impl Dir {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder on a file system in memory, where the system has one: hundreds of runs that sync their files
    /// don't wait for a disk.
    pub(crate) fn in_memory() -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self { folder: folder.unwrap() }
    }

    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(relative)
    }

    /// Writes a file, and the folders that it lies in.
    pub(crate) fn write(&self, relative: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    pub(crate) fn bytes(&self, relative: &str) -> Vec<u8> {
        fs::read(self.path(relative)).unwrap_or_else(|error| {
            panic!("{relative}: {error}; there is {:#?}", self.tree("").keys())
        })
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        String::from_utf8(self.bytes(relative)).unwrap()
    }

    pub(crate) fn exists(&self, relative: &str) -> bool {
        self.path(relative).symlink_metadata().is_ok()
    }

    /// Every file below a folder, by its path from there.
    pub(crate) fn tree(&self, relative: &str) -> BTreeMap<String, Vec<u8>> {
        tree(&self.path(relative))
    }

    /// `out/report.json`.
    pub(crate) fn report(&self) -> serde_json::Value {
        serde_json::from_slice(&self.bytes("out/report.json")).unwrap()
    }

    /// The entries of `out/report.json`.
    pub(crate) fn entries(&self) -> Vec<serde_json::Value> {
        self.report()["transcripts"].as_array().unwrap().clone()
    }

    /// Writes a shell script and gives its whole path.
    #[cfg(unix)]
    pub(crate) fn script(&self, name: &str, body: &str) -> String {
        use std::os::unix::fs::PermissionsExt;
        self.write(name, format!("#!/bin/sh\n{body}\n"));
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
        self.path(name).to_str().unwrap().to_owned()
    }

    /// The program, run here with these words.
    pub(crate) fn epitome(&self, words: &str) -> Epitome {
        Epitome { command: Command::from_std(self.command(words)), words: words.to_owned() }
    }

    /// The program with these words, to be started here.
    pub(crate) fn command(&self, words: &str) -> process::Command {
        let mut command = process::Command::new(program());
        command
            .current_dir(self.folder.path())
            .env_clear()
            .envs(environment())
            .args(words.split_whitespace());
        command
    }

    /// Starts the program with these words and goes on beside it.
    pub(crate) fn start(&self, words: &str) -> Child {
        start(self.command(words))
    }
}

/// Starts a command. Its stderr waits to be read.
pub(crate) fn start(mut command: process::Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// All that the program sees of our environment.
pub(crate) fn environment() -> impl Iterator<Item = (&'static str, String)> {
    let kept = ["PATH", "TMPDIR", "LLVM_PROFILE_FILE"]
        .into_iter()
        .filter_map(|name| Some((name, std::env::var(name).ok()?)));
    kept.chain([("SOURCE_DATE_EPOCH", EPOCH.to_owned())])
}

/// Every file below `root`, by its path from there; a link is a file.
pub(crate) fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                walk(root, &entry.path(), files);
            } else {
                let name = entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                files.insert(name, fs::read(entry.path()).unwrap_or_default());
            }
        }
    }
    let mut files = BTreeMap::new();
    walk(root, root, &mut files);
    files
}

/// A command that has not run yet.
pub(crate) struct Epitome {
    command: Command,
    words: String,
}

impl Epitome {
    /// One more argument, blanks and all.
    pub(crate) fn arg(mut self, argument: impl AsRef<std::ffi::OsStr>) -> Self {
        self.words = format!("{} {:?}", self.words, argument.as_ref());
        self.command.arg(argument);
        self
    }

    /// Run in a folder below.
    pub(crate) fn from(mut self, relative: &str) -> Self {
        let folder = self.command.get_current_dir().unwrap().join(relative);
        self.command.current_dir(folder);
        self
    }

    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.command.write_stdin(bytes);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn ok(self) -> FinishedRun {
        self.fails(0)
    }

    /// Runs it; it must end with this status, and without a panic.
    pub(crate) fn fails(self, status: i32) -> FinishedRun {
        let words = self.words.clone();
        let (code, ran) = self.run();
        assert_eq!(code, status, "status of epitome {words}\nstderr: {}", ran.stderr);
        ran
    }

    /// Runs it; it must end with a status, and without a panic.
    pub(crate) fn run(mut self) -> (i32, FinishedRun) {
        let output = self.command.output().unwrap();
        let ran = FinishedRun {
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        assert!(!ran.stderr.contains("panicked"), "epitome {}: {}", self.words, ran.stderr);
        (output.status.code().unwrap(), ran)
    }
}

/// A command that has run.
pub(crate) struct FinishedRun {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl FinishedRun {
    pub(crate) fn stdout(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    /// stderr holds each of these.
    pub(crate) fn says<const N: usize>(self, wanted: [&str; N]) -> Self {
        for text in wanted {
            assert!(self.stderr.contains(text), "stderr lacks {text:?}:\n{}", self.stderr);
        }
        self
    }
}
