//! Claude Code sessions: a graph of lines linked by `parentUuid`. The live
//! conversation is the path from the last line to its root, which is the last
//! compaction if there is one (spec: formats, section 7). Sub-agents inside the
//! file (`isSidechain`) are threads of their own.
//!
//! A compaction is appended as the agent does it: a boundary, a summary that
//! hangs on it, and in the boundary the lines that are kept word for word.

use crate::error::RecordError;
use crate::format::claude_turns::{ClaudeTurn, tell};
use crate::format::insertion::SummaryPlace;
use crate::format::journal::{Journal, JournalReader, JournalThread, append_lines, uuid_like_id};
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::encode_literal;
use crate::transcript::Transcript;
use crate::transcript::journal::WriteMode;
use crate::transcript::splice::Splice;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Session files of Claude Code.
pub(super) struct ClaudeCodeJournal;

const WRITES: WriteMode = WriteMode::Appended {
    asked: false,
    clears: false,
};
/// Keys that only lines of these sessions have.
const OWN_KEYS: [&str; 2] = ["parentUuid", "leafUuid"];
const OWN_TYPES: [&str; 2] = ["file-history-snapshot", "queue-operation"];
/// What new lines have in common with the last one of the thread.
const COMMON: [&str; 8] = [
    "isSidechain",
    "userType",
    "cwd",
    "sessionId",
    "version",
    "gitBranch",
    "agentId",
    "slug",
];

impl Journal for ClaudeCodeJournal {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn help_line(&self) -> &'static str {
        "Claude Code sessions (~/.claude/projects/*.jsonl): the live path over parentUuid, sub-agents as threads of their own"
    }

    fn write_mode(&self) -> WriteMode {
        WRITES
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let hit = |why| {
            Some(Recognition {
                shape: Shape::Journal,
                certainty: Certainty::Envelope,
                why,
            })
        };
        if OWN_KEYS.iter().any(|key| record.has_key(key)) {
            return hit("parentUuid or leafUuid");
        }
        if OWN_TYPES.iter().any(|kind| record.has_text("type", kind)) {
            return hit("a type that only Claude Code writes");
        }
        let speaks = ["user", "assistant", "system"]
            .iter()
            .any(|kind| record.has_text("type", kind));
        if speaks && record.has_key("sessionId") {
            hit("sessionId beside a type user, assistant or system")
        } else {
            None
        }
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(ClaudeSession::default())
    }

    fn append_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> Vec<(usize, Splice)> {
        // The thread's last message tells what all its lines have in common, and what the boundary follows.
        let leaf = (0..transcript.messages.len())
            .rev()
            .find_map(|index| transcript.source_records(index).last());
        let Some(tree) = leaf.and_then(|line| JsonTree::new(line).ok()) else {
            return Vec::new();
        };
        let leaf = tree.root();
        let literal = |node: JsonNode<'_>, key: &str| {
            node.get(key)
                .map_or_else(|| b"null".to_vec(), |value| value.bytes().to_vec())
        };
        let (leaf_uuid, stamp) = (literal(leaf, "uuid"), literal(leaf, "timestamp"));
        let common: Vec<u8> = COMMON
            .iter()
            .filter_map(|key| {
                Some(
                    [
                        b"\"",
                        key.as_bytes(),
                        b"\": ",
                        leaf.get(key)?.bytes(),
                        b", ",
                    ]
                    .concat(),
                )
            })
            .flatten()
            .collect();
        let new = |what: &str| {
            encode_literal(&uuid_like_id(&[
                what.as_bytes(),
                &leaf_uuid,
                text.as_bytes(),
            ]))
        };
        let (boundary, summary) = (new("boundary"), new("summary"));
        let kept: Vec<Vec<u8>> = kept_uuids(transcript, place.first_kept);
        let mut metadata = format!(
            "\"trigger\": \"manual\", \"preTokens\": {}",
            place.tokens_before
        )
        .into_bytes();
        if let (Some(head), Some(tail)) = (kept.first(), kept.last()) {
            if is_one_path(transcript, place.first_kept) {
                let keys = [
                    b"\"headUuid\": ".as_slice(),
                    head,
                    b", \"anchorUuid\": ",
                    &summary,
                    b", \"tailUuid\": ",
                    tail,
                ]
                .concat();
                metadata.extend_from_slice(
                    &[b", \"preservedSegment\": {".as_slice(), &keys, b"}"].concat(),
                );
            }
            let uuids = kept.join(b", ".as_slice());
            metadata.extend_from_slice(
                &[
                    b", \"preservedMessages\": {\"anchorUuid\": ".as_slice(),
                    &summary,
                    b", \"uuids\": [",
                    &uuids,
                    b"]}",
                ]
                .concat(),
            );
        }
        let ends =
            |uuid: &[u8]| [b"\"uuid\": ".as_slice(), uuid, b", \"timestamp\": ", &stamp].concat();
        let first = [
            b"{\"parentUuid\": null, \"logicalParentUuid\": ".as_slice(),
            &leaf_uuid,
            b", ",
            &common,
            b"\"type\": \"system\", \"subtype\": \"compact_boundary\", \"content\": \"Conversation compacted\", \"isMeta\": false, \"level\": \"info\", ",
            &ends(&boundary),
            b", \"compactMetadata\": {",
            &metadata,
            b"}}",
        ];
        let second = [
            b"{\"parentUuid\": ".as_slice(),
            &boundary,
            b", ",
            &common,
            b"\"type\": \"user\", \"message\": {\"role\": \"user\", \"content\": ",
            &encode_literal(text),
            b"}, \"isCompactSummary\": true, \"isVisibleInTranscriptOnly\": true, ",
            &ends(&summary),
            b"}",
        ];
        append_lines(transcript, &[first.concat(), second.concat()])
    }
}

/// The uuids (literals) of the lines that stay, in order.
fn kept_uuids(transcript: &Transcript<'_>, first_kept: usize) -> Vec<Vec<u8>> {
    let mut uuids = Vec::new();
    for index in first_kept..transcript.messages.len() {
        // Results of one line are messages of their own.
        if index > first_kept
            && transcript.messages[index].span == transcript.messages[index - 1].span
        {
            continue;
        }
        uuids.extend(transcript.source_records(index).filter_map(|line| {
            Some(
                JsonTree::new(line)
                    .ok()?
                    .root()
                    .get("uuid")?
                    .bytes()
                    .to_vec(),
            )
        }));
    }
    uuids
}

/// Whether each kept line hangs on the one before it: then the first and the last name them all.
fn is_one_path(transcript: &Transcript<'_>, first_kept: usize) -> bool {
    let mut last: Option<Vec<u8>> = None;
    for index in first_kept..transcript.messages.len() {
        if index > first_kept
            && transcript.messages[index].span == transcript.messages[index - 1].span
        {
            continue;
        }
        for line in transcript.source_records(index) {
            let Ok(tree) = JsonTree::new(line) else {
                return false;
            };
            let follows = tree.root().get("parentUuid").map(JsonNode::bytes);
            if last.as_deref().is_some_and(|last| follows != Some(last)) {
                return false;
            }
            last = tree.root().get("uuid").map(|uuid| uuid.bytes().to_vec());
        }
    }
    true
}

/// One line of the graph.
struct ClaudeLine {
    at: usize,
    parent: Option<String>,
    sidechain: bool,
    agent: Option<String>,
    session: Option<String>,
    is_boundary: bool,
    preserved: Option<ClaudePreserved>,
    turn: Option<ClaudeTurn>,
}

/// What a compaction left word for word, and behind which line it stands now.
struct ClaudePreserved {
    anchor: Option<String>,
    kept: PreservedLines,
}

enum PreservedLines {
    /// The first and the last line of a path.
    ParentPath(String, String),
    Lines(Vec<String>),
}

/// A session while it is read.
#[derive(Default)]
struct ClaudeSession {
    lines: HashMap<String, ClaudeLine>,
    /// The uuids in the order of their lines.
    order: Vec<String>,
    attachments: usize,
}

fn text_at(node: JsonNode<'_>, key: &str) -> Option<String> {
    node.get(key)
        .and_then(JsonNode::as_text)
        .filter(|text| !text.is_empty())
        .map(Cow::into_owned)
}

impl JournalReader for ClaudeSession {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        // Titles, snapshots of files, notes of queues have no uuid: they are no part of the graph.
        let Some(uuid) = text_at(record, "uuid") else {
            return Ok(());
        };
        let is_boundary = record.has_text("subtype", "compact_boundary");
        self.attachments += usize::from(record.has_text("type", "attachment"));
        let line = ClaudeLine {
            at,
            parent: text_at(record, "parentUuid"),
            sidechain: record
                .get("isSidechain")
                .is_some_and(|value| value.bytes() == b"true"),
            agent: text_at(record, "agentId"),
            session: text_at(record, "sessionId"),
            is_boundary,
            preserved: if is_boundary { preserved(record) } else { None },
            turn: ClaudeTurn::of(at, record),
        };
        // A line that is written again: the last one counts.
        if self.lines.insert(uuid.clone(), line).is_none() {
            self.order.push(uuid);
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let Some(last) = records.len().checked_sub(1) else {
            return Vec::new();
        };
        let mut leaves: Vec<(ClaudeThreadKey, &str)> = Vec::new();
        let (mut place_of, mut lines_of): (HashMap<ClaudeThreadKey, usize>, Vec<usize>) =
            (HashMap::new(), Vec::new());
        for uuid in self
            .order
            .iter()
            .filter(|uuid| self.lines[*uuid].turn.is_some())
        {
            let key = self.key(uuid);
            let place = *place_of.entry(key.clone()).or_insert(leaves.len());
            match leaves.get_mut(place) {
                Some((_, leaf)) => *leaf = uuid,
                None => {
                    leaves.push((key, uuid));
                    lines_of.push(0);
                }
            }
            lines_of[place] += 1;
        }
        let mut paths: Vec<(ClaudeThreadKey, ParentPath<'_>)> = leaves
            .into_iter()
            .map(|(key, leaf)| (key, self.path(leaf)))
            .collect();
        // A session that goes on under another id is one conversation: what leads into a longer path is part of it.
        let parts: Vec<bool> = paths
            .iter()
            .map(|(key, path)| {
                key.agent.is_none()
                    && paths
                        .iter()
                        .any(|(other, longer)| other != key && longer.holds(path))
            })
            .collect();
        let mut parts = parts.into_iter();
        paths.retain(|_| !parts.next().unwrap_or_default());
        let beside = OffPathLines::of(&self);
        let tell = |(key, path): (ClaudeThreadKey, ParentPath<'_>)| {
            let turns: Vec<&ClaudeTurn> = self
                .live(&beside, &path)
                .into_iter()
                .filter_map(|uuid| self.lines[uuid].turn.as_ref())
                .collect();
            let mut thread = tell(&turns, records, WRITES, last);
            thread.id = match (&key.session, &key.agent) {
                (Some(session), Some(agent)) => Some(format!("{session}-agent-{agent}")),
                (session, agent) => session.clone().or(agent.clone()),
            };
            thread.warnings.extend(path.warning.clone());
            let lines = place_of.get(&key).map_or(0, |&place| lines_of[place]);
            let starts_anew = path
                .lines
                .first()
                .is_some_and(|root| self.lines[*root].is_boundary);
            if lines > turns.len() && !starts_anew {
                thread.warnings.push(format!(
                    "{} of its {lines} lines lie on branches that were left: they are not sent",
                    lines - turns.len()
                ));
            }
            if self.attachments > 0 && key.agent.is_none() {
                thread.warnings.push(format!(
                    "{} attachments are not counted: what of them is sent is not in the log",
                    self.attachments
                ));
            }
            thread
        };
        paths
            .into_iter()
            .map(tell)
            .filter(|thread| thread.len() > 0)
            .collect()
    }
}

fn preserved(record: JsonNode<'_>) -> Option<ClaudePreserved> {
    let metadata = record.get("compactMetadata")?;
    // The list is surer than its ends: a line that was written again hangs on the summary.
    if let Some(messages) = metadata.get("preservedMessages") {
        let uuids = messages
            .items_of("uuids")
            .filter_map(JsonNode::as_text)
            .map(Cow::into_owned)
            .collect();
        return Some(ClaudePreserved {
            anchor: text_at(messages, "anchorUuid"),
            kept: PreservedLines::Lines(uuids),
        });
    }
    let segment = metadata.get("preservedSegment")?;
    let kept =
        PreservedLines::ParentPath(text_at(segment, "headUuid")?, text_at(segment, "tailUuid")?);
    Some(ClaudePreserved {
        anchor: text_at(segment, "anchorUuid"),
        kept,
    })
}

/// What makes a thread.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ClaudeThreadKey {
    session: Option<String>,
    /// Of a sub-agent: its id, or that of its first line.
    agent: Option<String>,
}

/// From a root to a leaf.
struct ParentPath<'s> {
    lines: Vec<&'s str>,
    set: HashSet<&'s str>,
    warning: Option<String>,
}

impl ParentPath<'_> {
    fn holds(&self, other: &ParentPath<'_>) -> bool {
        self.lines.len() > other.lines.len()
            && other
                .lines
                .last()
                .is_some_and(|leaf| self.set.contains(leaf))
    }
}

impl ClaudeSession {
    fn key(&self, uuid: &str) -> ClaudeThreadKey {
        let line = &self.lines[uuid];
        let agent = || {
            line.agent
                .clone()
                .unwrap_or_else(|| self.first_of_sidechain(uuid).to_owned())
        };
        ClaudeThreadKey {
            session: line.session.clone(),
            agent: line.sidechain.then(agent),
        }
    }

    /// The first line of the side chain that a line hangs on.
    fn first_of_sidechain<'s>(&'s self, uuid: &'s str) -> &'s str {
        let mut seen = HashSet::from([uuid]);
        let mut at = uuid;
        while let Some(parent) = self.lines[at]
            .parent
            .as_deref()
            .filter(|parent| self.lines.get(*parent).is_some_and(|line| line.sidechain))
        {
            if !seen.insert(parent) {
                break;
            }
            at = parent;
        }
        at
    }

    /// The lines that a leaf hangs on, from the root on. A side chain ends where it leaves the main one.
    fn path<'s>(&'s self, leaf: &'s str) -> ParentPath<'s> {
        let sidechain = self.lines[leaf].sidechain;
        let (mut lines, mut set) = (vec![leaf], HashSet::from([leaf]));
        let mut warning = None;
        let mut at = leaf;
        while let Some(parent) = self.lines[at].parent.as_deref() {
            let Some((parent, line)) = self.lines.get_key_value(parent) else {
                warning = Some(format!(
                    "line {at} hangs on {parent}, which is not in the file: nothing before it is part of the conversation"
                ));
                break;
            };
            if line.sidechain != sidechain {
                break;
            }
            if !set.insert(parent) {
                warning = Some(format!(
                    "the lines from {parent} on hang on each other in a circle: the conversation begins there"
                ));
                break;
            }
            lines.push(parent);
            at = parent;
        }
        lines.reverse();
        ParentPath {
            lines,
            set,
            warning,
        }
    }

    /// The lines that are sent, in order: those of the path, what the last compaction preserved, and the calls and
    /// results beside the path that belong to its answers (parallel calls branch).
    fn live<'s>(&'s self, beside: &OffPathLines<'s>, path: &ParentPath<'s>) -> Vec<&'s str> {
        let mut lines = path.lines.clone();
        if let Some(preserved) = path
            .lines
            .first()
            .and_then(|root| self.lines[*root].preserved.as_ref())
        {
            let kept: Vec<&str> = match &preserved.kept {
                PreservedLines::Lines(uuids) => uuids
                    .iter()
                    .map(String::as_str)
                    .filter(|uuid| self.lines.contains_key(*uuid))
                    .collect(),
                PreservedLines::ParentPath(head, tail) if self.lines.contains_key(tail) => {
                    let path = self.path(tail);
                    // Where the two are not of one path the agent keeps nothing.
                    path.lines
                        .iter()
                        .position(|uuid| uuid == head)
                        .map_or_else(Vec::new, |from| path.lines[from..].to_vec())
                }
                PreservedLines::ParentPath(..) => Vec::new(),
            };
            let kept: Vec<&str> = kept
                .into_iter()
                .filter(|uuid| !path.set.contains(uuid) && !self.lines[*uuid].is_boundary)
                .collect();
            let anchor = preserved
                .anchor
                .as_ref()
                .and_then(|anchor| lines.iter().position(|uuid| uuid == anchor));
            // Without an anchor it stands behind the summary.
            let summary = lines.iter().rposition(|uuid| {
                self.lines[*uuid]
                    .turn
                    .as_ref()
                    .is_some_and(|turn| turn.summary)
            });
            let at = anchor.or(summary).map_or(lines.len().min(1), |at| at + 1);
            lines.splice(at..at, kept);
        }
        self.with_siblings(beside, lines)
    }

    /// Adds the other pieces of the answers on a path, and the results that hang on them.
    fn with_siblings<'s>(&'s self, beside: &OffPathLines<'s>, lines: Vec<&'s str>) -> Vec<&'s str> {
        let turn = |uuid: &'s str| self.lines[uuid].turn.as_ref();
        let id_of = |uuid: &'s str| turn(uuid).and_then(|turn| turn.message_id.as_deref());
        // By the line they hang on: ids of calls repeat.
        let answers = |uuid: &'s str| {
            let parent = self.lines[uuid].parent.as_deref();
            turn(uuid)
                .into_iter()
                .flat_map(|turn| &turn.answers)
                .map(move |call| (parent, call.as_str()))
        };
        let answered: HashSet<(Option<&str>, &str)> =
            lines.iter().flat_map(|uuid| answers(uuid)).collect();
        let mut seen: HashSet<&str> = lines.iter().copied().collect();
        // Behind the last piece of the answer that lies on the path.
        let last: HashMap<&str, usize> = lines
            .iter()
            .enumerate()
            .filter_map(|(at, uuid)| Some((id_of(uuid)?, at)))
            .collect();
        let mut out = Vec::with_capacity(lines.len());
        for (at, &uuid) in lines.iter().enumerate() {
            out.push(uuid);
            let Some(id) = id_of(uuid).filter(|id| last[id] == at) else {
                continue;
            };
            let same_chain = |other: &&str| {
                self.lines[*other].sidechain == self.lines[uuid].sidechain
                    && self.lines[*other].agent == self.lines[uuid].agent
            };
            let pieces = beside
                .pieces
                .get(id)
                .into_iter()
                .flatten()
                .copied()
                .filter(same_chain);
            // What was answered again on the path is not taken from beside it.
            let is_new =
                |result: &&'s str| !answers(result).any(|answer| answered.contains(&answer));
            let results = pieces
                .clone()
                .flat_map(|piece| beside.results.get(piece).into_iter().flatten())
                .copied()
                .filter(is_new);
            let mut found: Vec<&str> = pieces
                .clone()
                .chain(results)
                .filter(|uuid| seen.insert(uuid))
                .collect();
            found.sort_by_key(|uuid| self.lines[*uuid].at);
            out.extend(found);
        }
        out
    }
}

/// Lines by what they belong to, for those that lie beside a path.
#[derive(Default)]
struct OffPathLines<'s> {
    /// The pieces of each answer.
    pieces: HashMap<&'s str, Vec<&'s str>>,
    /// The results that hang on each line.
    results: HashMap<&'s str, Vec<&'s str>>,
}

impl<'s> OffPathLines<'s> {
    fn of(session: &'s ClaudeSession) -> Self {
        let mut beside = Self::default();
        for uuid in &session.order {
            let line = &session.lines[uuid];
            let Some(turn) = &line.turn else { continue };
            if let Some(id) = &turn.message_id {
                beside.pieces.entry(id).or_default().push(uuid);
            }
            if let Some(parent) = line.parent.as_deref().filter(|_| !turn.answers.is_empty()) {
                beside.results.entry(parent).or_default().push(uuid);
            }
        }
        beside
    }
}
