//! The lines of a Claude Code session, linked by `parentUuid`.

use crate::reading::format::claude_preserved::{
    PreservedLines, PreservedLists, PreservedUuids, PreservingBoundary,
};
use crate::reading::format::claude_turns::ClaudeTurn;
use crate::reading::format::prelude::*;
use std::collections::BTreeMap;
use std::rc::Rc;

pub(super) struct ClaudeLine {
    /// Index of the record.
    pub(super) at: usize,
    /// The length of the record.
    pub(super) bytes: usize,
    /// The number of its uuid, in the order of first lines.
    number: usize,
    /// The uuid of the line before it.
    pub(super) parent: Option<String>,
    pub(super) is_sidechain: bool,
    pub(super) agent: Option<String>,
    pub(super) session: Option<String>,
    /// True if the line is the boundary of a compaction.
    pub(super) is_boundary: bool,
    pub(super) preserved: Option<PreservedLines>,
    pub(super) turn: Option<ClaudeTurn>,
}

impl ClaudeLine {
    fn from_record(number: usize, record: JsonNode<'_>) -> Self {
        let is_boundary = record.has_text("subtype", "compact_boundary");
        let preserved = is_boundary.then(|| PreservedLines::from_boundary(record));
        Self {
            at: record.record_index(),
            bytes: record.record_bytes().len(),
            number,
            parent: record.non_empty_text("parentUuid"),
            is_sidechain: record.has_true("isSidechain"),
            agent: record.non_empty_text("agentId"),
            session: record.non_empty_text("sessionId"),
            is_boundary,
            preserved: preserved.flatten(),
            turn: ClaudeTurn::from_line(record),
        }
    }

    /// Returns true if the line belongs to the conversation of its parent. A side chain begins where
    /// it leaves the main chain, or the side chain of another agent.
    fn continues_chain(&self, parent: &Self) -> bool {
        parent.is_sidechain == self.is_sidechain
            && (!self.is_sidechain || parent.agent == self.agent)
    }
}

/// The main chain, or the side chain of one agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ChainKey<'s> {
    is_sidechain: bool,
    agent: Option<&'s str>,
}

/// The lines from a root to a leaf.
pub(super) struct ParentPath<'s> {
    pub(super) lines: Vec<&'s str>,
    pub(super) set: HashSet<&'s str>,
    /// The lines over which the search came to what a compaction preserved.
    pub(super) passed: Vec<&'s str>,
    /// True if the path leads over lines that a compaction preserved, so that it holds them.
    pub(super) holds_preserved: bool,
    pub(super) warning: Option<String>,
}

/// The lines that a compaction preserved, up to one that a path leads to.
struct PreservedPath<'s> {
    boundary: &'s str,
    anchor: &'s str,
    lines: Vec<&'s str>,
}

/// The lines that a boundary lists.
#[derive(Default)]
pub(super) struct ListedLines<'s> {
    pub(super) lines: Vec<&'s str>,
    /// The lines that were passed in search of them.
    passed: usize,
}

#[derive(Default)]
pub(super) struct ClaudeLines {
    by_uuid: HashMap<Rc<str>, ClaudeLine>,
    /// The uuids in the order of their first lines.
    order: BTreeMap<usize, Rc<str>>,
    /// The number of uuids, with those that were set aside.
    count: usize,
    preserved: PreservedLists,
    aside: LinesAside,
}

/// Lines that were set aside. Those that were set aside at once come back at once.
#[derive(Default)]
struct LinesAside {
    lines: HashMap<Rc<str>, (usize, ClaudeLine)>,
    /// The uuids of the lines that were set aside at once.
    groups: Vec<Vec<Rc<str>>>,
}

impl ClaudeLines {
    /// Sets aside all lines but those in `kept`, the boundaries that preserved them, and what the
    /// boundaries name that are kept.
    pub(super) fn set_aside_all_but(&mut self, mut kept: HashSet<String>) {
        let preserving = kept.iter().filter_map(|uuid| self.preserved.last_boundary_of(uuid));
        let preserving: Vec<String> = preserving.map(str::to_owned).collect();
        kept.extend(preserving);
        let named: Vec<String> = kept
            .iter()
            .filter_map(|uuid| self.by_uuid.get(uuid.as_str())?.preserved.as_ref())
            .flat_map(|preserved| self.preserved.names_in(preserved))
            .map(str::to_owned)
            .collect();
        kept.extend(named);
        let group = self.aside.groups.len();
        let left = self.by_uuid.extract_if(|uuid, _| !kept.contains(&**uuid));
        let mut uuids = Vec::new();
        for (uuid, line) in left {
            self.order.remove(&line.number);
            uuids.push(uuid.clone());
            self.aside.lines.insert(uuid, (group, line));
        }
        self.aside.groups.push(uuids);
    }

    /// Takes back a line, if it was set aside, and what tells its conversation.
    fn take_back(&mut self, uuid: &str) {
        let mut wanted = vec![uuid.to_owned()];
        while let Some(uuid) = wanted.pop() {
            let Some((group, _)) = self.aside.lines.get(uuid.as_str()) else {
                continue;
            };
            for uuid in std::mem::take(&mut self.aside.groups[*group]) {
                let Some((_, line)) = self.aside.lines.remove(&uuid) else {
                    continue;
                };
                wanted.extend(self.names_of(&uuid, &line));
                self.order.insert(line.number, uuid.clone());
                self.by_uuid.insert(uuid, line);
            }
        }
    }

    /// Returns the uuids of the lines without which a conversation that comes to a line can't be
    /// told. What was preserved is attached to the last boundary that preserved it.
    fn names_of(&self, uuid: &str, line: &ClaudeLine) -> Vec<String> {
        let preserved =
            line.preserved.iter().flat_map(|preserved| self.preserved.names_in(preserved));
        let before = self.preserved.last_boundary_of(uuid).or_else(|| {
            line.parent.as_deref().filter(|parent| {
                let aside = self.aside.lines.get(*parent);
                aside.is_some_and(|(_, parent)| line.continues_chain(parent))
            })
        });
        preserved.chain(before).map(str::to_owned).collect()
    }

    /// Adds the line. If a line is written twice, the last one counts. Fails for a boundary if too
    /// much was preserved to look for what it preserves.
    pub(super) fn insert(&mut self, uuid: String, record: JsonNode<'_>) -> Result<(), RecordError> {
        self.take_back(&uuid);
        let known = self.by_uuid.get(uuid.as_str()).map(|line| line.number);
        let mut line = ClaudeLine::from_record(known.unwrap_or(self.count), record);
        for name in self.names_of(&uuid, &line) {
            self.take_back(&name);
        }
        if known.is_some() {
            self.preserved.share_no_more();
        }
        let uuid: Rc<str> = uuid.into();
        if let Some(preserved) = &mut line.preserved {
            let boundary = PreservingBoundary { uuid: Rc::clone(&uuid), at: line.at };
            self.find_preserved(preserved, boundary)?;
        }
        if known.is_none() {
            self.order.insert(line.number, Rc::clone(&uuid));
            self.count += 1;
        }
        self.by_uuid.insert(uuid, line);
        Ok(())
    }

    /// Notes what a compaction preserves, if the session has it already. A path to a known tail is
    /// looked up here only: a tail that is written again after the boundary leads to the boundary,
    /// and that to the tail. Lines that follow are found later.
    fn find_preserved(
        &mut self,
        preserved: &mut PreservedLines,
        boundary: PreservingBoundary,
    ) -> Result<(), RecordError> {
        let path = match &preserved.uuids {
            PreservedUuids::Path(path) => Some(path.clone()),
            _ => None,
        };
        let list = match self.preserved.shared_list(path.as_ref()) {
            Some(list) => list,
            None => {
                let uuids = self.lines_before(preserved)?;
                let tail = path.as_ref().map(|path| path.tail.as_str());
                if !tail.map_or(!uuids.is_empty(), |tail| self.by_uuid.contains_key(tail)) {
                    return Ok(());
                }
                self.preserved.push(uuids, path)
            }
        };
        self.preserved.push_boundary(list, boundary);
        preserved.uuids = PreservedUuids::Found(list);
        Ok(())
    }

    /// Returns the lines so far that a boundary lists as preserved. The search for them costs as
    /// much as they are, and each compaction may preserve all that is before it.
    fn lines_before(&mut self, preserved: &PreservedLines) -> Result<Vec<Rc<str>>, RecordError> {
        self.preserved.check_passed(self.count)?;
        let ListedLines { lines, passed } = self.listed_uuids(preserved);
        let keys = lines.into_iter().filter_map(|uuid| self.by_uuid.get_key_value(uuid));
        let keys: Vec<Rc<str>> = keys.map(|(uuid, _)| Rc::clone(uuid)).collect();
        self.preserved.passed += passed;
        Ok(keys)
    }

    /// Returns the uuids of all lines, in order.
    pub(super) fn uuids(&self) -> impl Iterator<Item = &str> {
        self.order.values().map(AsRef::as_ref)
    }

    /// Returns the line with a uuid, which must exist.
    pub(super) fn line(&self, uuid: &str) -> &ClaudeLine {
        &self.by_uuid[uuid]
    }

    /// Returns the turn of a line, if its message was sent.
    pub(super) fn turn_of(&self, uuid: &str) -> Option<&ClaudeTurn> {
        self.by_uuid[uuid].turn.as_ref()
    }

    /// Returns the id of the answer that a line is a piece of.
    pub(super) fn message_id_of(&self, uuid: &str) -> Option<&str> {
        self.turn_of(uuid)?.message_id.as_deref()
    }

    /// Returns the calls that a line answers, each with the parent of the line, because ids of
    /// calls repeat.
    pub(super) fn answers_of<'s>(
        &'s self,
        uuid: &str,
    ) -> impl Iterator<Item = (Option<&'s str>, &'s str)> {
        let parent = self.by_uuid[uuid].parent.as_deref();
        self.turn_of(uuid)
            .into_iter()
            .flat_map(|turn| &turn.answers)
            .map(move |call| (parent, call.as_str()))
    }

    /// Returns the line before a line in the same chain.
    pub(super) fn parent_in_chain(&self, uuid: &str) -> Option<&str> {
        let line = &self.by_uuid[uuid];
        let parent = line.parent.as_deref()?;
        let before = self.by_uuid.get(parent)?;
        line.continues_chain(before).then_some(parent)
    }

    /// Returns the first line of the side chain that each line of a side chain belongs to, for
    /// lines that name no agent. Lines that hang on each other in a circle are one chain.
    pub(super) fn sidechain_starts(&self) -> HashMap<&str, &str> {
        let mut starts: HashMap<&str, &str> = HashMap::new();
        for uuid in self.uuids() {
            let line = self.line(uuid);
            if !line.is_sidechain || line.agent.is_some() {
                continue;
            }
            let mut passed = HashSet::from([uuid]);
            let mut way = vec![uuid];
            let mut at = uuid;
            let start = loop {
                if let Some(start) = starts.get(at) {
                    break *start;
                }
                match self.parent_in_chain(at) {
                    Some(parent) if passed.insert(parent) => at = parent,
                    _ => break at,
                }
                way.push(at);
            };
            // Each line is passed once: the next search ends at it.
            starts.extend(way.into_iter().map(|line| (line, start)));
        }
        starts
    }

    /// Returns the lines of the main chain that hang on each other in a circle.
    pub(super) fn circular_lines(&self) -> HashSet<&str> {
        let mut circular = HashSet::new();
        let mut search_of: HashMap<&str, usize> = HashMap::new();
        for (search, uuid) in self.uuids().enumerate() {
            let mut at = uuid;
            while !search_of.contains_key(at) {
                search_of.insert(at, search);
                let Some(parent) = self.parent_in_chain(at) else {
                    break;
                };
                at = parent;
            }
            // The search came back to one of its own lines.
            while search_of[at] == search
                && let Some(parent) = self.parent_in_chain(at)
                && search_of.get(parent) == Some(&search)
                && circular.insert(at)
            {
                at = parent;
            }
        }
        circular
    }

    /// Returns the lines from the root to a leaf, as Claude Code links them: the first line that a
    /// compaction preserved is attached to its anchor, not to what was summarized.
    pub(super) fn path_to<'s>(&'s self, leaf: &'s str) -> ParentPath<'s> {
        self.path_between("", leaf)
    }

    /// The same from the line `head` on at least, if the path leads over it.
    fn path_between<'s>(&'s self, head: &str, leaf: &'s str) -> ParentPath<'s> {
        let (mut lines, mut set) = (vec![leaf], HashSet::from([leaf]));
        let (mut warning, mut holds_preserved, mut passed) = (None, false, Vec::new());
        let mut at = leaf;
        loop {
            if !holds_preserved && let Some(kept) = self.preserved_before(at, leaf) {
                holds_preserved = true;
                passed.clone_from(&lines);
                let written = self.by_uuid[kept.boundary].at;
                // What is older than the compaction was summarized, or is kept.
                set = kept.lines.iter().copied().collect();
                lines.retain(|uuid| self.by_uuid[*uuid].at > written && !set.contains(uuid));
                lines.extend(kept.lines.into_iter().rev());
                lines.push(kept.anchor);
                set = lines.iter().copied().collect();
                at = kept.anchor;
            }
            if set.contains(head) {
                break;
            }
            let Some(parent) = self.by_uuid[at].parent.as_deref() else {
                break;
            };
            let Some((parent, before)) = self.by_uuid.get_key_value(parent) else {
                warning = Some(format!(
                    "the parent {parent} of line {at} is missing in the file; earlier messages are left out"
                ));
                break;
            };
            if !self.by_uuid[at].continues_chain(before) {
                break;
            }
            let parent = parent.as_ref();
            if !set.insert(parent) {
                warning = Some(format!(
                    "the parents of the lines from {parent} on form a circle: the conversation begins there"
                ));
                break;
            }
            lines.push(parent);
            at = parent;
        }
        lines.reverse();
        ParentPath { lines, set, passed, holds_preserved, warning }
    }

    /// Returns the preserved lines up to `line`, if the last compaction before `leaf` that preserved
    /// this line has an anchor that is in the file and that it did not preserve.
    fn preserved_before<'s>(&'s self, line: &'s str, leaf: &str) -> Option<PreservedPath<'s>> {
        // One that was written again stands further behind, too.
        let is_newest = |boundary: &PreservingBoundary| {
            self.by_uuid.get(&boundary.uuid).is_some_and(|line| line.at == boundary.at)
        };
        let leaf_at = self.by_uuid[leaf].at;
        let (list, boundary) = self.preserved.newest_boundary(line, leaf_at, is_newest)?;
        let preserved = self.by_uuid[boundary].preserved.as_ref()?;
        let (anchor, _) = self.by_uuid.get_key_value(preserved.anchor.as_deref()?)?;
        if self.preserved.holds(list, anchor) {
            return None;
        }
        let mut lines = self.listed_uuids(preserved).lines;
        let last = lines.iter().position(|uuid| *uuid == line)?;
        lines.truncate(last + 1);
        Some(PreservedPath { boundary, anchor, lines })
    }

    /// Returns the lines that a boundary lists as preserved.
    pub(super) fn listed_uuids<'s>(&'s self, preserved: &'s PreservedLines) -> ListedLines<'s> {
        let path = match &preserved.uuids {
            PreservedUuids::Path(path) => path,
            _ => return self.listed_among(&self.preserved.uuids_in(preserved)),
        };
        let Some((tail, _)) = self.by_uuid.get_key_value(path.tail.as_str()) else {
            return ListedLines::default();
        };
        let lines = self.path_between(&path.head, tail).lines;
        // If the two are not on one path, the agent keeps nothing.
        let head = lines.iter().position(|uuid| *uuid == path.head).unwrap_or(lines.len());
        ListedLines { passed: lines.len(), ..self.listed_among(&lines[head..]) }
    }

    fn listed_among<'s>(&'s self, uuids: &[&str]) -> ListedLines<'s> {
        let known = uuids.iter().filter_map(|uuid| self.by_uuid.get_key_value(*uuid));
        let lines = known.filter(|(_, line)| !line.is_boundary).map(|(uuid, _)| uuid.as_ref());
        ListedLines { lines: lines.collect(), passed: 0 }
    }

    pub(super) fn chain_of(&self, uuid: &str) -> ChainKey<'_> {
        let line = &self.by_uuid[uuid];
        ChainKey { is_sidechain: line.is_sidechain, agent: line.agent.as_deref() }
    }
}
