//! A file of questions: one JSON object a line. Each names its cut: `THREAD@MESSAGE` or
//! `THREAD@SHARE%`.

use super::needles::Needles;
use crate::reporting::retention::{cut::SessionCut, passage::Passage, ratio::Mark};
use anyhow::{Result, bail};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Returns what an error says, without its own place: lines are read one by one.
fn without_place(problem: &serde_json::Error) -> String {
    let text = problem.to_string();
    let place = format!(" at line {} column {}", problem.line(), problem.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// A question. What else is in its object is for people.
#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    /// Where the session is cut.
    pub cut: CutName,
    pub question: String,
    needles: Needles,
    /// The line in the file, from 1.
    #[serde(skip)]
    pub line: usize,
}

impl Question {
    /// Marks the text of a summary. Fails if a pattern takes too many steps.
    pub(crate) fn mark(&self, summary: &str) -> Result<Mark, String> {
        self.needles.mark(summary)
    }
}

/// The questions of a file, by session.
#[derive(Debug)]
pub(crate) struct QuestionFile {
    pub name: String,
    threads: BTreeMap<String, Vec<Question>>,
}

impl QuestionFile {
    /// Parses the text of a file. Fails if a line is no question, or there is none.
    pub(crate) fn parse(name: String, text: &str) -> Result<Self> {
        let mut threads: BTreeMap<String, Vec<Question>> = BTreeMap::new();
        for (at, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let mut question: Question = match serde_json::from_str(line) {
                Ok(question) => question,
                Err(problem) => {
                    let (line, column) = (at + 1, problem.column());
                    bail!("{name}:{line}:{column}: {}", without_place(&problem));
                }
            };
            question.line = at + 1;
            let thread_id = question.cut.thread_id.clone();
            threads.entry(thread_id).or_default().push(question);
        }
        match threads.is_empty() {
            true => bail!("{name}: no question in it"),
            false => Ok(Self { name, threads }),
        }
    }

    /// Returns the questions on a session, in the order of the file.
    pub(crate) fn on_thread(&self, thread_id: &str) -> &[Question] {
        self.threads.get(thread_id).map_or(&[], Vec::as_slice)
    }

    /// Iterates over the sessions, each with the line of its first question.
    pub(crate) fn threads(&self) -> impl Iterator<Item = (&str, usize)> {
        let threads = self.threads.iter();
        threads.map(|(thread_id, questions)| (thread_id.as_str(), questions[0].line))
    }
}

/// The place of a cut in its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CutPlace {
    /// Before this message, counted from 0.
    Message(usize),
    /// After so many hundredths of the messages.
    Percent(usize),
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct CutName {
    pub thread_id: String,
    place: CutPlace,
    /// The whole name.
    pub text: String,
}

impl TryFrom<String> for CutName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let place = |place: &str| match place.strip_suffix('%') {
            Some(share) => {
                let percent = share.parse().ok().filter(|percent| (1..100).contains(percent));
                percent.map(CutPlace::Percent)
            }
            None => place.parse().ok().map(CutPlace::Message),
        };
        // Ids may hold an `@`, too.
        let parts = text.rsplit_once('@');
        match parts.and_then(|(thread, at)| Some((thread.to_owned(), place(at)?))) {
            Some((thread_id, place)) => Ok(Self { thread_id, place, text }),
            None => Err(format!(
                "the cut {text} is neither THREAD@MESSAGE, such as support-7@22, nor THREAD@SHARE%, such as support-7@60%"
            )),
        }
    }
}

impl CutName {
    /// Returns the cut of this name, before the first assistant message from its place on.
    ///
    /// Returns `None` if there is no such message, or too little to compact before it.
    pub(crate) fn find(&self, passages: &[Passage]) -> Option<SessionCut> {
        match self.place {
            CutPlace::Message(end) => SessionCut::before_message(passages, end),
            CutPlace::Percent(percent) => SessionCut::after_share(passages, percent, 100),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::transcript::Role;

    #[test]
    fn questions_are_found_by_session_and_errors_by_place() {
        let good = r#"{"cut": "a@7", "question": "Which?", "answer": "b", "kind": "k", "needles": {"groups": [["b"]]}}"#;
        let parse = |text: &str| QuestionFile::parse("q.jsonl".to_owned(), text);
        let file = parse(&format!("{good}\n\n{good}\n")).unwrap();
        let lines: Vec<usize> = file.on_thread("a").iter().map(|asked| asked.line).collect();
        assert_eq!(lines, [1, 3]);
        assert!(file.on_thread("b").is_empty());
        for (wrong, told) in [
            ("{", "q.jsonl:2:1: EOF while parsing an object"),
            ("{\"cut\": \"a@7\"}", "q.jsonl:2:14: missing field `question`"),
            (&good.replace("a@7", "a"), "the cut a is neither THREAD@MESSAGE"),
            (&good.replace("\"b\"]", "\"re:[\"]"), "q.jsonl:2:"),
        ] {
            let error = parse(&format!("{good}\n{wrong}")).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
        assert_eq!(parse("\n").unwrap_err().to_string(), "q.jsonl: no question in it");
    }

    #[test]
    fn a_cut_is_named_by_message_or_by_share() {
        let name = |text: &str| CutName::try_from(text.to_owned());
        assert_eq!(name("a@b@7").unwrap().thread_id, "a@b");
        for wrong in ["a", "a@", "a@x", "a@0%", "a@100%", "a@-1", "a@1.5%"] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
        let roles = [Role::User, Role::Assistant].repeat(10);
        let passages = Vec::from_iter(roles.into_iter().map(|role| Passage::said(role, "")));
        let end = |text: &str| name(text).unwrap().find(&passages).map(|cut| cut.end);
        assert_eq!([end("a@10"), end("a@11"), end("a@50%")], [Some(11); 3]);
        assert_eq!([end("a@3"), end("a@20")], [None; 2]);
    }
}
