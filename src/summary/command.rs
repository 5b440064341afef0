//! Any program as summarizer: the prompt on its stdin, its trimmed stdout is
//! the summary. A status other than 0 or an empty output is a failure.

use crate::summary::{Request, Summarizer};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a program for each summary.
pub struct External {
    program: String,
    arguments: Vec<String>,
}

impl External {
    /// From what stands behind `command:`: a program, or a program and its
    /// arguments with blanks between them (a file of that whole name goes first).
    #[must_use]
    pub fn new(line: &str) -> Self {
        let words = || line.split_whitespace().map(str::to_owned);
        if Path::new(line).is_file() {
            return Self { program: line.to_owned(), arguments: Vec::new() };
        }
        Self { program: words().next().unwrap_or_default(), arguments: words().skip(1).collect() }
    }
}

impl Summarizer for External {
    fn summarize(&self, request: &Request<'_>) -> Result<String, String> {
        let failed = |what: &str, error: &dyn std::fmt::Display| format!("the summarizer {} {what}: {error}", self.program);
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .env("EPITOME_THREAD_ID", request.thread_id.replace('\0', "\u{fffd}"))
            .env("EPITOME_MESSAGES", request.turns.len().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed("can't be started", &error))?;
        let stdin = child.stdin.take();
        let prompt = (request.prompt)();
        // Written beside the reading: a program may answer before it has read all.
        let (written, output) = std::thread::scope(|scope| {
            let writer = scope.spawn(move || stdin.map_or(Ok(()), |mut stdin| stdin.write_all(prompt.as_bytes())));
            let output = child.wait_with_output();
            (writer.join(), output)
        });
        let output = output.map_err(|error| failed("can't be read", &error))?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            let last = stderr.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("nothing on stderr");
            return Err(failed(&format!("failed ({})", output.status), &last));
        }
        match written {
            // A program that does not want its stdin may close it.
            Ok(Err(error)) if error.kind() != ErrorKind::BrokenPipe => return Err(failed("does not take its prompt", &error)),
            Ok(_) => {}
            Err(_) => return Err(failed("does not take its prompt", &"the writer died")),
        }
        String::from_utf8(output.stdout).map_err(|error| failed("wrote no UTF-8", &error))
    }
}
