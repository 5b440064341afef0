//! A dialect: how it tells a story, and what the tests know of the result.

use crate::formats::TAG;
use crate::formats::story::{Exchange, Story};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One way of writing a conversation.
pub(crate) struct Dialect {
    pub(crate) name: &'static str,
    pub(crate) format: &'static str,
    /// Whether its readers want user and assistant to take turns.
    pub(crate) alternates: bool,
    /// The keys that lead to the list (`0`: the first element); none for one message a line.
    pub(crate) list: Option<&'static [&'static str]>,
    pub(crate) write: fn(&mut Teller<'_>),
    /// The record around the list.
    pub(crate) wrap: fn(&Story, Vec<Value>) -> Value,
}

/// A file, and what must hold in it.
pub(crate) struct ToldStory {
    pub(crate) bytes: Vec<u8>,
    /// The elements of each exchange.
    pub(crate) exchanges: Vec<Vec<usize>>,
    /// The elements that are system prompts.
    pub(crate) system: Vec<usize>,
    /// Who speaks in an element: user and results, assistant, system.
    pub(crate) speakers: BTreeMap<usize, char>,
}

impl Dialect {
    pub(crate) fn tell(&self, story: &Story, pretty: bool) -> ToldStory {
        let mut teller = Teller {
            story,
            elements: Vec::new(),
            exchanges: Vec::new(),
            system: Vec::new(),
            speakers: BTreeMap::new(),
            current: None,
        };
        (self.write)(&mut teller);
        let Teller { elements, exchanges, system, speakers, .. } = teller;
        let bytes = match self.list {
            None => elements
                .iter()
                .map(|element| format!("{element}\n"))
                .collect::<String>()
                .into_bytes(),
            Some(_) if pretty => serde_json::to_vec_pretty(&(self.wrap)(story, elements)).unwrap(),
            Some(_) => format!("{}\n", (self.wrap)(story, elements)).into_bytes(),
        };
        ToldStory { bytes, exchanges, system, speakers }
    }
}

/// Collects elements.
pub(crate) struct Teller<'s> {
    pub(crate) story: &'s Story,
    pub(crate) elements: Vec<Value>,
    pub(crate) exchanges: Vec<Vec<usize>>,
    pub(crate) system: Vec<usize>,
    pub(crate) speakers: BTreeMap<usize, char>,
    /// The exchange that elements belong to now.
    pub(crate) current: Option<usize>,
}

impl<'s> Teller<'s> {
    pub(crate) fn push(&mut self, who: char, mut element: Value) {
        let tag = self.elements.len();
        element[TAG] = json!(tag);
        self.elements.push(element);
        self.speakers.insert(tag, who);
        if who == 's' {
            self.system.push(tag);
        }
        if let Some(current) = self.current {
            self.exchanges[current].push(tag);
        }
    }

    /// Walks the story; `say` writes a plain turn, `exchange` the elements of one exchange.
    pub(crate) fn walk(
        &mut self,
        system: bool,
        say: impl Fn(char, &str) -> Value,
        exchange: impl Fn(&mut Self, &'s Exchange),
    ) {
        let story = self.story;
        if let Some(text) = story.system.as_ref().filter(|_| system) {
            self.push('s', say('s', text));
        }
        for round in &story.rounds {
            self.push('u', say('u', &round.ask));
            for logged in &round.exchanges {
                self.exchanges.push(Vec::new());
                self.current = Some(self.exchanges.len() - 1);
                exchange(self, logged);
                self.current = None;
            }
            self.push('a', say('a', &round.answer));
        }
    }
}
