//! The graph of a Claude Code session: lines linked by `parentUuid`.
//!
//! The live conversation is the path from the last line to its root, which is the last compaction
//! if there is one. Sub-agents in the file (`isSidechain`) are separate threads. See
//! `docs/reference/formats.md`.

use crate::error::RecordError;
use crate::format::claude_turns::{ClaudeTurn, build_thread};
use crate::format::journal::{JournalReader, JournalThread};
use crate::format::tree::JsonNode;
use crate::transcript::journal::WriteMode;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// A line of the graph.
struct ClaudeLine {
    /// Index of the record.
    at: usize,
    /// The uuid of the line before it.
    parent: Option<String>,
    is_sidechain: bool,
    agent: Option<String>,
    session: Option<String>,
    /// True if the line is the boundary of a compaction.
    is_boundary: bool,
    preserved: Option<PreservedLines>,
    turn: Option<ClaudeTurn>,
}

/// The lines that a compaction preserved word for word.
struct PreservedLines {
    /// The uuid of the line behind which they stand now.
    anchor: Option<String>,
    uuids: PreservedUuids,
}

enum PreservedUuids {
    /// The first and the last line of a path.
    Path { head: String, tail: String },
    /// All lines.
    List(Vec<String>),
}

/// A session, read line by line.
pub(super) struct ClaudeSession {
    lines: HashMap<String, ClaudeLine>,
    /// The uuids in the order of their lines.
    order: Vec<String>,
    /// The number of attachments.
    attachments: usize,
    write_mode: WriteMode,
}

/// The identity of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ClaudeThreadKey {
    session: Option<String>,
    /// The id of a sub-agent, or the uuid of its first line; `None` for the main agent.
    agent: Option<String>,
}

/// The end of a thread.
struct ThreadLeaf<'s> {
    key: ClaudeThreadKey,
    /// The uuid of the last turn.
    leaf: &'s str,
    /// The number of turns, on all branches.
    turns: usize,
}

/// The lines from a root to a leaf.
struct ParentPath<'s> {
    lines: Vec<&'s str>,
    set: HashSet<&'s str>,
    warning: Option<String>,
}

impl ParentPath<'_> {
    /// Returns true if `other` is a shorter path to a line of this path.
    fn contains_path(&self, other: &ParentPath<'_>) -> bool {
        self.lines.len() > other.lines.len()
            && other
                .lines
                .last()
                .is_some_and(|leaf| self.set.contains(leaf))
    }
}

impl JournalReader for ClaudeSession {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        // Titles, snapshots of files and notes of queues have no uuid: they are not in the graph.
        let Some(uuid) = record.non_empty_text("uuid") else {
            return Ok(());
        };
        let is_boundary = record.has_text("subtype", "compact_boundary");
        self.attachments += usize::from(record.has_text("type", "attachment"));
        let line = ClaudeLine {
            at,
            parent: record.non_empty_text("parentUuid"),
            is_sidechain: record.has_true("isSidechain"),
            agent: record.non_empty_text("agentId"),
            session: record.non_empty_text("sessionId"),
            is_boundary,
            preserved: is_boundary.then(|| read_preserved(record)).flatten(),
            turn: ClaudeTurn::from_line(at, record),
        };
        // If a line is written twice, the last one counts.
        if self.lines.insert(uuid.clone(), line).is_none() {
            self.order.push(uuid);
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let mut threads: Vec<(ThreadLeaf<'_>, ParentPath<'_>)> = self
            .find_leaves()
            .into_iter()
            .map(|leaf| {
                let path = self.path_to(leaf.leaf);
                (leaf, path)
            })
            .collect();
        // A session that continues under another id is one conversation: a path that leads into a
        // longer one is a part of it.
        let is_part: Vec<bool> = threads
            .iter()
            .map(|(leaf, path)| {
                leaf.key.agent.is_none()
                    && threads
                        .iter()
                        .any(|(other, longer)| other.key != leaf.key && longer.contains_path(path))
            })
            .collect();
        let mut is_part = is_part.into_iter();
        threads.retain(|_| !is_part.next().unwrap_or_default());
        let off_path = OffPathLines::of_session(&self);
        threads
            .into_iter()
            .map(|(leaf, path)| self.thread_of(leaf, &path, &off_path, records))
            .filter(|thread| thread.len() > 0)
            .collect()
    }
}

fn read_preserved(boundary: JsonNode<'_>) -> Option<PreservedLines> {
    let metadata = boundary.get("compactMetadata")?;
    // The list is more reliable than its ends: a line that was written again follows the summary.
    if let Some(messages) = metadata.get("preservedMessages") {
        let uuids = messages
            .items_of("uuids")
            .filter_map(JsonNode::as_text)
            .map(Cow::into_owned)
            .collect();
        return Some(PreservedLines {
            anchor: messages.non_empty_text("anchorUuid"),
            uuids: PreservedUuids::List(uuids),
        });
    }
    let segment = metadata.get("preservedSegment")?;
    let (head, tail) = (
        segment.non_empty_text("headUuid")?,
        segment.non_empty_text("tailUuid")?,
    );
    Some(PreservedLines {
        anchor: segment.non_empty_text("anchorUuid"),
        uuids: PreservedUuids::Path { head, tail },
    })
}

impl ClaudeSession {
    pub(super) fn new(write_mode: WriteMode) -> Self {
        Self {
            lines: HashMap::new(),
            order: Vec::new(),
            attachments: 0,
            write_mode,
        }
    }

    fn turn_of(&self, uuid: &str) -> Option<&ClaudeTurn> {
        self.lines[uuid].turn.as_ref()
    }

    fn message_id_of(&self, uuid: &str) -> Option<&str> {
        self.turn_of(uuid)?.message_id.as_deref()
    }

    /// Returns the threads in the order of their first turns.
    fn find_leaves(&self) -> Vec<ThreadLeaf<'_>> {
        let mut leaves: Vec<ThreadLeaf<'_>> = Vec::new();
        let mut index_of: HashMap<ClaudeThreadKey, usize> = HashMap::new();
        for uuid in &self.order {
            if self.turn_of(uuid).is_none() {
                continue;
            }
            let key = self.thread_key(uuid);
            let index = *index_of.entry(key.clone()).or_insert(leaves.len());
            if index == leaves.len() {
                leaves.push(ThreadLeaf {
                    key,
                    leaf: uuid,
                    turns: 0,
                });
            }
            leaves[index].leaf = uuid;
            leaves[index].turns += 1;
        }
        leaves
    }

    fn thread_key(&self, uuid: &str) -> ClaudeThreadKey {
        let line = &self.lines[uuid];
        let agent = line.is_sidechain.then(|| {
            line.agent
                .clone()
                .unwrap_or_else(|| self.first_of_sidechain(uuid).to_owned())
        });
        ClaudeThreadKey {
            session: line.session.clone(),
            agent,
        }
    }

    /// Returns the first line of the side chain that a line belongs to.
    fn first_of_sidechain<'s>(&'s self, uuid: &'s str) -> &'s str {
        let mut seen = HashSet::from([uuid]);
        let mut at = uuid;
        while let Some(parent) = self.lines[at].parent.as_deref().filter(|parent| {
            self.lines
                .get(*parent)
                .is_some_and(|line| line.is_sidechain)
        }) {
            if !seen.insert(parent) {
                break;
            }
            at = parent;
        }
        at
    }

    /// Returns the lines from the root to a leaf. A side chain ends where it leaves the main chain.
    fn path_to<'s>(&'s self, leaf: &'s str) -> ParentPath<'s> {
        let is_sidechain = self.lines[leaf].is_sidechain;
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
            if line.is_sidechain != is_sidechain {
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

    fn thread_of(
        &self,
        leaf: ThreadLeaf<'_>,
        path: &ParentPath<'_>,
        off_path: &OffPathLines<'_>,
        records: &[&[u8]],
    ) -> JournalThread {
        let turns: Vec<&ClaudeTurn> = self
            .live_lines(off_path, path)
            .into_iter()
            .filter_map(|uuid| self.turn_of(uuid))
            .collect();
        let last = records.len().saturating_sub(1);
        let mut thread = build_thread(&turns, records, self.write_mode, last);
        thread.id = match (&leaf.key.session, &leaf.key.agent) {
            (Some(session), Some(agent)) => Some(format!("{session}-agent-{agent}")),
            (session, agent) => session.clone().or(agent.clone()),
        };
        thread.warnings.extend(path.warning.clone());
        let starts_at_boundary = path
            .lines
            .first()
            .is_some_and(|root| self.lines[*root].is_boundary);
        let lines = leaf.turns;
        if lines > turns.len() && !starts_at_boundary {
            thread.warnings.push(format!(
                "{} of its {lines} lines lie on branches that were left: they are not sent",
                lines - turns.len()
            ));
        }
        if self.attachments > 0 && leaf.key.agent.is_none() {
            thread.warnings.push(format!(
                "{} attachments are not counted: what of them is sent is not in the log",
                self.attachments
            ));
        }
        thread
    }

    /// Returns the lines that are sent, in order: the path, the lines that the last compaction
    /// preserved, and the pieces of its answers and their results beside the path (parallel calls
    /// branch).
    fn live_lines<'s>(
        &'s self,
        off_path: &OffPathLines<'s>,
        path: &ParentPath<'s>,
    ) -> Vec<&'s str> {
        let mut lines = path.lines.clone();
        let preserved = path
            .lines
            .first()
            .and_then(|root| self.lines[*root].preserved.as_ref());
        if let Some(preserved) = preserved {
            let anchor = preserved
                .anchor
                .as_ref()
                .and_then(|anchor| lines.iter().position(|uuid| uuid == anchor));
            // Without an anchor they follow the summary.
            let summary = lines
                .iter()
                .rposition(|uuid| self.turn_of(uuid).is_some_and(|turn| turn.is_summary));
            let at = anchor.or(summary).map_or(lines.len().min(1), |at| at + 1);
            lines.splice(at..at, self.preserved_uuids(preserved, path));
        }
        self.with_siblings(off_path, lines)
    }

    /// Returns the lines that a compaction preserved, without those that are on the path anyway.
    fn preserved_uuids<'s>(
        &'s self,
        preserved: &'s PreservedLines,
        path: &ParentPath<'s>,
    ) -> Vec<&'s str> {
        let mut uuids: Vec<&str> = match &preserved.uuids {
            PreservedUuids::List(uuids) => uuids
                .iter()
                .map(String::as_str)
                .filter(|uuid| self.lines.contains_key(*uuid))
                .collect(),
            PreservedUuids::Path { head, tail } if self.lines.contains_key(tail) => {
                let mut lines = self.path_to(tail).lines;
                // If the two are not on one path, the agent keeps nothing.
                let head = lines.iter().position(|uuid| uuid == head);
                lines.split_off(head.unwrap_or(lines.len()))
            }
            PreservedUuids::Path { .. } => Vec::new(),
        };
        uuids.retain(|uuid| !path.set.contains(uuid) && !self.lines[*uuid].is_boundary);
        uuids
    }

    /// Returns the calls that a line answers, each with the parent of the line, because ids of
    /// calls repeat.
    fn answers_of<'s>(&'s self, uuid: &str) -> impl Iterator<Item = (Option<&'s str>, &'s str)> {
        let parent = self.lines[uuid].parent.as_deref();
        self.turn_of(uuid)
            .into_iter()
            .flat_map(|turn| &turn.answers)
            .map(move |call| (parent, call.as_str()))
    }

    /// Adds the other pieces of the answers on a path, and the results that follow them.
    fn with_siblings<'s>(
        &'s self,
        off_path: &OffPathLines<'s>,
        lines: Vec<&'s str>,
    ) -> Vec<&'s str> {
        let answered: HashSet<(Option<&str>, &str)> = lines
            .iter()
            .flat_map(|uuid| self.answers_of(uuid))
            .collect();
        let mut seen: HashSet<&str> = lines.iter().copied().collect();
        // The siblings stand behind the last piece of the answer that is on the path.
        let last_pieces: HashMap<&str, usize> = lines
            .iter()
            .enumerate()
            .filter_map(|(at, uuid)| Some((self.message_id_of(uuid)?, at)))
            .collect();
        let mut out = Vec::with_capacity(lines.len());
        for (at, &uuid) in lines.iter().enumerate() {
            out.push(uuid);
            let Some(id) = self.message_id_of(uuid).filter(|id| last_pieces[id] == at) else {
                continue;
            };
            let pieces: Vec<&str> = off_path
                .pieces_of(id)
                .filter(|piece| self.are_in_one_chain(piece, uuid))
                .collect();
            // A call that is answered on the path needs no result from beside it.
            let results = pieces
                .iter()
                .flat_map(|piece| off_path.results_of(piece))
                .filter(|result| {
                    !self
                        .answers_of(result)
                        .any(|answer| answered.contains(&answer))
                });
            let mut siblings: Vec<&str> = pieces
                .iter()
                .copied()
                .chain(results)
                .filter(|uuid| seen.insert(uuid))
                .collect();
            siblings.sort_by_key(|uuid| self.lines[*uuid].at);
            out.extend(siblings);
        }
        out
    }

    fn are_in_one_chain(&self, first: &str, second: &str) -> bool {
        let (first, second) = (&self.lines[first], &self.lines[second]);
        first.is_sidechain == second.is_sidechain && first.agent == second.agent
    }
}

/// All lines by the answers and calls that they belong to.
#[derive(Default)]
struct OffPathLines<'s> {
    /// The pieces of each answer, by its id.
    pieces: HashMap<&'s str, Vec<&'s str>>,
    /// The results that follow each line, by its uuid.
    results: HashMap<&'s str, Vec<&'s str>>,
}

impl<'s> OffPathLines<'s> {
    fn of_session(session: &'s ClaudeSession) -> Self {
        let mut off_path = Self::default();
        for uuid in &session.order {
            let line = &session.lines[uuid];
            let Some(turn) = &line.turn else { continue };
            if let Some(id) = &turn.message_id {
                off_path.pieces.entry(id).or_default().push(uuid);
            }
            if let Some(parent) = line.parent.as_deref().filter(|_| !turn.answers.is_empty()) {
                off_path.results.entry(parent).or_default().push(uuid);
            }
        }
        off_path
    }

    fn pieces_of(&self, message_id: &str) -> impl Iterator<Item = &'s str> {
        self.pieces.get(message_id).into_iter().flatten().copied()
    }

    fn results_of(&self, uuid: &str) -> impl Iterator<Item = &'s str> {
        self.results.get(uuid).into_iter().flatten().copied()
    }
}
