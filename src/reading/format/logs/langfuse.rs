//! Observations of Langfuse: of the generations of each session (or trace) the last is read, as
//! each repeats the history. Exports are one observation a line, a list, a page of the interface
//! (`data`), or traces with their `observations`.

use crate::reading::format::logs::last_call::{CallRank, LastCalls};
use crate::reading::format::logs::logged_messages::{TracedCall, build_call_thread};
use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const LANGFUSE: LogRow = LogRow {
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
const LOGGED: &[If] =
    &[If::Any(&[If::Of(at(""), OBSERVATION), If::Of(at("observations.0"), OBSERVATION)])];
const OBSERVATION: &[If] = &[is("type", TYPES), has("traceId|trace_id"), has("input|output")];
const TYPES: &str =
    "GENERATION|SPAN|EVENT|AGENT|TOOL|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|GUARDRAIL";

const TRACE: At = at("traceId|trace_id");
const SESSION: At = at("sessionId|session_id");

/// The last generation of each session, found one by one.
#[derive(Default)]
struct LangfuseReader {
    calls: LastCalls,
    /// The number of observations of other types, and the index of the first record with one.
    others: u64,
    first_other: Option<usize>,
    /// The keys of traces beside their observations, each with the index of its record.
    trace_keys: Vec<(String, usize)>,
}

impl JournalReader for LangfuseReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
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
            let session = SESSION.text(node);
            if hold(OBSERVATION, node) {
                result = result.and(self.observe(node, session.clone(), is_alone));
            }
            if node.items_of("observations").next().is_some() {
                let read = ["observations", "id", "sessionId", "session_id"];
                let keys = filled_keys(node, &read).into_iter();
                self.trace_keys.extend(keys.map(|(key, _)| (key, record.record_index())));
            }
            for observation in node.items_of("observations") {
                result = result.and(self.observe(observation, session.clone(), false));
            }
        }
        result
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        let mut threads = self.calls.into_threads("generations before the last");
        if let (Some(first), Some(at)) = (threads.first_mut(), self.first_other) {
            let what = "observations that are not generations".to_owned();
            first.note_all_left_out(what, at, self.others);
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
        observation: JsonNode<'_>,
        session: Option<String>,
        is_alone: bool,
    ) -> Result<()> {
        if !observation.has_text("type", "GENERATION") {
            self.others += u64::from(!is_alone);
            self.first_other.get_or_insert(observation.record_index());
            return Ok(());
        }
        let own = SESSION.text(observation).or(session);
        let id = own.or_else(|| TRACE.text(observation));
        let rank = CallRank {
            is_model: true,
            time: at("startTime|start_time").text(observation).unwrap_or_default(),
        };
        self.calls.offer(is_alone, id, rank, || build_thread(observation), observation)
    }
}

fn build_thread(observation: JsonNode<'_>) -> Result<JournalThread> {
    let id = at("id|traceId|trace_id").node(observation);
    let call = TracedCall {
        input: observation.get("input"),
        output: observation.get("output"),
        place: id.unwrap_or(observation).place(),
    };
    let mut thread = build_call_thread(call)?;
    if let Some(id) = id {
        thread.add_entry("call_id", id.bytes());
    }
    thread.model = at("model|providedModelName|provided_model_name").text(observation);
    let read = ["id", "input", "output", "sessionId", "session_id"];
    note_other_keys(&mut thread, observation, &read);
    Ok(thread)
}
