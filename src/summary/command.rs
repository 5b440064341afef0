//! Any program as summarizer: the prompt on its stdin, its trimmed stdout is
//! the summary. A status other than 0 or an empty output is a failure.

use crate::summary::{Summarizer, SummaryRequest};
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// More is no summary.
const MOST_OUTPUT: u64 = 16 << 20;
/// How long output is waited for once the program has ended: a child of it may hold the pipe open.
const GRACE: Duration = Duration::from_secs(1);
/// What of a thread id goes into the environment, in bytes.
const MOST_ID: usize = 4096;

/// Runs a program for each summary.
pub struct CommandSummarizer {
    program: PathBuf,
    arguments: Vec<String>,
}

impl CommandSummarizer {
    /// From what stands behind `command:`: a program, or a program and its
    /// arguments with blanks between them (a file of that whole name goes first).
    #[must_use]
    pub fn new(line: &str) -> Self {
        let mut words = line.split_whitespace();
        match std::path::absolute(line) {
            // A file of the current directory needs no `./`.
            Ok(program) if program.is_file() => Self {
                program,
                arguments: Vec::new(),
            },
            _ => Self {
                program: words.next().unwrap_or_default().into(),
                arguments: words.map(str::to_owned).collect(),
            },
        }
    }

    /// Whether there is such a program; `path` is where programs without a directory are looked for.
    #[must_use]
    pub fn exists(&self, path: &[PathBuf]) -> bool {
        if self.program.components().count() > 1 {
            return self.program.is_file();
        }
        path.iter()
            .any(|directory| directory.join(&self.program).is_file())
    }

    fn failed(&self, what: &str, error: &dyn std::fmt::Display) -> String {
        format!("the summarizer {} {what}: {error}", self.program.display())
    }

    fn start(&self, request: &SummaryRequest<'_>) -> Result<Child, String> {
        let id = request.thread_id.replace('\0', "\u{fffd}");
        let id = &id[..id.floor_char_boundary(MOST_ID)];
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .env("EPITOME_THREAD_ID", id)
            .env("EPITOME_MESSAGES", request.turns.len().to_string());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
            .spawn()
            .map_err(|error| self.failed("can't be started", &error))
    }
}

impl Summarizer for CommandSummarizer {
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String, String> {
        let mut child = self.start(request)?;
        let (stdout, stderr) = (collect(child.stdout.take()), collect(child.stderr.take()));
        // Written beside the reading: a program may answer before it has read all, or never read.
        let written = feed(&mut child, (request.prompt)().text());
        let status = child
            .wait()
            .map_err(|error| self.failed("can't be waited for", &error))?;
        let output = stdout.recv_timeout(GRACE).map_err(|_| {
            self.failed(
                "has ended",
                &"but something it started keeps its output open",
            )
        })?;
        if !status.success() {
            return Err(self.failed(&format!("failed ({status})"), &last_line(&stderr, status)));
        }
        match written.recv_timeout(GRACE) {
            // A program that does not want its stdin may close it.
            Ok(Err(error)) if error.kind() != ErrorKind::BrokenPipe => {
                return Err(self.failed("does not take its prompt", &error));
            }
            _ => {}
        }
        if output.len() as u64 > MOST_OUTPUT {
            return Err(self.failed("wrote more than it may", &format!("{MOST_OUTPUT} bytes")));
        }
        String::from_utf8(output).map_err(|error| self.failed("wrote no UTF-8", &error))
    }
}

/// Reads a pipe on a thread of its own. What exceeds the limit is read, so that the program can end, and dropped.
fn collect(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What can't be read is missing, and then the summary is empty or cut: the status tells.
            let _ = (&mut pipe).take(MOST_OUTPUT + 1).read_to_end(&mut bytes);
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        }
        // Nobody waits any more if the time was up.
        let _ = sender.send(bytes);
    });
    receiver
}

fn feed(child: &mut Child, prompt: String) -> Receiver<std::io::Result<()>> {
    let (sender, receiver) = channel();
    let stdin = child.stdin.take();
    std::thread::spawn(move || {
        let written = stdin.map_or(Ok(()), |mut stdin| stdin.write_all(prompt.as_bytes()));
        let _ = sender.send(written);
    });
    receiver
}

fn last_line(stderr: &Receiver<Vec<u8>>, status: ExitStatus) -> String {
    let stderr = stderr.recv_timeout(GRACE).unwrap_or_default();
    let text = String::from_utf8_lossy(&stderr);
    text.lines()
        .rfind(|line| !line.trim().is_empty())
        .map_or_else(|| format!("nothing on stderr, {status}"), str::to_owned)
}
