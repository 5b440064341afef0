//! What a row doesn't name in a record: the keys that hold something of which nothing comes.
//!
//! The cases in `fixtures/told` show it. Reports don't, as long as what they list is found by the
//! reader of each log.

use crate::reading::format::message_builder::filled_keys;
use crate::reading::format::row::at::{At, at};
use crate::reading::format::row::condition::{If, hold};
use crate::reading::format::row::conversation::{ConversationRow, Id, Messages, Model};
use crate::reading::format::row::lines::{Becomes, Line, LinesRow};
use crate::reading::format::row::step::{MessageRow, RowStep, SpeakerRow, Who};
use crate::reading::format::tree::JsonNode;
use std::collections::{BTreeMap, BTreeSet};

/// The keys that a row names, with those that it names below them.
#[derive(Default)]
pub(super) struct NamedKeys {
    keys: BTreeMap<&'static str, NamedKeys>,
    /// True if all that the key holds is read. So it is, too, if nothing below it is named.
    is_whole: bool,
}

impl NamedKeys {
    /// Returns the names below one way. Elements of a list have the names of the list.
    pub(super) fn below(&mut self, way: &'static str) -> &mut Self {
        let is_key = |key: &&str| !key.is_empty() && key.parse::<usize>().is_err();
        let keys = way.split('.').filter(is_key);
        keys.fold(self, |names, key| names.keys.entry(key).or_default())
    }

    /// Adds places of which all is read.
    fn add(&mut self, at: At) {
        self.add_below(at, |names| names.is_whole = true);
    }

    fn add_all(&mut self, places: &[At]) {
        places.iter().for_each(|at| self.add(*at));
    }

    fn add_below(&mut self, at: At, mut add: impl FnMut(&mut Self)) {
        for way in at.ways() {
            add(self.below(way));
        }
    }

    pub(super) fn add_conditions(&mut self, conditions: &[If]) {
        for condition in conditions {
            match condition {
                If::Has(at) | If::HasAll(at) | If::Is(at, _) | If::Starts(at, _) => {
                    self.add_below(*at, |_| ());
                }
                If::Kind(at, _) | If::True(at) | If::False(at) => self.add_below(*at, |_| ()),
                If::Of(at, inner) | If::Some(at, inner) | If::Every(at, inner) => {
                    self.add_below(*at, |names| names.add_conditions(inner));
                }
                If::First(inner) | If::Not(inner) | If::Any(inner) => self.add_conditions(inner),
                If::HasNone(_) | If::Only(_) | If::Own(_) => {}
            }
        }
    }

    pub(super) fn add_message(&mut self, row: &MessageRow) {
        self.add_conditions(row.needs);
        match &row.speaker {
            SpeakerRow::Always(who) => self.add_speaker(*who),
            SpeakerRow::Named { path, roles, .. } => {
                self.below(path);
                roles.iter().for_each(|(_, who)| self.add_speaker(*who));
            }
            SpeakerRow::First(speakers) => speakers.iter().for_each(|(conditions, who)| {
                self.add_conditions(conditions);
                self.add_speaker(*who);
            }),
        }
        self.add_steps(row.steps);
    }

    fn add_speaker(&mut self, who: Who) {
        if let Who::Tool(at) | Who::ToolOf(at) | Who::Named(at) = who {
            self.add(at);
        }
    }

    fn add_steps(&mut self, steps: &[RowStep]) {
        for step in steps {
            match step {
                RowStep::Text(at)
                | RowStep::Value(at)
                | RowStep::Reasoning(at)
                | RowStep::Image(at) => {
                    self.add(*at);
                }
                RowStep::Usage(at) | RowStep::FirstModel(at) | RowStep::Own(at, _) => self.add(*at),
                RowStep::Call(id, name, arguments) => {
                    self.add_all(&[*id, *name, *arguments]);
                }
                RowStep::Each(at, steps)
                | RowStep::EachThat(at, steps)
                | RowStep::In(at, steps) => {
                    self.add_below(*at, |names| names.add_steps(steps));
                }
                RowStep::When(conditions, steps) => {
                    self.add_conditions(conditions);
                    self.add_steps(steps);
                }
                RowStep::Case(cases) => cases.iter().for_each(|case| {
                    self.add_conditions(case.when);
                    self.add_steps(case.steps);
                }),
                RowStep::IfSilent(steps) | RowStep::Recall(steps) => self.add_steps(steps),
                RowStep::Unanswered(_, steps) => self.add_steps(steps),
                RowStep::Before(row) | RowStep::Behind(row) => self.add_message(row),
                RowStep::Failed(conditions) => self.add_conditions(conditions),
                _ => {}
            }
        }
    }

    pub(super) fn add_conversation(&mut self, row: &ConversationRow) {
        for key in row.read {
            self.below(key);
        }
        match row.id {
            Id::Text(of) | Id::OfRun { of, .. } => self.add(of),
        }
        for model in row.model {
            if let Model::OfConversation(at) = model {
                self.add(*at);
            }
        }
        self.add(row.tools);
        if let Some(inner) = row.inner {
            self.below(inner.key).add_conversation(inner.row);
        }
        let messages = match row.messages {
            Messages::Listed(key) => at(key),
            Messages::Found(place, _) => place,
        };
        self.add_below(messages, |names| {
            names.add_message(row.message);
            for model in row.model {
                if let Model::OfLastMessage(at) = model {
                    names.add(*at);
                }
            }
            names.add_below(row.several, |names| names.add_message(row.message));
        });
    }

    pub(super) fn add_lines(&mut self, row: &LinesRow, record: JsonNode<'_>) {
        self.add(row.id);
        if let Some(links) = &row.tree {
            self.add_all(&[links.id, links.parent, links.up_to]);
        }
        let mut lines = row.lines.iter();
        if let Some(line) = lines.find(|line| hold(line.when, record)) {
            self.add_line(line);
            if row.within.is_somewhere() {
                self.add_below(row.within, |names| names.add_becomes(line.becomes));
            }
        }
    }

    fn add_line(&mut self, line: &Line) {
        self.add_conditions(line.when);
        for (conditions, ..) in line.needs {
            self.add_conditions(conditions);
        }
        self.add_all(&[line.id, line.model]);
        self.add_becomes(line.becomes);
    }

    fn add_becomes(&mut self, becomes: Becomes) {
        match becomes {
            Becomes::Nothing => {}
            Becomes::Message(json) => json.places().for_each(|at| self.add(at)),
            Becomes::Prompt(at) | Becomes::Own(at, _) => self.add(at),
            Becomes::List(list) => {
                self.add_all(&[list.id, list.model]);
                let messages = self.below(list.key);
                list.lines.iter().for_each(|line| messages.add_line(line));
            }
        }
    }

    /// Adds the places below `path` that hold something and that nothing names.
    pub(super) fn find_unread(
        &self,
        node: JsonNode<'_>,
        path: &str,
        places: &mut BTreeSet<String>,
    ) {
        if self.is_whole {
            return;
        }
        for item in node.items() {
            self.find_unread(item, path, places);
        }
        for (key, value) in filled_keys(node, &[]) {
            let path = match path {
                "" => key.clone(),
                path => format!("{path}.{key}"),
            };
            match self.keys.get(key.as_str()).or_else(|| self.keys.get("*")) {
                None => drop(places.insert(path)),
                Some(names) if names.keys.is_empty() => {}
                Some(names) => names.find_unread(value, &path, places),
            }
        }
    }
}
