//! A program as summarizer: it reads the prompt on stdin and writes the summary to stdout.
//!
//! A status other than 0 and an empty output are failures.

use crate::summary::error::SummaryError;
use crate::summary::summarizer::{Summarizer, SummaryRequest};
use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The maximum length of a summary in bytes.
const MAX_OUTPUT_BYTES: u64 = 16 << 20;
/// The time to wait for output after the program has ended. A child of it may hold the pipe open.
const GRACE: Duration = Duration::from_secs(1);
/// The maximum length of a thread id in the environment, in bytes.
const MAX_ID_BYTES: usize = 4096;

/// A summarizer that runs a program for each summary.
pub(crate) struct CommandSummarizer {
    program: PathBuf,
    arguments: Vec<String>,
    /// All that the program sees of the environment.
    environment: Vec<(OsString, OsString)>,
}

impl CommandSummarizer {
    /// Creates a summarizer from the text behind `command:`: a program, or a program and its
    /// arguments separated by blanks. An existing file whose name is the entire text takes
    /// precedence. The program gets these variables of the environment and no others.
    pub(crate) fn new(line: &str, environment: Vec<(OsString, OsString)>) -> Self {
        let mut words = line.split_whitespace();
        match std::path::absolute(line) {
            // A file of the current directory needs no `./`.
            Ok(program) if program.is_file() => {
                Self { program, arguments: Vec::new(), environment }
            }
            _ => Self {
                program: words.next().unwrap_or_default().into(),
                arguments: words.map(str::to_owned).collect(),
                environment,
            },
        }
    }

    /// Returns true if the program exists. A program without a directory is searched for in `path`.
    pub(crate) fn exists(&self, path: &[PathBuf]) -> bool {
        if self.program.components().count() > 1 {
            return self.program.is_file();
        }
        path.iter().any(|directory| directory.join(&self.program).is_file())
    }

    fn start_program(&self, request: &SummaryRequest<'_>) -> Result<Child, String> {
        let id = request.thread_id.replace('\0', "\u{fffd}");
        let id = &id[..id.floor_char_boundary(MAX_ID_BYTES)];
        Command::new(&self.program)
            .args(&self.arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("EPITOME_THREAD_ID", id)
            .env("EPITOME_MESSAGES", request.turns.len().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("can't be started: {error}"))
    }

    fn run_program(&self, request: &SummaryRequest<'_>) -> Result<String, String> {
        let mut child = self.start_program(request)?;
        let stdout = read_in_background(child.stdout.take());
        let stderr = read_in_background(child.stderr.take());
        // Written while the output is read: a program may answer before it has read everything, or
        // never read.
        let written = write_in_background(&mut child, (request.prompt)().text());
        let status = child.wait().map_err(|error| format!("can't be waited for: {error}"))?;
        let output = stdout
            .recv_timeout(GRACE)
            .map_err(|_| "exited, but a process that it started still holds its output open")?;
        if !status.success() {
            let stderr = last_line(&stderr, status);
            return Err(format!("failed ({status}): {stderr}"));
        }
        match written.recv_timeout(GRACE) {
            // A program that ignores its stdin may close it.
            Ok(Err(error)) if error.kind() != ErrorKind::BrokenPipe => {
                return Err(format!("does not read its prompt: {error}"));
            }
            _ => {}
        }
        if output.len() as u64 > MAX_OUTPUT_BYTES {
            return Err(format!("wrote more than the limit of {MAX_OUTPUT_BYTES} bytes"));
        }
        String::from_utf8(output).map_err(|error| format!("wrote invalid UTF-8: {error}"))
    }
}

impl Summarizer for CommandSummarizer {
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String, SummaryError> {
        self.run_program(request)
            .map_err(|failure| SummaryError::Command { program: self.program.clone(), failure })
    }
}

/// Reads a pipe on a thread of its own. Bytes beyond the limit are read, so that the program can
/// end, and dropped.
fn read_in_background(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // If bytes can't be read, the summary is empty or cut, and the status shows the
            // failure.
            let _ = (&mut pipe).take(MAX_OUTPUT_BYTES + 1).read_to_end(&mut bytes);
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        }
        // The receiver is gone if the time was up.
        let _ = sender.send(bytes);
    });
    receiver
}

/// Writes the prompt to the program's stdin on a thread of its own.
fn write_in_background(child: &mut Child, prompt: String) -> Receiver<std::io::Result<()>> {
    let (sender, receiver) = channel();
    let stdin = child.stdin.take();
    std::thread::spawn(move || {
        let written = stdin.map_or(Ok(()), |mut stdin| stdin.write_all(prompt.as_bytes()));
        let _ = sender.send(written);
    });
    receiver
}

/// Returns the last line on stderr that is not blank.
fn last_line(stderr: &Receiver<Vec<u8>>, status: ExitStatus) -> String {
    let stderr = stderr.recv_timeout(GRACE).unwrap_or_default();
    let text = String::from_utf8_lossy(&stderr);
    text.lines()
        .rfind(|line| !line.trim().is_empty())
        .map_or_else(|| format!("nothing on stderr, {status}"), str::to_owned)
}
