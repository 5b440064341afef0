//! Observations of Langfuse: of the generations of each session (or trace) the last is read, as
//! each repeats the history. Exports are one observation a line, a list, a page of the interface
//! (`data`), or traces with their `observations`.

use crate::error::RecordError;
use crate::format::journal::{EventPlace, JournalReader, JournalThread};
use crate::format::logs::last_call::{CallRank, LastCalls};
use crate::format::logs::logged_messages::{TracedCall, build_call_thread};
use crate::format::message_builder::{filled_keys, note_other_keys};
use crate::format::row::*;
use crate::format::tree::JsonNode;
use crate::json::JsonKind;

#[rustfmt::skip]
pub(in crate::format) const LANGFUSE: LogRow = LogRow {
    name: "langfuse",
    help: "Langfuse observations: {\"type\": \"GENERATION\", \"traceId\", \"input\", \"output\"}, one a line, a list, or traces; the last generation of each session",
    evidence: &[
        conversation(WHY, &[If::Of(at("0|data.0"), LOGGED)]),
        event(WHY, LOGGED),
    ],
    reads: Reads::Own(|| Box::new(LangfuseReader::default())),
};

const WHY: &str = "observations of a trace with a type";
/// An observation, or a trace with observations.
const LOGGED: &[If] = &[If::Any(&[
    If::Of(at(""), OBSERVATION),
    If::Of(at("observations.0"), OBSERVATION),
])];
const OBSERVATION: &[If] = &[
    is("type", TYPES),
    has("traceId|trace_id"),
    has("input|output"),
];
/// Types of observations.
const TYPES: &str =
    "GENERATION|SPAN|EVENT|AGENT|TOOL|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|GUARDRAIL";

const GENERATION: &str = "GENERATION";
const TRACE_KEYS: [&str; 2] = ["traceId", "trace_id"];
const SESSION_KEYS: [&str; 2] = ["sessionId", "session_id"];
const TIME_KEYS: [&str; 2] = ["startTime", "start_time"];
const MODEL_KEYS: [&str; 3] = ["model", "providedModelName", "provided_model_name"];

fn first_text(node: JsonNode<'_>, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| node.non_empty_text(key))
}

/// The last generation of each session, found one by one.
#[derive(Default)]
struct LangfuseReader {
    calls: LastCalls<JournalThread>,
    /// The number of observations of other types, and the index of the first record with one.
    others: u64,
    first_other: Option<usize>,
    /// The index of the first record with a generation that is not the last.
    first_earlier: Option<usize>,
    /// The keys of traces beside their observations, each with the index of its record.
    trace_keys: Vec<(String, usize)>,
}

impl JournalReader for LangfuseReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let mut result = Ok(());
        let is_list = record.is_kind(JsonKind::Array);
        let nodes: Vec<JsonNode<'_>> = if is_list {
            record.items().collect()
        } else if record.get_kind("data", JsonKind::Array).is_some() {
            record.items_of("data").collect()
        } else {
            vec![record]
        };
        let is_alone = nodes.len() == 1;
        for node in nodes {
            let session = first_text(node, &SESSION_KEYS);
            if hold(OBSERVATION, node) {
                result = result.and(self.observe(at, node, session.clone(), is_alone));
            }
            if node.items_of("observations").next().is_some() {
                let read = ["observations", "id", "sessionId", "session_id"];
                let keys = filled_keys(node, &read).into_iter();
                self.trace_keys.extend(keys.map(|(key, _)| (key, at)));
            }
            for observation in node.items_of("observations") {
                result = result.and(self.observe(at, observation, session.clone(), false));
            }
        }
        result
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        let earlier = (self.calls.earlier, self.first_earlier);
        let others = (self.others, self.first_other);
        let mut threads: Vec<JournalThread> =
            self.calls.into_calls().map(|(_, thread)| thread).collect();
        for (what, (times, at)) in [
            ("generations before the last", earlier),
            ("observations that are no generations", others),
        ] {
            if let (Some(first), Some(at)) = (threads.first_mut(), at) {
                (0..times).for_each(|_| first.note_left_out(what.to_owned(), at));
            }
        }
        if let Some(first) = threads.first_mut() {
            for (key, at) in self.trace_keys {
                first.note_left_out(format!("trace.{key}"), at);
            }
        }
        threads
    }
}

impl LangfuseReader {
    fn observe(
        &mut self,
        at: usize,
        observation: JsonNode<'_>,
        session: Option<String>,
        is_alone: bool,
    ) -> Result<(), RecordError> {
        if !observation.has_text("type", GENERATION) {
            self.others += u64::from(!is_alone);
            self.first_other.get_or_insert(at);
            return Ok(());
        }
        let thread_id = first_text(observation, &SESSION_KEYS)
            .or(session)
            .or_else(|| first_text(observation, &TRACE_KEYS));
        let rank = CallRank {
            is_model: true,
            time: first_text(observation, &TIME_KEYS).unwrap_or_default(),
        };
        let earlier = self.calls.earlier;
        if self.calls.is_last(&thread_id, &rank) {
            let mut thread = build_thread(observation, at)?;
            thread.id.clone_from(&thread_id);
            if thread.len() > 0 {
                self.calls.insert(thread_id, rank, is_alone, thread);
            }
        } else {
            self.calls.note_earlier(is_alone);
        }
        if self.calls.earlier > earlier {
            self.first_earlier.get_or_insert(at);
        }
        Ok(())
    }
}

fn build_thread(observation: JsonNode<'_>, at: usize) -> Result<JournalThread, RecordError> {
    let ids = ["id"].iter().chain(&TRACE_KEYS);
    let id = ids.filter_map(|key| observation.get(key)).next();
    let call = TracedCall {
        input: observation.get("input"),
        output: observation.get("output"),
        place: EventPlace::new(at, id.unwrap_or(observation).span()),
    };
    let mut thread = build_call_thread(call)?;
    if let Some(id) = id {
        thread.add_entry("call_id", id.bytes());
    }
    thread.model = first_text(observation, &MODEL_KEYS);
    let read = ["id", "input", "output", "sessionId", "session_id"];
    note_other_keys(&mut thread, at, observation, &read);
    Ok(thread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tree::JsonTree;

    fn threads_of(records: &[&str]) -> Vec<Vec<String>> {
        let mut reader = LangfuseReader::default();
        for (at, record) in records.iter().enumerate() {
            let tree = JsonTree::new(record.as_bytes()).unwrap();
            reader.observe_record(at, tree.root()).unwrap();
        }
        let threads = Box::new(reader).into_threads(&[]);
        threads
            .iter()
            .map(JournalThread::rendered_elements)
            .collect()
    }

    #[test]
    fn the_last_generation_of_a_session_is_read() {
        let generation = |time: u64, input: &str| {
            format!(
                r#"{{"id": "o{time}", "type": "GENERATION", "traceId": "t{time}", "sessionId": "s", "startTime": "{time}", "input": {input}, "output": {{"role": "assistant", "content": "Hot."}}}}"#
            )
        };
        let threads = threads_of(&[
            &generation(2, r#"[{"role": "user", "content": "Why?"}]"#),
            &generation(1, r#"[{"role": "user", "content": "Where?"}]"#),
            r#"{"id": "p", "type": "SPAN", "traceId": "t", "input": "x"}"#,
        ]);
        assert_eq!(
            threads,
            [[
                r#"{"role": "user", "content": "Why?"}"#,
                r#"{"role": "assistant", "content": "Hot."}"#
            ]]
        );
    }

    #[test]
    fn traces_hold_their_observations() {
        let trace = r#"{"id": "t", "sessionId": "s", "observations": [{"id": "o", "type": "GENERATION", "traceId": "t", "input": "[{\"role\": \"user\", \"content\": \"Why?\"}]", "output": "Hot."}]}"#;
        assert_eq!(
            threads_of(&[trace]),
            [[
                r#"{"role": "user", "content": "Why?"}"#,
                r#"{"role": "assistant", "content": "Hot."}"#
            ]]
        );
    }
}
