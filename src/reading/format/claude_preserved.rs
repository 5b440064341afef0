//! What the compactions of a Claude Code session preserved word for word.

use crate::reading::format::prelude::*;
use std::rc::Rc;

/// The lines that all paths to what compactions preserved may have, as a multiple of the lines of
/// the session.
const MAX_REPEATS: usize = 4;
/// The lines that they may have in any case.
const FREE_LINES: usize = 1 << 20;

/// The lines that a compaction preserved word for word.
pub(super) struct PreservedLines {
    /// The uuid of the line behind which they stand now.
    pub(super) anchor: Option<String>,
    pub(super) uuids: PreservedUuids,
}

pub(super) enum PreservedUuids {
    Path(LinePath),
    List(Vec<String>),
    /// The lines in a session with this index in its lists of preserved lines.
    Found(usize),
}

/// The first and the last line of a path.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct LinePath {
    pub(super) head: String,
    pub(super) tail: String,
}

impl PreservedLines {
    /// Reads the lines that the boundary of a compaction lists.
    pub(super) fn from_boundary(boundary: JsonNode<'_>) -> Option<Self> {
        let metadata = boundary.get("compactMetadata")?;
        // The list is more reliable than its ends: a line that was written again follows the
        // summary.
        if let Some(messages) = metadata.get("preservedMessages") {
            let uuids = messages.items_of("uuids").filter_map(JsonNode::as_text);
            return Some(Self {
                anchor: messages.non_empty_text("anchorUuid"),
                uuids: PreservedUuids::List(uuids.map(Cow::into_owned).collect()),
            });
        }
        let segment = metadata.get("preservedSegment")?;
        let (head, tail) =
            (segment.non_empty_text("headUuid")?, segment.non_empty_text("tailUuid")?);
        Some(Self {
            anchor: segment.non_empty_text("anchorUuid"),
            uuids: PreservedUuids::Path(LinePath { head, tail }),
        })
    }
}

/// Lines that compactions preserved one after the other. Those that preserve the same path share it.
struct PreservedList {
    uuids: Vec<Rc<str>>,
    /// The path, if it is one.
    path: Option<LinePath>,
    /// The compactions, in order.
    boundaries: Vec<PreservingBoundary>,
}

pub(super) struct PreservingBoundary {
    pub(super) uuid: Rc<str>,
    /// Index of the record, as it was written then.
    pub(super) at: usize,
}

/// What compactions preserved, in order.
#[derive(Default)]
pub(super) struct PreservedLists {
    lists: Vec<PreservedList>,
    /// The lists that hold each line, in order.
    by_line: HashMap<Rc<str>, Vec<usize>>,
    /// The newest list, if no line was written again since.
    newest: Option<usize>,
    /// The lines that were passed in search of what was preserved.
    pub(super) passed: usize,
}

impl PreservedLists {
    /// Returns the uuids of the lines that the boundary of a compaction names as preserved.
    pub(super) fn uuids_in<'s>(&'s self, preserved: &'s PreservedLines) -> Vec<&'s str> {
        match &preserved.uuids {
            PreservedUuids::Path(path) => vec![&path.head, &path.tail],
            PreservedUuids::List(uuids) => uuids.iter().map(String::as_str).collect(),
            PreservedUuids::Found(list) => {
                self.lists[*list].uuids.iter().map(AsRef::as_ref).collect()
            }
        }
    }

    /// Returns all uuids that the boundary of a compaction names.
    pub(super) fn names_in<'s>(&'s self, preserved: &'s PreservedLines) -> Vec<&'s str> {
        let mut names = self.uuids_in(preserved);
        names.extend(preserved.anchor.as_deref());
        names
    }

    /// Returns the last boundary that preserved a line.
    pub(super) fn last_boundary_of(&self, uuid: &str) -> Option<&str> {
        let list = self.by_line.get(uuid)?.last()?;
        self.lists[*list].boundaries.last().map(|boundary| &*boundary.uuid)
    }

    /// Returns true if a list holds a line.
    pub(super) fn holds(&self, list: usize, uuid: &str) -> bool {
        self.by_line.get(uuid).is_some_and(|lists| lists.binary_search(&list).is_ok())
    }

    /// A path that is preserved again may have other lines: one was written again.
    pub(super) fn share_no_more(&mut self) {
        self.newest = None;
    }

    /// Returns the newest list, if it is of the same path.
    pub(super) fn shared_list(&self, path: Option<&LinePath>) -> Option<usize> {
        self.newest.filter(|list| path.is_some() && self.lists[*list].path.as_ref() == path)
    }

    /// Adds a list. Returns its index.
    pub(super) fn push(&mut self, uuids: Vec<Rc<str>>, path: Option<LinePath>) -> usize {
        let list = self.lists.len();
        for uuid in &uuids {
            self.by_line.entry(Rc::clone(uuid)).or_default().push(list);
        }
        self.lists.push(PreservedList { uuids, path, boundaries: Vec::new() });
        list
    }

    pub(super) fn push_boundary(&mut self, list: usize, boundary: PreservingBoundary) {
        self.lists[list].boundaries.push(boundary);
        self.newest = Some(list);
    }

    /// Fails if more lines were passed than a session of so many lines allows.
    pub(super) fn check_passed(&self, lines: usize) -> Result<(), RecordError> {
        if self.passed <= lines.saturating_mul(MAX_REPEATS).max(FREE_LINES) {
            return Ok(());
        }
        Err(RecordError::new(format!(
            "the compaction is left out: what those of this session preserve is more than {MAX_REPEATS} times as long as the session"
        )))
    }

    /// Returns the newest boundary before record `at` that preserved a line and `counts`, with the index
    /// of its list.
    pub(super) fn newest_boundary(
        &self,
        line: &str,
        at: usize,
        counts: impl Fn(&PreservingBoundary) -> bool,
    ) -> Option<(usize, &str)> {
        let lists = self.by_line.get(line)?;
        let begun = lists.partition_point(|list| self.lists[*list].boundaries[0].at < at);
        lists[..begun].iter().rev().find_map(|&list| {
            let boundaries = &self.lists[list].boundaries;
            let before = boundaries.partition_point(|boundary| boundary.at < at);
            let newest = boundaries[..before].iter().rev().find(|boundary| counts(boundary));
            newest.map(|boundary| (list, &*boundary.uuid))
        })
    }
}
