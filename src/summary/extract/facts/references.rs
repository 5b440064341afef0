//! Collects the references of a conversation: the identifiers and phrases that the
//! agent may have to name again, and where it met them.

use super::home_files::HomeFiles;
use super::places::{IN_ASSISTANT_TEXT, IN_CALL, IN_EARLIER_SUMMARY, IN_SPEECH, Places};
use super::record_owners::RecordOwners;
use crate::summary::extract::lex::identifier_kinds::{Kinds, WORDS};
use crate::summary::extract::lex::name_parts::visit_parts;
use crate::summary::extract::lex::value_keys::ValueKey;
use hashbrown::hash_map::Entry;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use std::borrow::Cow;
use std::cell::Cell;
use std::hash::{BuildHasher, Hasher};

/// Number of searches for a key after which a reference counts as having none.
const MOST_SEARCHES: u8 = 3;
/// The same with those in calls, whose key is the better one.
const MOST_SEARCHES_IN_CALLS: u8 = 64;

/// A reference and its history.
#[derive(Debug)]
pub(crate) struct Reference<'r> {
    pub(crate) text: &'r str,
    /// The number of its key, from 1 on. 0 if it has none.
    pub(crate) key: u32,
    /// Index of the first message that names it.
    pub(crate) first: u32,
    /// Index of the last message that names it.
    pub(crate) last: u32,
    /// Number of times that it is named.
    pub(crate) seen: u32,
    /// Number of messages that name it.
    pub(crate) messages: u32,
    /// Index of the last message that names it in a call, from 1 on. 0 if no call does.
    pub(crate) last_call: u32,
    pub(crate) places: Places,
    pub(crate) kinds: Kinds,
    /// The key is the name of an argument.
    pub(crate) key_from_call: bool,
    /// Number of searches for a key.
    searches: u8,
    /// An earlier summary kept it, and somebody named it on purpose since.
    pub(crate) is_proven: bool,
    /// A message that stays names it, or another section of the summary does.
    pub(crate) is_told: bool,
    /// Number of references in the message that names it beside the fewest others, and the index
    /// of that message.
    pub(crate) company: u32,
    poorest: u32,
    /// Number of times that the assistant names it, in its words or in a call.
    pub(crate) spoken: u32,
    /// The log odds that the agent needs it again, in thousandths. Set by `References::weigh`.
    pub(crate) odds: i32,
    /// Its tokens, once they were counted.
    tokens: Cell<Option<u32>>,
}

impl Reference<'_> {
    /// Returns the tokens of the text. `count` is always the same.
    pub(crate) fn tokens(&self, count: &dyn Fn(&str) -> usize) -> usize {
        let tokens = self.tokens.get().unwrap_or_else(|| {
            let tokens = u32::try_from(count(self.text)).unwrap_or(u32::MAX);
            self.tokens.set(Some(tokens));
            tokens
        });
        tokens as usize
    }
}

/// A key and the use of its values.
#[derive(Debug)]
pub(crate) struct KnownKey<'r> {
    key: ValueKey<'r>,
    /// Number of references with this key.
    pub(crate) values: u32,
    /// Number of references with this key that calls used.
    pub(crate) used: u32,
}

/// The references of a conversation.
#[derive(Debug)]
pub(crate) struct References<'r> {
    pub(crate) all: Vec<Reference<'r>>,
    /// Indices into `all` by text.
    index: HashTable<u32>,
    pub(crate) keys: Vec<KnownKey<'r>>,
    /// Numbers of keys, from 1 on.
    key_numbers: HashMap<ValueKey<'r>, u32>,
    hasher: DefaultHashBuilder,
    /// Number of messages of the conversation.
    pub(crate) message_count: usize,
    /// For each message, a score of the references that it shares with the messages that stay.
    /// Empty if there are none.
    pub(crate) links: Vec<f32>,
    /// Indices of the references that the newest message names.
    current: Vec<u32>,
    current_message: usize,
    /// The files that messages show or write.
    pub(crate) homes: HomeFiles,
    /// Most results are records.
    pub(crate) holds_records: bool,
    /// The records that references belong to.
    pub(crate) owners: RecordOwners,
}

impl<'r> References<'r> {
    pub(crate) fn new(message_count: usize) -> Self {
        Self {
            all: Vec::with_capacity(256),
            index: HashTable::with_capacity(256),
            keys: Vec::with_capacity(64),
            key_numbers: HashMap::with_capacity(64),
            hasher: DefaultHashBuilder::default(),
            message_count,
            links: Vec::new(),
            current: Vec::new(),
            current_message: 0,
            homes: HomeFiles::default(),
            holds_records: false,
            owners: RecordOwners::default(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Records that message number `message` names `text`. Calls `key` only while the reference
    /// needs a better key.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "messages and references are far below 2^32"
    )]
    pub(crate) fn observe(
        &mut self,
        text: &'r str,
        kinds: Kinds,
        message: usize,
        place: Places,
        key: impl FnOnce() -> ValueKey<'r>,
    ) {
        if message != self.current_message {
            self.close_message();
            self.current_message = message;
        }
        let at = self.index_or_insert(text, kinds, message as u32);
        let reference = &mut self.all[at];
        if reference.seen == 0 || reference.last as usize != message {
            reference.messages += 1;
            self.current.push(at as u32);
        }
        reference.seen += 1;
        reference.spoken += u32::from(place & (IN_CALL | IN_ASSISTANT_TEXT) != 0);
        reference.last = message as u32;
        if place & IN_CALL != 0 {
            reference.last_call = message as u32 + 1;
        }
        reference.is_proven |= reference.places & IN_EARLIER_SUMMARY != 0
            && place & IN_EARLIER_SUMMARY == 0
            && place & IN_SPEECH != 0;
        reference.places |= place;
        // A phrase that is also a code counts as a code.
        reference.kinds = if kinds & WORDS == 0 {
            (reference.kinds | kinds) & !WORDS
        } else {
            reference.kinds
        };
        // The first key counts, unless a call names the value by another.
        let needs_key = (reference.key == 0 && reference.searches < MOST_SEARCHES)
            || (place == IN_CALL
                && !reference.key_from_call
                && reference.searches < MOST_SEARCHES_IN_CALLS);
        if needs_key {
            reference.searches += 1;
            let key = key();
            if !key.name.is_empty() {
                let number = key_number(&mut self.keys, &mut self.key_numbers, key);
                reference.key = number;
                reference.key_from_call = place == IN_CALL;
            }
        }
    }

    /// Records the company of the references that the newest message names. Called when all of it
    /// was read.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "references are far below 2^32"
    )]
    pub(crate) fn close_message(&mut self) {
        let company = self.current.len() as u32;
        for at in self.current.drain(..) {
            let reference = &mut self.all[at as usize];
            if company < reference.company {
                reference.company = company;
                reference.poorest = self.current_message as u32;
            }
        }
    }

    /// Returns the index of a reference. A new reference is inserted.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "references are far below 2^32"
    )]
    fn index_or_insert(&mut self, text: &'r str, kinds: Kinds, message: u32) -> usize {
        let hash = hash_of(&self.hasher, text);
        let (all, hasher) = (&mut self.all, &self.hasher);
        if let Some(&at) = self.index.find(hash, |&at| all[at as usize].text == text) {
            return at as usize;
        }
        let at = all.len();
        self.index.insert_unique(hash, at as u32, |&at| {
            hash_of(hasher, all[at as usize].text)
        });
        all.push(Reference {
            text,
            key: 0,
            first: message,
            last: 0,
            seen: 0,
            messages: 0,
            last_call: 0,
            places: 0,
            kinds,
            key_from_call: false,
            searches: 0,
            is_proven: false,
            is_told: false,
            company: u32::MAX,
            poorest: message,
            spoken: 0,
            odds: 0,
            tokens: Cell::new(None),
        });
        at
    }

    /// Returns the index of a reference. A record spells with a number sign what stands without one in prose:
    /// `#W5270061`.
    pub(crate) fn index_of(&self, text: &str) -> Option<usize> {
        self.find(text)
            .or_else(|| self.find(text.strip_prefix('#')?))
    }

    fn find(&self, text: &str) -> Option<usize> {
        let hash = hash_of(&self.hasher, text);
        self.index
            .find(hash, |&at| self.all[at as usize].text == text)
            .map(|&at| at as usize)
    }

    /// Returns the places that name `text`.
    pub(crate) fn places_of(&self, text: &str) -> Places {
        self.index_of(text).map_or(0, |at| self.all[at].places)
    }

    /// Returns true if an earlier summary kept `text` and somebody named it since.
    pub(crate) fn is_proven(&self, text: &str) -> bool {
        self.index_of(text).is_some_and(|at| self.all[at].is_proven)
    }

    /// Records that another section of the summary names `text`. A path names its file and its
    /// folders, too.
    pub(crate) fn mark_told(&mut self, text: &str) {
        visit_parts(text, &mut |part| {
            if let Some(at) = self.index_of(part) {
                self.all[at].is_told = true;
            }
        });
    }

    /// Records the calls and quotations that stand in `text` as they are: `search_class("Pump")`.
    pub(crate) fn mark_spelled(&mut self, text: &str) {
        for reference in &mut self.all {
            let inner = reference.text.trim_matches(['"', '\'', '`', ';', ',']);
            let is_spelled = inner.contains(['(', '"', ' ']) || inner.len() < reference.text.len();
            if is_spelled && !reference.is_told && text.contains(inner) {
                reference.is_told = true;
            }
        }
    }

    /// Records that a message that stays names `text`. The summary need not name it again, and the
    /// messages around it matter more.
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of messages are far below 2^23"
    )]
    pub(crate) fn mark_kept(&mut self, text: &str) {
        let whole = self.index_of(text);
        let was_told = whole.is_some_and(|at| self.all[at].is_told);
        self.mark_told(text);
        let Some(at) = whole else {
            return;
        };
        if was_told {
            return;
        }
        let reference = &self.all[at];
        let message_count = self.message_count.max(1) as f32;
        let rarity =
            ((message_count + 1.0) / reference.messages as f32).ln() / (message_count + 1.0).ln();
        self.links.resize(self.message_count, 0.0);
        self.links[reference.last as usize] += rarity;
        if reference.first != reference.last {
            self.links[reference.first as usize] += rarity;
        }
    }

    /// Returns about `bytes` bytes of the newest references, to measure their cost in tokens.
    pub(crate) fn sample_text(&self, bytes: usize) -> String {
        let mut sample = String::with_capacity(bytes);
        for reference in self.untold().rev() {
            if sample.len() >= bytes {
                break;
            }
            sample.push_str(reference.text);
            sample.push(' ');
        }
        sample
    }

    /// Returns the references that only this section of the summary can name.
    pub(crate) fn untold(&self) -> impl DoubleEndedIterator<Item = &Reference<'r>> {
        self.all.iter().filter(|reference| !reference.is_told)
    }

    /// Returns the messages that say most about a reference: the newest, and the one that names the
    /// fewest others.
    pub(crate) fn messages_of(&self, reference: &Reference<'_>) -> impl Iterator<Item = usize> {
        let poorest = (reference.poorest != reference.last).then_some(reference.poorest);
        [Some(reference.last), poorest]
            .into_iter()
            .flatten()
            .map(|message| message as usize)
    }

    /// Returns the number of the file that the poorest message with a reference is about.
    pub(crate) fn home_of(&self, reference: &Reference<'_>) -> Option<usize> {
        self.homes.home_of(reference.poorest as usize)
    }

    /// Returns the name of the key of a reference, without what stands around it. Empty if it has
    /// none.
    pub(crate) fn key_name(&self, reference: &Reference<'_>) -> &'r str {
        (reference.key as usize)
            .checked_sub(1)
            .and_then(|at| self.keys.get(at))
            .map_or("", |known| known.key.name)
    }

    /// Returns true if values stand behind a key of this name.
    pub(crate) fn is_key(&self, name: &'r str) -> bool {
        self.key_numbers.contains_key(&ValueKey::from_name(name))
    }

    /// Returns the label of the key with this number. Returns `None` for number 0.
    pub(crate) fn key_label(&self, key: u32) -> Option<Cow<'r, str>> {
        Some(self.keys.get((key as usize).checked_sub(1)?)?.key.label())
    }
}

/// Returns the number of a key. A new key gets the next number.
#[expect(
    clippy::cast_possible_truncation,
    reason = "there are fewer keys than bytes in memory"
)]
fn key_number<'r>(
    keys: &mut Vec<KnownKey<'r>>,
    numbers: &mut HashMap<ValueKey<'r>, u32>,
    key: ValueKey<'r>,
) -> u32 {
    match numbers.entry(key) {
        Entry::Occupied(known) => *known.get(),
        Entry::Vacant(free) => {
            keys.push(KnownKey {
                key,
                values: 0,
                used: 0,
            });
            *free.insert(keys.len() as u32)
        }
    }
}

/// Hashes a reference. It is a single text, so the hash needs no terminator.
fn hash_of(hasher: &DefaultHashBuilder, text: &str) -> u64 {
    let mut hasher = hasher.build_hasher();
    hasher.write(text.as_bytes());
    hasher.finish()
}
