//! From the records of a unit to conversations that are ready to be planned.

mod journal;

use crate::archive::names::{Registry, anonymous_thread, result_file, thread_file};
use crate::error::RecordError;
use crate::format::{self, Format, Shape};
use crate::input::{ItemKind, Unit};
use crate::planner::{Input, Names, ResultName};
use crate::policy::Thresholds;
use crate::report::{Entry, Reported};
use crate::settings::Settings;
use crate::strategy::evict::{Candidate, candidates};
use crate::tokens::{Counter, Ledger};
use crate::transcript::journal::Writes;
use crate::transcript::view::{Overlay, View};
use crate::transcript::{Record, Transcript, json};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// What was found in a unit, in input order.
pub enum Found<'u> {
    /// A conversation.
    Conversation(Box<Conversation<'u>>),
    /// A record that can't be read.
    Bad {
        /// Its line.
        line: u64,
        /// The column, where one byte is to blame.
        column: Option<u64>,
        /// What is wrong with it.
        error: String,
    },
}

/// A conversation, with all that its decision looks at.
#[derive(Clone)]
pub struct Conversation<'u> {
    /// The messages.
    pub transcript: Transcript<'u>,
    /// The items of the unit that hold its records, in order.
    pub items: Vec<usize>,
    /// Its format.
    pub format: &'static dyn Format,
    /// Its id: the record's own, else made from its bytes.
    pub thread_id: String,
    /// Its name as a file, distinct in the run.
    pub thread_name: String,
    /// Its model: the policy's, else its own.
    pub model: Option<String>,
    /// The model's provider.
    pub provider: Option<String>,
    /// What the model takes, if that is known.
    pub input_limit: Option<u64>,
    /// Tokens per message.
    pub messages: Vec<usize>,
    /// Tokens of the tool schemas.
    pub tools: usize,
    /// The policy's numbers; or why there are none.
    pub thresholds: Result<Thresholds, String>,
    /// Results that are too large.
    pub candidates: Vec<Candidate>,
    /// Names for its files.
    pub names: Names,
    prefix: String,
    results_prefix: String,
    /// Names are distinct within a realm: results of different realms lie in different directories.
    realm: usize,
}

impl Conversation<'_> {
    /// The line where its first record begins.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.transcript.records.first().map_or(0, |record| record.line)
    }

    /// Its counts.
    #[must_use]
    pub fn ledger<'c>(&self, counter: &'c dyn Counter) -> Ledger<'c> {
        Ledger { counter, messages: self.messages.clone(), tools: self.tools }
    }

    /// Which of several policies sees it.
    #[must_use]
    pub fn realm(&self) -> usize {
        self.realm
    }

    /// The directory of its evicted results, below the directory of all.
    #[must_use]
    pub fn results_directory(&self) -> &str {
        if self.results_prefix.contains(THREAD) { &self.thread_name } else { "" }
    }
}

const THREAD: &str = "{thread_id}";
/// How the warning begins that nothing is known of a model.
pub const NO_LIMIT: &str = "no input limit is known for the model";

impl Found<'_> {
    /// What becomes of it is not written into its log: then nothing that a journal can't take in is left out.
    pub fn leaves_its_log(&mut self) {
        if let Self::Conversation(one) = self {
            one.transcript.writes = Writes::InPlace;
        }
    }

    /// Gets its names, in its turn.
    pub(super) fn take_names(&mut self, registry: &mut Registry) {
        let Self::Conversation(one) = self else { return };
        one.thread_name = registry.claim(one.realm, "threads", &thread_file(&one.thread_id));
        one.names.history_path = format!("{}/{}.md", one.prefix, one.thread_name);
        if one.candidates.is_empty() {
            return;
        }
        let visible = one.results_prefix.replace(THREAD, &one.thread_name);
        let directory = format!("results/{}", one.results_directory());
        let name = |candidate: &Candidate| {
            let file = registry.claim(one.realm, &directory, &result_file(&candidate.call_id));
            ResultName { path: format!("{visible}/{file}"), file }
        };
        one.names.results = one.candidates.iter().map(name).collect();
    }
}

/// Reads all conversations of a unit.
#[must_use]
pub fn read_unit<'u>(unit: &'u Unit, settings: &Settings) -> Vec<Found<'u>> {
    let mut found: Vec<(u64, Found<'u>)> =
        unit.errors.iter().map(|(line, error)| (*line, Found::Bad { line: *line, column: None, error: error.reason.clone() })).collect();
    let mut threads = Threads::default();
    let mut journals: Vec<(&'static dyn Format, Vec<usize>)> = Vec::new();
    let mut is_known = unit.file.format.is_some() || unit.before > 0;
    for (index, item) in unit.items.iter().enumerate().filter(|(_, item)| item.kind == ItemKind::Record) {
        let bytes = bytes_of(unit, index);
        let format = match check(unit, bytes) {
            Err(Unreadable::Bad(error)) => {
                found.push((item.line, bad(unit, index, error)));
                continue;
            }
            Err(Unreadable::Unknown(holds)) => {
                // One error for the file: its other records are as unknown.
                if !std::mem::replace(&mut is_known, true) {
                    let error = RecordError::new(format!("of no known format (`epitome formats` lists them, --format names one); {holds}"));
                    found.push((item.line, bad(unit, index, error)));
                }
                continue;
            }
            Ok(format) => format,
        };
        match unit.file.shape {
            _ if format.journal().is_some() => match journals.last_mut().filter(|_| unit.file.shape == Shape::Journal) {
                Some((_, items)) => items.push(index),
                None => journals.push((format, vec![index])),
            },
            // One message a record: first each is read by itself, so that a bad one costs only itself.
            Shape::Message => match format.read(vec![record(unit, index)], Shape::Message) {
                Err(error) => found.push((item.line, bad(unit, index, error))),
                Ok(_) => threads.add(format::thread_key(bytes), index),
            },
            Shape::Conversation | Shape::Journal => match read(unit, format, vec![index], settings) {
                Ok(one) => found.push((item.line, one)),
                Err(error) => found.push((item.line, bad(unit, index, error))),
            },
        }
    }
    for items in threads.items {
        let line = unit.items[items[0]].line;
        let Some(format) = unit.file.format else { continue };
        match read(unit, format, items, settings) {
            Ok(one) => found.push((line, one)),
            Err(error) => found.push((line, Found::Bad { line, column: None, error: error.reason })),
        }
    }
    found.extend(journal::read(unit, &journals, settings));
    found.sort_by_key(|(line, _)| *line);
    found.into_iter().map(|(_, one)| one).collect()
}

/// The records of each thread, where they are one message each.
#[derive(Default)]
struct Threads {
    items: Vec<Vec<usize>>,
    by_key: HashMap<Option<Vec<u8>>, usize>,
}

impl Threads {
    fn add(&mut self, key: Option<Vec<u8>>, index: usize) {
        let thread = *self.by_key.entry(key).or_insert(self.items.len());
        if thread == self.items.len() {
            self.items.push(Vec::new());
        }
        self.items[thread].push(index);
    }
}

fn bytes_of(unit: &Unit, index: usize) -> &[u8] {
    &unit.bytes[unit.items[index].span.clone()]
}

fn record(unit: &Unit, index: usize) -> Record<'_> {
    Record { bytes: bytes_of(unit, index), line: unit.items[index].line }
}

/// Why a record is not read.
enum Unreadable {
    /// It is wrong.
    Bad(RecordError),
    /// No format knows it: what it holds.
    Unknown(String),
}

/// UTF-8, and a known format.
fn check(unit: &Unit, bytes: &[u8]) -> Result<&'static dyn Format, Unreadable> {
    if let Err(error) = simdutf8::compat::from_utf8(bytes) {
        let at = error.valid_up_to();
        return Err(Unreadable::Bad(RecordError::at(at, format!("invalid UTF-8: byte 0x{:02x}", bytes[at]))));
    }
    // Where the beginning of the file told nothing, each record is looked at by itself.
    let own = || Some(format::detect([bytes]).filter(|(_, shape)| *shape == Shape::Conversation)?.0);
    let Some(format) = unit.file.format.or_else(own) else {
        json::validate(bytes).map_err(Unreadable::Bad)?;
        return Err(Unreadable::Unknown(format::what_it_holds(bytes)));
    };
    Ok(format)
}

/// A bad record; of a last one that is cut, what that may mean.
fn bad<'u>(unit: &Unit, index: usize, error: RecordError) -> Found<'u> {
    let item = &unit.items[index];
    let at_end = unit.last && item.span.end == unit.bytes.len();
    let cut = at_end && error.offset == Some(item.span.len());
    let hint = if cut { " (unterminated; the file may still be written)" } else { "" };
    Found::Bad { line: item.line, column: error.offset.map(|offset| offset as u64 + 1), error: error.reason + hint }
}

/// Where an error is, as every message says it: `file:line:column`.
#[must_use]
pub fn place(file: &str, line: u64, column: Option<u64>) -> String {
    match column {
        Some(column) => format!("{file}:{line}:{column}"),
        None => format!("{file}:{line}"),
    }
}

/// Reads one conversation. A panic in a format or counter costs this record only.
fn read<'u>(unit: &'u Unit, format: &'static dyn Format, items: Vec<usize>, settings: &Settings) -> Result<Found<'u>, RecordError> {
    let guarded = catch_unwind(AssertUnwindSafe(|| prepare(unit, format, items, settings)));
    guarded.unwrap_or_else(|_| Err(RecordError::new("internal error: reading it panicked; please report it")))
}

fn prepare<'u>(unit: &'u Unit, format: &'static dyn Format, items: Vec<usize>, settings: &Settings) -> Result<Found<'u>, RecordError> {
    let records = items.iter().map(|&index| record(unit, index)).collect();
    let transcript = format.read(records, unit.file.shape)?;
    Ok(whole(transcript, items, format, settings))
}

/// A transcript with all that its decision looks at.
fn whole<'u>(mut transcript: Transcript<'u>, items: Vec<usize>, format: &'static dyn Format, settings: &Settings) -> Found<'u> {
    if transcript.has_lone_surrogate() {
        transcript.warnings.push("a lone surrogate: kept where nothing changes, U+FFFD in archives".to_owned());
    }
    let thread_id = transcript.thread_id.clone().unwrap_or_else(|| anonymous_thread(transcript.records.iter().map(|record| record.bytes)));
    Found::Conversation(Box::new(under(Reading { transcript, items, format, thread_id }, settings, 0, None)))
}

/// What was read, before any policy looks at it.
struct Reading<'u> {
    transcript: Transcript<'u>,
    items: Vec<usize>,
    format: &'static dyn Format,
    thread_id: String,
}

/// A conversation as a policy sees it; `counted` are the counts of the same counter, if they are known.
fn under<'u>(mut reading: Reading<'u>, settings: &Settings, realm: usize, counted: Option<(Vec<usize>, usize)>) -> Conversation<'u> {
    let (policy, transcript) = (&settings.policy, &mut reading.transcript);
    let model = policy.model.clone().or_else(|| transcript.model.clone());
    let resolved = model.as_deref().map(|name| policy.models.resolve(name)).unwrap_or_default();
    let (known, provider) = (resolved.model.as_ref(), resolved.provider.clone());
    // What the agent noted of its model is surer than the table; a model that the user names is another one.
    let logged = transcript.input_limit.filter(|_| policy.max_input_tokens.is_none() && policy.model.is_none());
    let input_limit = policy.max_input_tokens.or(logged).or(known.map(|model| model.max_input_tokens));
    let mut thresholds = policy.thresholds(policy.room_with(logged, known)).map_err(|error| error.to_string());
    if let (Some(name), None) = (&model, input_limit) {
        let unknown = resolved.unknown(name);
        if policy.strict_model {
            thresholds = Err(format!("{unknown} (--strict-model)"));
        } else {
            transcript.warnings.push(unknown);
        }
    }
    let transcript = &reading.transcript;
    let (messages, tools) = counted.unwrap_or_else(|| {
        let none = Overlay::default();
        let ledger = Ledger::new(settings.counter(model.as_deref(), provider.as_deref()), View { transcript, overlay: &none });
        (ledger.messages, ledger.tools)
    });
    // Reported usage raises a total by at most a quarter.
    let tokens = tools + messages.iter().sum::<usize>();
    let fit = thresholds.as_ref().ok().and_then(|thresholds| thresholds.fit);
    let overflows = fit.is_some_and(|fit| (tokens + tokens / 4) as u64 >= fit);
    Conversation {
        items: reading.items,
        format: reading.format,
        thread_id: reading.thread_id,
        thread_name: String::new(),
        provider,
        input_limit,
        messages,
        tools,
        candidates: candidates(transcript, &policy.evict, overflows),
        thresholds,
        names: Names::default(),
        prefix: policy.archive.prefix.clone(),
        results_prefix: policy.archive.results_prefix.clone(),
        realm,
        model,
        transcript: reading.transcript,
    }
}

/// Works on one conversation; a panic costs this conversation only.
///
/// # Errors
/// What `work` returns, or that it panicked.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("internal error: working on it panicked; please report it".to_owned()))
}

impl<'u> Conversation<'u> {
    /// The same conversation under another policy, in a realm of its own. It is neither read again nor, where `from`
    /// counts as `settings`, counted again.
    #[must_use]
    pub fn under(&self, from: &Settings, settings: &Settings, realm: usize) -> Self {
        let mut transcript = self.transcript.clone();
        transcript.warnings.retain(|warning| !warning.starts_with(NO_LIMIT));
        let model = settings.policy.model.clone().or_else(|| transcript.model.clone());
        let provider = model.as_deref().and_then(|name| settings.policy.models.resolve(name).provider.clone());
        let same = std::ptr::eq(from, settings)
            || from.counts_as((self.model.as_deref(), self.provider.as_deref()), settings, (model.as_deref(), provider.as_deref()));
        let counted = same.then(|| (self.messages.clone(), self.tools));
        let reading = Reading { transcript, items: self.items.clone(), format: self.format, thread_id: self.thread_id.clone() };
        under(reading, settings, realm, counted)
    }

    /// The conversation as it was before message `end`, under these settings.
    #[must_use]
    pub fn prefix(&self, end: usize, settings: &Settings) -> Self {
        let mut transcript = Transcript { callers: OnceLock::new(), warnings: Vec::new(), ..self.transcript.clone() };
        transcript.messages.truncate(end);
        let reading = Reading { transcript, items: self.items.clone(), format: self.format, thread_id: self.thread_id.clone() };
        Self { thread_name: self.thread_name.clone(), ..under(reading, settings, 0, None) }
    }

    /// What the planner looks at.
    ///
    /// # Errors
    /// If the policy does not fit the conversation's model.
    pub fn planning<'i>(&'i self, settings: &'i Settings, ledger: &'i Ledger<'i>) -> Result<Input<'i, 'u>, String> {
        Ok(Input {
            transcript: &self.transcript,
            ledger,
            policy: &settings.policy,
            thresholds: self.thresholds.as_ref().map_err(Clone::clone)?,
            provider: self.provider.as_deref(),
            candidates: &self.candidates,
            names: &self.names,
        })
    }

    /// Works on the conversation; a panic costs this conversation only.
    ///
    /// # Errors
    /// What `work` returns, or that it panicked.
    pub fn guarded<T>(&self, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        guarded(work)
    }

    /// A report entry with what is known before any decision.
    #[must_use]
    pub fn entry(&self, file: &str, counter: &'static str) -> Entry {
        let mut entry = Entry::unreadable(file, self.line(), Some(self.format.name()), counter, String::new());
        entry.thread_id = Some(self.thread_id.clone());
        entry.model.clone_from(&self.model);
        entry.input_limit = self.input_limit;
        entry.usage = Reported::of(&self.transcript, &self.messages, self.tools);
        entry.warnings.clone_from(&self.transcript.warnings);
        let messages = self.transcript.messages.len();
        (entry.messages_before, entry.messages_after) = (messages, messages);
        let tokens = self.tools + self.messages.iter().sum::<usize>();
        (entry.tokens_before, entry.total_tokens, entry.tokens_after) = (tokens, tokens, tokens);
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Compression, File, Item};
    use crate::policy::PRESETS;
    use crate::transcript::view::Piece;
    use crate::transcript::{Role, text};
    use std::sync::Arc;

    /// Panics at a text.
    struct Fragile;

    impl Counter for Fragile {
        fn name(&self) -> &'static str {
            "fragile"
        }

        fn text(&self, text: &str) -> usize {
            assert!(!text.contains("boom"), "boom");
            1
        }

        fn message_with(&self, _: View<'_, '_>, _: usize, pieces: &[Piece<'_>], _: bool) -> usize {
            pieces.iter().map(|piece| if let Piece::Literal(literal) = piece { self.text(&text::decode(literal)) } else { 0 }).sum()
        }

        fn summary(&self, _: Role, text: &str) -> usize {
            self.text(text)
        }

        fn tools(&self, _: &[u8]) -> usize {
            0
        }

        fn scales_with_usage(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_panic_in_a_counter_costs_one_record() {
        let said = |text: &str| format!(r#"{{"messages": [{{"role": "user", "content": "{text}"}}]}}"#);
        let records = [said("good"), said("boom"), said("good")];
        let mut at = 0;
        let items = records.iter().zip(1..).map(|(record, line)| {
            at += record.len();
            Item { span: at - record.len()..at, line, kind: ItemKind::Record }
        });
        let file = File {
            index: 0,
            name: "in.jsonl".to_owned(),
            output: "in.jsonl".into(),
            format: format::by_name("openai"),
            shape: Shape::Conversation,
            compression: Compression::None,
        };
        let unit = Unit {
            file: Arc::new(file),
            items: items.collect(),
            bytes: records.concat().into_bytes(),
            errors: Vec::new(),
            last: true,
            before: 0,
            rebuilt: OnceLock::new(),
        };
        let found = read_unit(&unit, &Settings::counted_by(PRESETS[0].policy(), Box::new(Fragile)));
        let told: Vec<_> = found.iter().map(|one| if let Found::Bad { line, .. } = one { Err(*line) } else { Ok(()) }).collect();
        assert_eq!(told, [Ok(()), Err(2), Ok(())]);
    }
}
