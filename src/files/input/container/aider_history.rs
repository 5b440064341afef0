//! Chat histories of Aider (`.aider.chat.history.md`): Markdown in which lines of the user begin with
//! `#### `, those of Aider itself with `> `, and all others are the model's.

use crate::files::input::container::Container;
use serde::Serialize;
use std::io::{self, BufRead, BufReader, Cursor, Read};

pub(super) struct AiderHistory;

/// The beginning of the line before each chat; the time follows it.
const CHAT_START: &str = "# aider chat started at ";

impl Container for AiderHistory {
    fn begins(&self, head: &[u8]) -> bool {
        head.trim_ascii_start().starts_with(CHAT_START.as_bytes())
    }

    fn open(&self, file: Box<dyn Read + Send>, _: usize) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(ChatReader {
            lines: BufReader::new(file),
            line: String::new(),
            chat: AiderChat::default(),
            lines_of_chat: 0,
            record: Cursor::default(),
        }))
    }
}

/// A chat as a record.
#[derive(Default, Serialize)]
struct AiderChat {
    /// When it started, as Aider writes it.
    #[serde(rename = "aider_chat")]
    started: String,
    messages: Vec<ChatMessage>,
}

#[derive(Serialize)]
struct ChatMessage {
    /// `user`, `assistant`, or `aider` for what Aider itself says.
    role: &'static str,
    content: String,
}

/// A reader of the chats of a history, as one record each. A record is followed by as many line
/// feeds as its chat has lines, so that it is in the line where the chat starts.
struct ChatReader {
    lines: BufReader<Box<dyn Read + Send>>,
    /// The line that was read last.
    line: String,
    /// The chat that is being read.
    chat: AiderChat,
    lines_of_chat: usize,
    /// The record that is being handed out.
    record: Cursor<Vec<u8>>,
}

impl Read for ChatReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.record.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            if !self.read_chat()? {
                return Ok(0);
            }
        }
    }
}

impl ChatReader {
    /// Reads up to the beginning of the next chat, and puts the record of the one before it into
    /// `record`. Returns false at the end of the file.
    fn read_chat(&mut self) -> io::Result<bool> {
        loop {
            self.line.clear();
            let is_end = self.lines.read_line(&mut self.line)? == 0;
            let start = self.line.strip_prefix(CHAT_START).map(str::trim);
            if is_end || start.is_some() {
                let next = AiderChat {
                    started: start.unwrap_or_default().to_owned(),
                    messages: Vec::new(),
                };
                let chat = std::mem::replace(&mut self.chat, next);
                let lines = std::mem::replace(&mut self.lines_of_chat, usize::from(!is_end));
                self.record = Cursor::new(chat.into_record(lines)?);
                return Ok(!is_end || lines > 0);
            }
            self.lines_of_chat += 1;
            self.chat.push_line(&self.line);
        }
    }
}

impl AiderChat {
    /// Adds a line to the last message if it is of the same role, else as a new message.
    fn push_line(&mut self, line: &str) {
        let (role, text) = match line.strip_prefix("#### ") {
            Some(text) => ("user", text),
            None if line.trim_end() == "####" => ("user", "\n"),
            None => match line.strip_prefix("> ") {
                Some(text) => ("aider", text),
                None => ("assistant", line),
            },
        };
        match self.messages.last_mut() {
            Some(last) if last.role == role => last.content.push_str(text),
            // A blank line parts messages.
            _ if text.trim().is_empty() && role == "assistant" => {
                self.messages.last_mut().into_iter().for_each(|last| last.content.push('\n'));
            }
            _ => self.messages.push(ChatMessage { role, content: text.to_owned() }),
        }
    }

    /// Returns the chat as a record with the line feeds of its lines. Nothing but these remain of
    /// what comes before the first chat, which is blank.
    fn into_record(mut self, lines: usize) -> io::Result<Vec<u8>> {
        let mut record = Vec::new();
        if !self.started.is_empty() {
            for message in &mut self.messages {
                message.content = trim_lines(&message.content, message.role);
            }
            record = serde_json::to_vec(&self)?;
        }
        record.resize(record.len() + lines, b'\n');
        Ok(record)
    }
}

/// Returns a text without blank lines around it, and without the two spaces by which Aider breaks
/// the lines of the user and its own.
fn trim_lines(text: &str, role: &str) -> String {
    if role == "assistant" {
        return text.trim_matches(['\n', '\r']).to_owned();
    }
    let lines: Vec<&str> =
        text.trim().lines().map(|line| line.strip_suffix("  ").unwrap_or(line)).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(history: &str) -> String {
        let file: Box<dyn Read + Send> = Box::new(Cursor::new(history.to_owned().into_bytes()));
        assert!(AiderHistory.begins(history.as_bytes()));
        let mut records = String::new();
        let mut reader = AiderHistory.open(file, usize::MAX).unwrap();
        reader.read_to_string(&mut records).unwrap();
        records
    }

    #[test]
    fn each_chat_is_a_record_in_the_line_where_it_starts() {
        let history = "\n# aider chat started at 2026-03-02 09:00:00\n\n> Aider v0.86.2  \n\n#### check the pump  \n#### twice  \n\n# Pump 7\n\nIt runs.\n\n> Tokens: 2k sent.  \n\n# aider chat started at 2026-03-03 10:00:00\n\n#### and now?  \n";
        let records = read(history);
        let lines: Vec<&str> = records.split('\n').collect();
        assert_eq!(
            lines[1],
            r##"{"aider_chat":"2026-03-02 09:00:00","messages":[{"role":"aider","content":"Aider v0.86.2"},{"role":"user","content":"check the pump\ntwice"},{"role":"assistant","content":"# Pump 7\n\nIt runs."},{"role":"aider","content":"Tokens: 2k sent."}]}"##
        );
        assert_eq!(
            lines[14],
            r#"{"aider_chat":"2026-03-03 10:00:00","messages":[{"role":"user","content":"and now?"}]}"#
        );
        assert_eq!(lines.len(), history.split('\n').count());
        assert!(
            lines.iter().enumerate().all(|(at, line)| [1, 14].contains(&at) != line.is_empty())
        );
    }
}
