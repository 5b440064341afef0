//! The user's requests, in order, and which of them belong to the current task.

use super::task_documents::TaskDocument;
use crate::summary::extract::labels::{SAID_AGAIN, SAID_NEWER};
use crate::summary::extract::lex::excerpt::first_line;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::plan_words::{PLAN_DENIALS, PLAN_ENDS};
use crate::summary::extract::lexicon::request_words::{BACK_REFERRING_WORDS, FAREWELLS, GREETINGS};
use crate::summary::extract::lexicon::wish_words::BAN_WORDS;
use hashbrown::HashSet;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Minimum length in bytes of a request that stands for itself. A shorter one, like `yes, go on`, speaks of
/// what was said before.
pub(crate) const LEAST_REQUEST: usize = 24;
/// Maximum length in bytes of a message that ends a conversation.
const LONGEST_FAREWELL: usize = 240;
/// Minimum length in bytes of a request that can open a conversation.
const LEAST_OPENING: usize = 12;
/// Minimum length in bytes of a request that is shortened if it is said again, and the maximum length of
/// what is left of it.
const LEAST_REPEATED: usize = 240;
const LONGEST_BEGINNING: usize = 120;
/// Maximum length in bytes of what is left of a form that is written again with news.
const LONGEST_FORM: usize = 240;
/// Number of messages since a request from which on much was done for it.
const MUCH_WORK: usize = 10;
/// Number of requests at the start of a task that make its goal.
const FIRST_REQUESTS: usize = 2;

/// Number of requests, the newest beside the first, that are looked for in the messages that stay.
const MOST_REPEATED: usize = 200;

/// A request of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UserRequest<'r> {
    pub(crate) text: Cow<'r, str>,
    /// Index of the message that makes it.
    pub(crate) message: usize,
    /// Number of times that it is made without another between.
    pub(crate) times: usize,
    /// It is no newest request: it answers what a tool asked, or an agent's own summary hands it on, whose
    /// open steps are newer.
    pub(crate) is_past: bool,
    /// What the document says that it points to.
    pub(crate) document: Option<TaskDocument>,
    /// It opens a conversation about something else.
    opens_task: bool,
}

/// The requests of a conversation, oldest first.
#[derive(Debug, Default)]
pub(crate) struct RequestLog<'r> {
    all: Vec<UserRequest<'r>>,
    /// Index of the first request of the current task.
    current: usize,
    /// A long request was made a second time, so that what was done for it may be done again.
    pub(crate) is_asked_again: bool,
    /// The documents and plans that stand with requests.
    told: Vec<String>,
    /// The newest long requests as they were written.
    forms: Vec<Cow<'r, str>>,
}

impl<'r> RequestLog<'r> {
    /// Adds a request. `after_result` is true if a tool's result stands before it.
    pub(crate) fn push_request(&mut self, text: Cow<'r, str>, message: usize, after_result: bool) {
        let text = self.without_form(text);
        let opens_task = match self.all.last() {
            None => true,
            Some(last) => {
                let gap = message - last.message;
                greets(&text)
                    && !refers_back(&text)
                    && (after_result || gap == 1 || says_farewell(&last.text))
            }
        };
        // A message that is repeated is said once.
        if let Some(last) = self.all.last_mut().filter(|last| last.text == text) {
            (last.times, last.message) = (last.times + 1, message);
            return;
        }
        let is_long = text.len() >= LEAST_REPEATED;
        let mut first = self.all.iter().skip(self.current).take(FIRST_REQUESTS);
        self.is_asked_again |= is_long && first.any(|request| request.text == text);
        if opens_task {
            self.current = self.all.len();
        }
        self.all.push(UserRequest {
            text,
            message,
            times: 1,
            is_past: false,
            document: None,
            opens_task,
        });
    }

    /// Strips from a request the lines that an older one like it has: a harness writes them each time, and what
    /// differs is the user's. The older one keeps them, for they may be the user's, too.
    fn without_form(&mut self, text: Cow<'r, str>) -> Cow<'r, str> {
        if text.len() < LEAST_FORM {
            return text;
        }
        let mut forms = self.forms.iter().rev();
        let Some(form) = forms.find(|form| **form != text && has_same_form(&text, form)) else {
            self.forms.push(text.clone());
            let surplus = self.forms.len().saturating_sub(MOST_FORMS);
            self.forms.drain(..surplus);
            return text;
        };
        let new = lines_beside(&text, form);
        if new.contains(char::is_alphanumeric) {
            Cow::Owned(new)
        } else {
            text
        }
    }

    /// Takes note that an agent's own summary handed on all requests so far.
    pub(crate) fn hand_on_all(&mut self) {
        for request in &mut self.all {
            request.is_past = true;
        }
    }

    /// Takes note that the newest request answers what a tool asked.
    pub(crate) fn mark_answer(&mut self) {
        // An answer in the words of the request before is that request.
        if let Some(request) = (self.all.last_mut()).filter(|request| request.times == 1) {
            request.is_past = true;
        }
    }

    /// Takes note of a document that was read: the newest request may point to it.
    pub(crate) fn observe_document(&mut self, path: &str, result: &str) {
        if let Some(request) = (self.all.last_mut()).filter(|request| request.document.is_none()) {
            request.document = TaskDocument::of(&request.text, path, result);
        }
    }

    /// Takes note of the plan that one of the newest requests approves, as `plan_of` finds it. Of an older one, some is
    /// done.
    pub(crate) fn find_plans(
        &mut self,
        plan_of: impl Fn(&UserRequest<'r>) -> Option<TaskDocument>,
    ) {
        for request in self.all.iter_mut().rev().take(PLAN_SEARCH_DEPTH) {
            if request.document.is_none() {
                request.document = plan_of(request);
            }
            // A plan stays the task, whatever the user says of parts of it later, until the next one.
            if request.document.is_some() || ends_plan(&request.text) {
                return;
            }
        }
    }

    /// Adds to each request that points to a document what `digest` makes of it.
    pub(crate) fn tell_documents(&mut self, digest: impl Fn(&TaskDocument) -> Option<String>) {
        for request in &mut self.all {
            let document = request.document.take();
            let told = document.as_ref().and_then(&digest);
            let document = document.map(|document| document.text);
            if let Some(told) = told {
                let text = request.text.trim_end();
                request.text = Cow::Owned(format!("{text}\n{told}"));
                self.told.extend(document);
            }
        }
    }

    /// Returns true if a document that stands with a request holds a sentence.
    pub(crate) fn tells(&self, sentence: &str) -> bool {
        self.told.iter().any(|text| text.contains(sentence))
    }

    /// Shortens the requests that stand again in a message that stays, to their beginning.
    /// Only the newest requests are looked for: each costs a search of all of `kept`.
    pub(crate) fn shorten_repeated(&mut self, kept: &str) {
        let skipped = self.all.len().saturating_sub(MOST_REPEATED);
        let first = usize::from(skipped > 0);
        let all = self.all.iter_mut().enumerate();
        for (number, request) in all.filter(|(number, _)| *number < first || *number >= skipped) {
            let text = request.text.trim();
            if text.len() < LEAST_REPEATED {
                continue;
            }
            let (beginning, note) = if kept.contains(text) {
                (fold_line(first_line(text), LONGEST_BEGINNING), SAID_AGAIN)
            } else if number > 0 && has_same_form(text, kept.trim()) {
                (fold_line(text, LONGEST_FORM), SAID_NEWER)
            } else {
                continue;
            };
            request.text = Cow::Owned(format!("{beginning} {note}"));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the requests of the current task. The first is its goal.
    pub(crate) fn current_task(&self) -> &[UserRequest<'r>] {
        &self.all[self.current..]
    }

    /// Returns the first request of each finished task, oldest first.
    pub(crate) fn finished_tasks(&self) -> impl DoubleEndedIterator<Item = &UserRequest<'r>> {
        self.all[..self.current]
            .iter()
            .filter(|request| request.opens_task)
    }

    /// Returns the index of the message of the newest request, if much was done since, of `message_count`
    /// messages in all. Else returns 0: what was done before still answers it.
    pub(crate) fn phase_start(&self, message_count: usize) -> usize {
        let mut newest = self.current_task().iter().rev();
        let newest = newest.find(|request| request.text.len() >= LEAST_REQUEST);
        newest
            .map(|request| request.message)
            .filter(|message| message_count - message >= MUCH_WORK)
            .unwrap_or(0)
    }

    /// Returns the index of the message that begins the current task. 0 if it is the only task.
    pub(crate) fn task_start(&self) -> usize {
        if self.current == 0 {
            0
        } else {
            self.all[self.current].message
        }
    }
}

/// Returns true for two long messages of which the first lines and most others are the same: what a hook
/// writes each time.
fn has_same_form(text: &str, other: &str) -> bool {
    let (lines, others) = (form_lines(text), form_lines(other));
    let shared = || lines.iter().filter(|line| others.contains(line)).count();
    lines.len() > FORM_LINES
        && lines[..FORM_LINES]
            .iter()
            .all(|line| line.len() >= LEAST_FORM_LINE)
        && others.get(..FORM_LINES) == Some(&lines[..FORM_LINES])
        && shared() * 100 >= lines.len() * LEAST_SHARED
}

/// Returns the lines of a text that another one lacks.
fn lines_beside(text: &str, other: &str) -> String {
    let others: HashSet<&str> = other.lines().map(str::trim).collect();
    let lines = text.lines();
    let own: Vec<&str> = lines
        .filter(|line| line.trim().is_empty() || !others.contains(line.trim()))
        .collect();
    own.join("\n").trim().to_owned()
}

/// Returns true for a request that takes a plan back or stops the work: `Stop.`, `undo it`, `forget the plan`.
fn ends_plan(request: &str) -> bool {
    let sentence = request.split(['.', ',', '!', ';', '\n']).next();
    let is_short = |words: &&str| words.split_whitespace().count() <= MOST_STOP_WORDS;
    let stops = sentence
        .filter(is_short)
        .is_some_and(|words| ENDS.has_words(words));
    stops || (PLAN_WORD.has_words(request) && DENIALS.has_words(request))
}

/// Maximum number of words of a sentence that stops the work: `Stop button` and more is about something else.
const MOST_STOP_WORDS: usize = 2;

/// Searches for words that stop the work, that name a plan, and of requests that do not go on with it as it is.
static ENDS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[PLAN_ENDS]));
static PLAN_WORD: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[&["plan"]]));
static DENIALS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[BAN_WORDS, PLAN_DENIALS, PLAN_ENDS]));

/// Number of the newest requests among which one is searched that approves a plan.
const PLAN_SEARCH_DEPTH: usize = 4;
/// Minimum length in bytes of a form, and the number of them that are remembered.
const LEAST_FORM: usize = 600;
const MOST_FORMS: usize = 4;

/// Returns the first lines of a text that are not empty, as many as are compared.
fn form_lines(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty())
        .take(MOST_FORM_LINES)
        .collect()
}

/// Maximum number of lines that are compared, and the least part of them that both have, in hundredths.
const MOST_FORM_LINES: usize = 60;
const LEAST_SHARED: usize = 75;
/// Number of lines at the start of a form, and the minimum length in bytes of each.
const FORM_LINES: usize = 2;
const LEAST_FORM_LINE: usize = 16;

/// Returns true if a text begins with a greeting and says something besides.
fn greets(text: &str) -> bool {
    let text = text.trim_start();
    text.len() >= LEAST_OPENING
        && GREETINGS.iter().any(|greeting| {
            text.get(..greeting.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(greeting))
                && !text[greeting.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
        })
}

/// Returns true if a text goes on with what was said before: `Hi, I tried it like you told me`.
fn refers_back(text: &str) -> bool {
    let lower = text.to_lowercase();
    BACK_REFERRING_WORDS
        .iter()
        .any(|words| lower.contains(words))
}

/// Returns true if a text ends a conversation.
fn says_farewell(text: &str) -> bool {
    let text = text.trim();
    text.len() <= LONGEST_FAREWELL && {
        let lower = text.to_lowercase();
        FAREWELLS.iter().any(|farewell| lower.contains(farewell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(texts: &[&'static str]) -> (Vec<String>, Vec<String>) {
        let mut log = RequestLog::default();
        for (number, text) in texts.iter().enumerate() {
            log.push_request(Cow::Borrowed(*text), 2 * number, false);
        }
        let text = |request: &UserRequest<'_>| request.text.to_string();
        (
            log.finished_tasks().map(text).collect(),
            log.current_task().iter().map(text).collect(),
        )
    }

    #[test]
    fn only_what_stops_the_work_or_turns_the_plan_down_ends_it() {
        for text in [
            "Stop. Mend the dam.",
            "undo it",
            "Forget the plan, it is wrong",
            "The plan is bad",
        ] {
            assert!(ends_plan(text), "{text}");
        }
        for text in [
            "Stop button of the page is to be green",
            "Cancel buttons are gone, why",
            "the airplane is not there",
            "go on with the plan",
        ] {
            assert!(!ends_plan(text), "{text}");
        }
    }

    #[test]
    fn what_a_harness_writes_each_time_is_no_request() {
        let form: String = (0..12)
            .map(|number| {
                format!("- Rule {number} of the mill says how the wheel is to be oiled each day\n")
            })
            .collect();
        let asked = |task: &str| format!("## Your capabilities\n{form}\n## Task\n{task}");
        let mut log = RequestLog::default();
        let first = asked("Mend the pump of the mill");
        log.push_request(Cow::Owned(first.clone()), 0, false);
        log.push_request(Cow::Owned(asked("Isn't there another valve?")), 5, false);
        let texts = |log: &RequestLog<'_>| -> Vec<String> {
            let requests = log.current_task().iter();
            requests.map(|request| request.text.to_string()).collect()
        };
        // The user may have written it twice: once it stays.
        assert_eq!(texts(&log), [first.as_str(), "Isn't there another valve?"]);
        log.push_request(Cow::Owned(asked("Then mend that one")), 9, false);
        assert_eq!(
            texts(&log),
            [
                first.as_str(),
                "Isn't there another valve?",
                "Then mend that one"
            ]
        );
    }

    #[test]
    fn a_greeting_after_a_farewell_opens_a_task() {
        let texts = [
            "Hi, cancel order A-1",
            "Yes",
            "Thanks! ###STOP###",
            "Hello! I want to book B-2",
            "By card",
        ];
        let (finished, current) = tasks(&texts);
        assert_eq!(finished, ["Hi, cancel order A-1"]);
        assert_eq!(current, ["Hello! I want to book B-2", "By card"]);
    }

    #[test]
    fn a_greeting_that_goes_on_opens_no_task() {
        let texts = [
            "Hi, my phone has no signal",
            "Thanks, bye for now",
            "Hi, I restarted it like you told me to, and it still has none",
        ];
        let (finished, current) = tasks(&texts);
        assert!(finished.is_empty() && current.len() == 3, "{finished:?}");
    }

    #[test]
    fn other_requests_belong_to_the_task() {
        let texts = ["Fix it", "Thanks, now test it", "Highlight the bug", "Hi"];
        let (finished, current) = tasks(&texts);
        assert!(finished.is_empty() && current.len() == 4, "{current:?}");
    }
}
