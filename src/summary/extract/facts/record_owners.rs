//! Finds the record that a value belongs to, so that a price or a flight is not read as that of another.

use super::record_rows::changes_mark;
use super::record_tables::RecordTables;
use super::record_values::{PARTS, RecordColumn};
use super::references::References;
use crate::summary::extract::lex::identifier_kinds::is_numbered_code;
use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};

/// The records that values belong to.
#[derive(Debug, Default)]
pub(crate) struct RecordOwners {
    /// The keys of the records.
    names: Vec<String>,
    /// By the index of a reference, the number of the only record that holds it. `None` if several do.
    owners: HashMap<usize, Option<usize>>,
    /// By the index of a reference that is a number, the id and the name before it in an item of a list:
    /// `card_771 last_four` of `card_771 last_four 3422`. `None` if there are several.
    companions: HashMap<usize, Option<String>>,
    /// The names of the columns of the records and of the figures in them.
    columns: HashSet<String>,
}

impl RecordOwners {
    /// Returns the number of records.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns true if nothing is known of records.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the key of a record by its number.
    pub(crate) fn name(&self, owner: usize) -> &str {
        &self.names[owner]
    }

    /// Returns the number of the only record that holds a reference.
    pub(crate) fn owner_of(&self, reference: usize) -> Option<usize> {
        self.owners.get(&reference).copied().flatten()
    }

    /// Returns the id and the name that a number stands behind in a list of its record.
    pub(crate) fn companion_of(&self, reference: usize) -> Option<&str> {
        self.companions.get(&reference)?.as_deref()
    }

    /// Records the ids that the numbers in the lists of a column stand behind.
    fn add_companions(&mut self, column: &RecordColumn, references: &References<'_>) {
        if !column.is_nested {
            return;
        }
        for item in column.text.split([';', ',']) {
            let (mut id, mut before) = ("", "");
            for word in item.split(' ').filter(|word| !word.is_empty()) {
                if is_numbered_code(word) {
                    id = word;
                } else if let Some(at) = references.index_of(word)
                    && word.parse::<f64>().is_ok()
                    && !id.is_empty()
                {
                    let name = if before == id { "" } else { before };
                    self.add_companion(at, format!("{id} {name}").trim_end().to_owned());
                }
                before = word;
            }
        }
    }

    fn add_companion(&mut self, reference: usize, companion: String) {
        match self.companions.entry(reference) {
            Entry::Vacant(free) => {
                free.insert(Some(companion));
            }
            Entry::Occupied(mut known) if known.get().as_ref() != Some(&companion) => {
                known.insert(None);
            }
            Entry::Occupied(_) => {}
        }
    }

    /// Returns true if a text is the name of a column, or several: `available_seats economy`. Without
    /// its values it says nothing.
    pub(crate) fn names_columns(&self, text: &str) -> bool {
        text.split(' ').all(|word| self.columns.contains(word))
    }

    /// Records that the record `owner` holds a reference.
    fn add(&mut self, reference: usize, owner: usize) {
        match self.owners.entry(reference) {
            Entry::Vacant(free) => {
                free.insert(Some(owner));
            }
            Entry::Occupied(mut known) if *known.get() != Some(owner) => {
                known.insert(None);
            }
            Entry::Occupied(_) => {}
        }
    }
}

impl RecordTables<'_> {
    /// Returns which record each reference belongs to. A key of a record, or a part of it, belongs to
    /// none: `HAT107 belongs to HAT083 + HAT107` tells nobody anything.
    pub(crate) fn owners(&self, references: &References<'_>) -> RecordOwners {
        let mut owners = RecordOwners::default();
        let keys: HashSet<&str> = (self.keys().into_iter())
            .flat_map(|key| key.split(PARTS).chain([key]))
            .collect();
        for (owner, known) in self.records.iter().enumerate() {
            let changes: Vec<&str> = known.changes.iter().map(String::as_str).collect();
            // What was done with it is told even if its row is not.
            (owners.names).push(known.record.key_text().to_owned() + &changes_mark(&changes));
            for column in &known.record.columns {
                owners.add_companions(column, references);
                let names = column.figures.iter();
                let names = names.flat_map(|figures| figures.names.split('/'));
                for name in names.chain([column.name.as_str()]) {
                    owners.columns.get_or_insert_with(name, str::to_owned);
                }
                let figures = column.figures.iter();
                let figures = figures.flat_map(|figures| figures.single_values());
                let values = column.identifiers.iter().map(String::as_str).chain(figures);
                for value in values.filter(|value| !keys.contains(value)) {
                    if let Some(at) = references.index_of(value) {
                        owners.add(at, owner);
                    }
                }
            }
        }
        owners
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::call_form::{CallForm, CalledTool};
    use crate::summary::extract::facts::exchanges::Exchanges;
    use crate::summary::extract::facts::places::IN_RESULT;
    use crate::summary::extract::lex::identifier_kinds::NUMBER;
    use crate::summary::extract::lex::value_keys::ValueKey;

    #[test]
    fn numbers_stand_behind_the_ids_of_their_items_and_columns_are_known() {
        let result = r#"{"user_id": "mia_li_3668", "saved_cards": [{"id": "card_7710", "last_four": "3422"}, {"id": "card_9910", "last_four": "1907", "limit": 1234}, {"id": "card_8810", "limit": 1234}]}"#;
        let mut exchanges = Exchanges::default();
        let call = CalledTool {
            name: "get_user",
            arguments: "{}",
        };
        let index = exchanges.push_call(0, CallForm::Tool(call));
        exchanges.set_result(index, result, false);
        let mut references = References::new(1);
        for number in ["3422", "1907", "1234"] {
            references.observe(number, NUMBER, 0, IN_RESULT, || ValueKey::from_name("card"));
        }
        let owners = RecordTables::collect(&exchanges.all, 40).owners(&references);
        let companion_of = |number: &str| owners.companion_of(references.index_of(number)?);
        assert_eq!(companion_of("3422"), Some("card_7710 last_four"));
        assert_eq!(companion_of("1234"), None, "two cards have it");
        assert!(owners.names_columns("saved_cards") && owners.names_columns("user_id saved_cards"));
        assert!(!owners.names_columns("mia_li_3668"));
    }
}
