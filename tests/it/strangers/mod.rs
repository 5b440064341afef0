//! Directories and configurations that somebody else made: nothing outside of the named directories
//! is read into a message, written or deleted, and nobody else gets a conversation or a key.
#![cfg(unix)]

mod configurations;
mod paths;
mod servers;

use crate::harness::Dir;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A word that stands only in files outside of the folder in which commands run.
const SECRET: &str = "PRECIOUS-7431";
/// A command that takes longer waits for a pipe, or reads without end.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder `work` for commands, and beside it files that must stay as they are.
struct Outside {
    dir: Dir,
}

impl Outside {
    fn new() -> Self {
        let dir = Dir::new();
        dir.write("outside/victim", SECRET)
            .write("outside/in/a.jsonl", SECRET)
            .write("victim", SECRET)
            .write("work/in/a.jsonl", crate::talk::talk("a", 8));
        fs::create_dir_all(dir.path("work/out")).unwrap();
        symlink(dir.path("outside"), dir.path("work/link")).unwrap();
        symlink(dir.path("outside"), dir.path("work/out/link")).unwrap();
        Self { dir }
    }

    /// Runs a command in `work`. Returns its stderr.
    fn run(&self, words: &str, what: &str) -> String {
        self.run_with(words, what, &[])
    }

    fn run_with(&self, words: &str, what: &str, variables: &[(&str, &str)]) -> String {
        let mut command = self.dir.command(words);
        command.envs(variables.iter().copied());
        self.unchanged_after(command, what)
    }

    /// Runs a command in `work`: what is outside stays as it is, and no message tells it.
    fn unchanged_after(&self, mut command: Command, what: &str) -> String {
        command.current_dir(self.dir.path("work"));
        let what = format!("{:?} where {what}", command.get_args().collect::<Vec<_>>());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let began = Instant::now();
        // The output of these commands fits into a pipe.
        while child.try_wait().unwrap().is_none() {
            if began.elapsed() > PATIENCE {
                child.kill().unwrap();
                panic!("{what}: it does not end");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.code().is_some_and(|code| code <= 4),
            "{what}: {:?} {stderr}",
            output.status
        );
        assert!(!stderr.contains(SECRET) && !stdout.contains(SECRET), "{what}: {stderr}{stdout}");
        let left = self.dir.tree("outside");
        let names: Vec<&str> = left.keys().map(String::as_str).collect();
        assert_eq!(names, ["in/a.jsonl", "victim"], "{what}");
        assert!(left.values().all(|bytes| bytes == SECRET.as_bytes()), "{what}");
        assert_eq!(self.dir.read("victim"), SECRET, "{what}");
        let beside: Vec<_> = fs::read_dir(self.dir.path("")).unwrap().collect();
        assert_eq!(beside.len(), 3, "{what}: {beside:?}");
        stderr
    }
}

/// Paths that lead out of `work/out`, or to nothing that may be named.
fn hostile_paths(outside: &Outside) -> Vec<String> {
    let absolute = |path: &str| outside.dir.path(path).display().to_string();
    let mut paths: Vec<String> = [
        "../../victim",
        "../../outside/victim",
        "a/../../../victim",
        "conversation_history/../../../outside/victim",
        "large_tool_results/../../../new",
        "link/victim",
        "link/new",
        "..",
        ".",
        "",
        "../../outside\u{0}",
        "a\u{0}b",
        "//dev/null",
        "/proc/self/environ",
    ]
    .map(str::to_owned)
    .to_vec();
    paths.extend(["outside/victim", "outside/new", "outside", "victim"].map(absolute));
    paths
}
