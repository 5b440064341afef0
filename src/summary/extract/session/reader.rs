//! Reads the messages once, oldest first.

use super::Session;
use super::call_text::find_text_call;
use super::calls::CallResult;
use super::names::{Mention, Speaker};
use super::pieces::Pieces;
use super::results::read_result;
use super::user_text::{UserMessage, read_user_message};
use crate::reading::transcript::view::ViewedCall;
use crate::summary::extract::lexicon::QUESTION_MARKS;
use crate::summary::extract::prelude::*;

/// The most bytes of a command that are searched for names.
const MOST_BYTES: usize = 12_000;
/// The longest question before an answer, in bytes.
const LONGEST_QUESTION: usize = 240;

/// Reads the messages that a summary replaces.
pub(crate) fn read_session<'t>(turns: &'t [ViewedTurn<'t>]) -> Session<'t> {
    let mut reader = Reader::default();
    for (message, turn) in turns.iter().enumerate() {
        reader.read(message, turn);
    }
    reader.session.length = turns.len();
    reader.session
}

/// Reads the sentences, words and names of all messages. Calls own what they read, so that names live as
/// long as they do.
pub(crate) fn read_texts<'s>(session: &'s Session<'_>, kept: &[ViewedTurn<'_>]) -> Reading<'s> {
    let mut sources: Vec<(usize, Source<'s>)> = Vec::new();
    let requests = session.requests.iter();
    sources.extend(requests.map(|request| (2 * request.message, Source::Request(request))));
    let replies = session.replies.iter();
    sources.extend(replies.map(|reply| (2 * reply.message, Source::Reply(reply))));
    for call in &session.calls {
        sources.push((2 * call.message + 1, Source::Arguments(call)));
        if let Some(result) = &call.result {
            sources.push((2 * result.message, Source::Result(result)));
        }
    }
    sources.sort_by_key(|(place, _)| *place);
    let mut reading =
        Reading { session, glossary: Glossary::of_kept(kept), pieces: Pieces::default() };
    let mut before = None;
    for (place, source) in sources {
        if before.is_some_and(|before| before != place / 2) {
            reading.glossary.end_message();
        }
        before = Some(place / 2);
        source.read_into(place / 2, &mut reading);
    }
    reading.glossary.end_message();
    reading.glossary.finish(session.length);
    reading.pieces.finish();
    reading
}

enum Source<'s> {
    Request(&'s Request<'s>),
    Reply(&'s Reply<'s>),
    Arguments(&'s Call<'s>),
    Result(&'s CallResult<'s>),
}

impl<'s> Source<'s> {
    fn read_into(&self, message: usize, reading: &mut Reading<'s>) {
        let mention = Mention { message: message as u32, speaker: self.speaker(), key: None };
        let (pieces, glossary) = (&mut reading.pieces, &mut reading.glossary);
        match self {
            Self::Request(request) => pieces.read_request(request, mention, glossary),
            Self::Reply(reply) => pieces.read_reply(reply, mention, glossary),
            Self::Arguments(call) => match &call.command {
                Some(command) => {
                    let end = floor_char(command, MOST_BYTES);
                    glossary.add_text(&command[..end], mention);
                }
                None => glossary.add_json(&call.arguments, mention),
            },
            Self::Result(result) => match &result.json {
                Some(json) => glossary.add_json(json, mention),
                None => {
                    glossary.add_text(&result.text, mention);
                    glossary.add_text(result.end.unwrap_or_default(), mention);
                }
            },
        }
    }

    fn speaker(&self) -> Speaker {
        match self {
            Self::Request(_) => Speaker::User,
            Self::Reply(_) => Speaker::Assistant,
            Self::Arguments(_) => Speaker::Call,
            Self::Result(result) if result.failed => Speaker::FailedResult,
            Self::Result(_) => Speaker::Result,
        }
    }
}

#[derive(Default)]
struct Reader<'t> {
    session: Session<'t>,
    /// Calls of the newest messages that wait for their result: id and place.
    open: Vec<(&'t str, usize)>,
    /// Somebody else spoke behind these calls: others begin anew.
    is_interrupted: bool,
}

impl<'t> Reader<'t> {
    fn read(&mut self, message: usize, turn: &'t ViewedTurn<'t>) {
        let text = turn.text.as_ref();
        if turn.earlier_summary {
            self.session.earlier.push((message, text));
            return;
        }
        self.is_interrupted |= turn.role != Role::Assistant;
        match turn.role {
            Role::User => self.read_user(message, text),
            Role::Assistant => self.read_assistant(message, turn),
            Role::Tool | Role::Function => {
                self.attach_result(message, turn.answers.as_ref(), text, turn.failed)
            }
            Role::System | Role::Developer => {}
        }
        // Other speakers may call tools, too.
        if turn.role != Role::Assistant {
            self.push_calls(message, &turn.calls);
        }
    }

    fn read_user(&mut self, message: usize, text: &'t str) {
        match read_user_message(text, !self.session.calls.is_empty()) {
            UserMessage::Output => self.attach_result(message, "", text, false),
            UserMessage::Summary => self.session.earlier.push((message, text)),
            UserMessage::Notice => {}
            UserMessage::Request(parts) => {
                let question = self.session.replies.last();
                let question = question.filter(|reply| reply.message + 1 == message);
                let question = question.and_then(|reply| last_question(&reply.text));
                let question = question.map(str::to_owned);
                self.session.requests.push(Request { message, parts, question });
            }
        }
    }

    fn read_assistant(&mut self, message: usize, turn: &'t ViewedTurn<'t>) {
        let text = turn.text.as_ref();
        let mut said = text;
        if (turn.calls.is_empty() || turn.calls.iter().all(|call| call.legacy))
            && let Some(call) = find_text_call(text)
        {
            said = call.before;
            if turn.calls.is_empty() {
                self.open.clear();
                let place = self.push_call(message, call.tool, call.arguments);
                self.open.push(("", place));
            }
        }
        if !turn.calls.is_empty() {
            // Messages in a row make their calls together.
            if std::mem::take(&mut self.is_interrupted) {
                self.open.clear();
            }
            self.push_calls(message, &turn.calls);
        }
        if !said.trim().is_empty() {
            let text = Cow::Borrowed(said);
            self.session.replies.push(Reply { message, text });
        }
    }

    fn push_calls(&mut self, message: usize, calls: &'t [ViewedCall<'t>]) {
        for call in calls {
            let raw = std::str::from_utf8(&call.arguments).unwrap_or_default();
            let arguments = parse_json(raw).unwrap_or_else(|| {
                let text = JsonValue::Text(Cow::Borrowed(raw));
                JsonValue::Object(vec![(Cow::Borrowed("input"), text)])
            });
            if let Some(thought) = thought_of(call.name.as_ref(), &arguments) {
                let text = Cow::Owned(thought.to_owned());
                self.session.replies.push(Reply { message, text });
            }
            let place = self.push_call(message, call.name.as_ref(), arguments);
            self.open.push((call.id.as_ref(), place));
        }
    }

    /// Pushes a call and returns its place.
    fn push_call(&mut self, message: usize, tool: &'t str, arguments: JsonValue<'t>) -> usize {
        let call = Call::new(message, Cow::Borrowed(tool), arguments);
        self.session.calls.push(call);
        self.session.calls.len() - 1
    }

    /// Attaches a result to the open call with its id. One without an id, or of calls without ids, belongs to
    /// the oldest of them; any other to a call of its own without a name.
    fn attach_result(&mut self, message: usize, id: &str, text: &'t str, failed: bool) {
        let known = self.open.iter().position(|(open, _)| !id.is_empty() && *open == id);
        let unnamed = || self.open.iter().position(|(open, _)| id.is_empty() || open.is_empty());
        let call = match known.or_else(unnamed) {
            Some(place) => self.open.remove(place).1,
            None => self.push_call(message, "", JsonValue::Object(Vec::new())),
        };
        self.session.calls[call].result = read_result(message, text, failed);
    }
}

/// Returns what a call only thinks.
fn thought_of<'a>(tool: &str, arguments: &'a JsonValue<'_>) -> Option<&'a str> {
    let mut keys = ["thought", "thoughts"].iter();
    let is_thought = tool.to_ascii_lowercase().contains(THINKING);
    keys.find_map(|key| arguments.member(key).filter(|_| is_thought)?.as_text())
}

/// A part of the names of tools that only think.
const THINKING: &str = "think";

/// Returns the last sentence of a reply if it asks something.
fn last_question(text: &str) -> Option<&str> {
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '"' | ')'));
    if !text.ends_with(QUESTION_MARKS) {
        // A question may come before the list of what it asks for.
        return None;
    }
    let body = text.trim_end_matches(QUESTION_MARKS);
    let start = body.rfind(['\n', '.', '!', '?', '。']).map_or(0, |at| ceil_char(body, at + 1));
    let question = text[start..].trim();
    (question.len() <= LONGEST_QUESTION).then_some(question)
}
