//! Logs of which each record is a message or a note, and all records together are one conversation.

use crate::reading::format::dialects::OPENAI;
use crate::reading::format::prelude::*;
use crate::reading::format::row::at::{At, NOWHERE, Template};
use crate::reading::format::row::condition::{AskedNode, If, hold};
use crate::reading::format::row::line_tree::LineTree;

/// The row of such a log.
pub(crate) struct LinesRow {
    /// The dialect in which the conversation is written down.
    pub(crate) dialect: DocumentDialect,
    /// The place of the conversation's id in any record; the first counts.
    pub(crate) id: At,
    /// What the records are; the first that fits counts. Others are left out.
    pub(crate) lines: &'static [Line],
    /// The object of a record that is a message, if it is not the record.
    pub(crate) within: At,
    /// The id of a message that may be logged again: the last one of a turn counts.
    pub(crate) again: At,
    /// The links of lines of which some were left, if the log has any.
    pub(crate) tree: Option<LineLinks>,
}

impl LinesRow {
    /// What most rows leave as it is.
    pub(crate) const PLAIN: Self = Self {
        dialect: OPENAI,
        id: NOWHERE,
        lines: &[],
        within: NOWHERE,
        again: NOWHERE,
        tree: None,
    };

    fn new_thread(&self) -> JournalThread {
        JournalThread::new_read_only(self.dialect)
    }

    /// Returns true if each message can be appended as it is read: nothing goes before it later,
    /// takes its place or leaves it on a branch.
    fn is_in_order(&self) -> bool {
        let mut lines = self.lines.iter();
        let has_prompt = lines.any(|line| matches!(line.becomes, Becomes::Prompt(_)));
        self.tree.is_none() && !self.again.is_somewhere() && !has_prompt
    }
}

/// The links between the lines of a log. A line whose parent is not in the log follows the one
/// before it, and the last line is on the branch that is sent.
pub(crate) struct LineLinks {
    pub(crate) id: At,
    pub(crate) parent: At,
    /// In a summary, the last line that it stands for.
    pub(crate) up_to: At,
}

/// One kind of records.
pub(crate) struct Line {
    pub(crate) when: &'static [If],
    /// What it must fulfil: the conditions, the place that lacks it, and the name of what is missing.
    pub(crate) needs: &'static [(&'static [If], At, &'static str)],
    /// The places of what it tells of the conversation; the last record counts.
    pub(crate) id: At,
    pub(crate) model: At,
    pub(crate) becomes: Becomes,
    /// True if it stands for what came before.
    pub(crate) is_summary: bool,
    /// True if no message behind it repeats one before it.
    pub(crate) is_new_turn: bool,
}

impl Line {
    pub(crate) const NOTE: Self = Self {
        when: &[],
        needs: &[],
        id: NOWHERE,
        model: NOWHERE,
        becomes: Becomes::Nothing,
        is_summary: false,
        is_new_turn: false,
    };
}

impl Line {
    fn check(&self, record: JsonNode<'_>) -> Result<()> {
        let mut needs = self.needs.iter();
        let missing = needs.find(|(conditions, ..)| !hold(conditions, record));
        missing.map_or(Ok(()), |(_, holder, what)| {
            Err(holder.node(record).unwrap_or(record).missing_key(what))
        })
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Becomes {
    Nothing,
    /// A message: its JSON.
    Message(&'static Template),
    /// The system prompt whose text is at a place. The last one comes before the messages.
    Prompt(At),
    /// The messages of a list, as a conversation of its own.
    List(&'static ListRow),
    /// What a function makes of it.
    Own(fn(&mut JournalThread, JsonNode<'_>)),
}

/// The row of a record that holds a whole conversation, which is all that it holds.
pub(crate) struct ListRow {
    pub(crate) key: &'static str,
    pub(crate) id: At,
    pub(crate) model: At,
    /// What the messages are; the first that fits counts. From the last summary on they are sent.
    pub(crate) lines: &'static [Line],
}

impl ListRow {
    fn build(&self, row: &LinesRow, record: JsonNode<'_>) -> Result<JournalThread> {
        let mut thread = JournalThread::new_read_only(row.dialect);
        thread.id = self.id.text(record);
        thread.model = self.model.text(record);
        let messages: Vec<JsonNode<'_>> =
            record.need_kind(self.key, JsonKind::Array)?.items().collect();
        let line_of = |message| self.lines.iter().find(|line| hold(line.when, message));
        let summary = messages
            .iter()
            .rposition(|message| line_of(*message).is_some_and(|line| line.is_summary));
        for message in &messages[summary.unwrap_or(0)..] {
            if let Some(line) = line_of(*message) {
                line.check(*message)?;
                push_line(&mut thread, line, *message);
            }
        }
        Ok(thread)
    }
}

/// A message, as it was found.
struct LoggedLine {
    place: EventPlace,
    line: &'static Line,
}

/// A log, read line by line.
pub(super) struct LineReader {
    row: &'static LinesRow,
    /// The id that the first record names, and the one that a line tells.
    first_id: Option<String>,
    id: Option<String>,
    /// The models that notes and messages name.
    model: Option<String>,
    prompt: Option<EventPlace>,
    /// The conversation, where each message is appended as it is read.
    direct: Option<JournalThread>,
    messages: Vec<LoggedLine>,
    /// The indices of the turn's messages that may be logged again, by their ids.
    of_turn: HashMap<String, usize>,
    tree: LineTree,
    /// The conversations that are one record each.
    lists: Vec<JournalThread>,
}

impl LineReader {
    pub(super) fn new(row: &'static LinesRow) -> Self {
        Self {
            row,
            first_id: None,
            id: None,
            model: None,
            prompt: None,
            direct: row.is_in_order().then(|| row.new_thread()),
            messages: Vec::new(),
            of_turn: HashMap::new(),
            tree: LineTree::default(),
            lists: Vec::new(),
        }
    }

    /// Adds a message, and its place in the tree.
    fn add_message(&mut self, line: &'static Line, record: JsonNode<'_>) {
        let node = self.row.within.node(record).unwrap_or(record);
        if let Some(thread) = &mut self.direct {
            return push_line(thread, line, node);
        }
        if let Some(links) = &self.row.tree {
            let up_to = line.is_summary.then(|| links.up_to.text_in(record));
            let parent = links.parent.text_in(record);
            self.tree.push(links.id.text(record), parent, up_to);
        }
        let message = LoggedLine { place: node.place(), line };
        let next = self.messages.len();
        let id = self.row.again.node(node).and_then(JsonNode::as_text);
        let index = id.map_or(next, |id| *self.of_turn.entry(id.into_owned()).or_insert(next));
        match self.messages.get_mut(index) {
            Some(known) => *known = message,
            None => self.messages.push(message),
        }
    }

    /// Returns the indices of the messages that are sent.
    fn live_messages(&self, thread: &mut JournalThread) -> Vec<usize> {
        let all = self.messages.len();
        if self.row.tree.is_none() {
            return (0..all).collect();
        }
        let path = self.tree.live_path();
        if path.len() < all {
            thread.warnings.push(format!(
                "{} of its {all} lines belong to abandoned branches and are not sent",
                all - path.len()
            ));
        }
        self.tree.after_summary(path)
    }
}

impl JournalReader for LineReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        self.first_id = self.first_id.take().or_else(|| self.row.id.text(record));
        let (mut lines, mut asked) = (self.row.lines.iter(), AskedNode::new(record));
        let Some(line) = lines.find(|line| asked.fulfils(line.when)) else {
            return Ok(());
        };
        line.check(record)?;
        self.id = line.id.text(record).or(self.id.take());
        if line.is_new_turn {
            self.of_turn.clear();
        }
        match line.becomes {
            Becomes::Nothing => self.model = line.model.text(record).or(self.model.take()),
            Becomes::Prompt(text) => {
                let text = text.node(record).filter(|text| text.is_kind(JsonKind::String));
                self.prompt = text.map(JsonNode::place).or(self.prompt);
            }
            Becomes::List(list) => {
                let thread = list.build(self.row, record)?;
                self.lists.extend(thread.into_only_thread());
            }
            _ => self.add_message(line, record),
        }
        Ok(())
    }

    fn into_threads(mut self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let mut thread = self.direct.take().unwrap_or_else(|| self.row.new_thread());
        thread.id = self.id.clone().or_else(|| self.first_id.clone());
        thread.model = thread.model.take().or_else(|| self.model.clone());
        let live = self.live_messages(&mut thread);
        if let Some(prompt) = self.prompt.filter(|_| !live.is_empty()) {
            let literal = prompt.bytes(records);
            thread.push_said(ElementMark::Message, prompt, "system", literal);
        }
        for index in live {
            let LoggedLine { place, line, .. } = self.messages[index];
            if let Ok(tree) = place.tree(records) {
                push_line(&mut thread, line, tree.root());
            }
        }
        let mut threads = self.lists;
        threads.extend(thread.into_only_thread());
        threads
    }
}

fn push_line(thread: &mut JournalThread, line: &Line, record: JsonNode<'_>) {
    thread.model = line.model.text(record).or(thread.model.take());
    match line.becomes {
        Becomes::Message(json) => {
            let mark = match line.is_summary {
                true => ElementMark::Summary,
                false => ElementMark::Message,
            };
            thread.push_element(mark, vec![record.place()], &json.fill(record));
        }
        Becomes::Own(push) => push(thread, record),
        Becomes::Nothing | Becomes::Prompt(_) | Becomes::List(_) => {}
    }
}
