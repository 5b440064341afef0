//! One table of the configuration file, read key by key. What nobody asked for
//! is refused by name: a key that is silently ignored is a policy that lies.

use crate::policy::{Amount, Clause, Keep, Trigger};
use crate::settings::read;
use crate::settings::values::nearest;
use anyhow::{Context, Result, bail};
use std::path::Path;
use toml::{Table, Value};

/// A table, and what has been asked of it.
pub(super) struct Section {
    /// `[evict] `, or nothing for the top.
    place: String,
    table: Table,
    known: Vec<&'static str>,
    given: bool,
}

impl Section {
    /// The top of a file; an empty table where there is none.
    pub(super) fn file(path: Option<&Path>) -> Result<Self> {
        let table = match path {
            None => Table::new(),
            Some(path) => read(path)?
                .parse()
                .with_context(|| format!("{} is not TOML", path.display()))?,
        };
        Ok(Self {
            place: String::new(),
            table,
            known: Vec::new(),
            given: path.is_some(),
        })
    }

    /// A table of this one; an empty one where there is none.
    pub(super) fn section(&mut self, name: &'static str) -> Result<Self> {
        let found = self.take(name);
        let given = found.is_some();
        let table = match found {
            None => Table::new(),
            Some(Value::Table(table)) => table,
            Some(other) => bail!(
                "{name} is {}, it must be a table: [{name}]",
                other.type_str()
            ),
        };
        let place = format!(
            "[{}{name}] ",
            self.place.replace(['[', ']'], "").replace(' ', ".")
        );
        Ok(Self {
            place,
            table,
            known: Vec::new(),
            given,
        })
    }

    /// Whether the file has this table, be it empty.
    pub(super) fn is_given(&self) -> bool {
        self.given
    }

    /// Refuses keys that nobody asked for.
    pub(super) fn finish(self) -> Result<()> {
        let Some(key) = self.table.keys().next() else {
            return Ok(());
        };
        let nearest = nearest(key, &self.known)
            .map(|name| format!("; did you mean {name:?}?"))
            .unwrap_or_default();
        bail!(
            "{}{key}: no such key in the configuration{nearest} (known here: {})",
            self.place,
            self.known.join(", ")
        )
    }

    pub(super) fn text(&mut self, key: &'static str) -> Result<Option<String>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => bail!("{}{key} = {other}: expected a text in quotes", self.place),
        }
    }

    pub(super) fn texts(&mut self, key: &'static str) -> Result<Option<Vec<String>>> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        let texts = |value: &Value| {
            value
                .as_array()?
                .iter()
                .map(|item| item.as_str().map(str::to_owned))
                .collect()
        };
        match texts(&value) {
            Some(texts) => Ok(Some(texts)),
            None => bail!("{}{key} = {value}: expected a list of texts", self.place),
        }
    }

    /// Every key of the table, each with its text.
    pub(super) fn all_texts(&mut self) -> Result<Vec<(String, String)>> {
        let place = self.place.clone();
        let text = |(key, value): (String, Value)| match value {
            Value::String(text) => Ok((key, text)),
            other => bail!("{place}{key} = {other}: expected a text in quotes"),
        };
        std::mem::take(&mut self.table)
            .into_iter()
            .map(text)
            .collect()
    }

    /// True or false.
    pub(super) fn flag(&mut self, key: &'static str) -> Result<Option<bool>> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        match value.as_bool() {
            Some(flag) => Ok(Some(flag)),
            None => bail!("{}{key} = {value}: expected true or false", self.place),
        }
    }

    /// A whole number from 0.
    pub(super) fn count(&mut self, key: &'static str) -> Result<Option<u64>> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        match value
            .as_integer()
            .and_then(|number| u64::try_from(number).ok())
        {
            Some(number) => Ok(Some(number)),
            None => bail!(
                "{}{key} = {value}: expected a whole number, 0 or greater",
                self.place
            ),
        }
    }

    /// A whole number from 1.
    pub(super) fn positive(&mut self, key: &'static str) -> Result<Option<u64>> {
        match self.count(key)? {
            Some(0) => bail!("{}{key} = 0: it must be greater than 0", self.place),
            number => Ok(number),
        }
    }

    pub(super) fn number(&mut self, key: &'static str) -> Result<Option<f64>> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        #[expect(clippy::cast_precision_loss, reason = "a ratio, never near 2^53")]
        match value
            .as_float()
            .or(value.as_integer().map(|number| number as f64))
        {
            Some(number) => Ok(Some(number)),
            None => bail!("{}{key} = {value}: expected a number", self.place),
        }
    }

    /// A list of tables: OR of ANDs. One table alone is taken too.
    pub(super) fn trigger(&mut self, key: &'static str) -> Result<Option<Trigger>> {
        let option = format!("{}{key}", self.place);
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        let clauses = match value {
            Value::Array(items) => items,
            table @ Value::Table(_) => vec![table],
            other => bail!("{option} = {other}: expected a list like [{{ tokens = 4000 }}]"),
        };
        let clauses: Result<Vec<_>> = clauses
            .iter()
            .map(|clause| table(&option, clause, condition).map(Clause))
            .collect();
        Ok(Some(Trigger { clauses: clauses? }))
    }

    /// A table with one key; or with `turns`, and `tokens` beside it.
    pub(super) fn keep(&mut self, key: &'static str) -> Result<Option<Keep>> {
        let option = format!("{}{key}", self.place);
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        if let Some(turns) = value.as_table().and_then(|table| table.get("turns")) {
            return turns_of(&option, &value, turns).map(Some);
        }
        match table(&option, &value, |option, kind, value| {
            amount(option, "turns", kind, value)
        })?
        .as_slice()
        {
            [one] => Ok(Some(Keep::Last(*one))),
            _ => bail!(
                "{option} = {value}: expected one of tokens, messages, fraction; or turns, and tokens beside it"
            ),
        }
    }

    fn take(&mut self, key: &'static str) -> Option<Value> {
        self.known.push(key);
        self.table.remove(key)
    }
}

/// `{ turns = 2, tokens = 8000 }`, `{ turns = "all" }`.
fn turns_of(option: &str, value: &Value, turns: &Value) -> Result<Keep> {
    let count = |value: &Value| {
        value
            .as_integer()
            .and_then(|number| u64::try_from(number).ok())
    };
    let most = match turns {
        Value::String(all) if all == "all" => None,
        other => Some(count(other).with_context(|| {
            format!("{option}: turns = {other}: expected a whole number, 0 or greater, or \"all\"")
        })?),
    };
    let mut tokens = None;
    for (kind, value) in value
        .as_table()
        .into_iter()
        .flatten()
        .filter(|(kind, _)| *kind != "turns")
    {
        let budget = count(value).filter(|_| kind == "tokens");
        tokens = Some(budget.with_context(|| {
            format!(
                "{option}: {kind} = {value}: beside turns only tokens may stand, a whole number"
            )
        })?);
    }
    Ok(Keep::Turns { most, tokens })
}

fn table(
    option: &str,
    value: &Value,
    each: impl Fn(&str, &str, &Value) -> Result<Amount>,
) -> Result<Vec<Amount>> {
    match value.as_table() {
        Some(table) if !table.is_empty() => table
            .iter()
            .map(|(kind, value)| each(option, kind, value))
            .collect(),
        _ => bail!("{option}: {value} is not a table like {{ tokens = 4000 }}"),
    }
}

/// One condition of a trigger: a quantity, or `overflow = true`.
fn condition(option: &str, kind: &str, value: &Value) -> Result<Amount> {
    match (kind, value) {
        ("overflow", Value::Boolean(true)) => Ok(Amount::Overflow),
        ("overflow", _) => {
            bail!("{option}: overflow = {value}: it can only be true; leave it out to turn it off")
        }
        _ => amount(option, "overflow", kind, value),
    }
}

/// One quantity: `tokens`, `messages` or `fraction` and its number. `also` is what may stand there besides.
pub(super) fn amount(
    option: &str,
    also: &'static str,
    kind: &str,
    value: &Value,
) -> Result<Amount> {
    let whole = || match value.as_integer() {
        Some(number @ 1..) => Ok(number.unsigned_abs()),
        _ => bail!("{option}: {kind} = {value}: it must be a whole number greater than 0"),
    };
    match kind {
        "tokens" => whole().map(Amount::Tokens),
        "messages" => whole().map(Amount::Messages),
        "fraction" => {
            #[expect(clippy::cast_precision_loss, reason = "only 1 is in range")]
            match value
                .as_float()
                .or(value.as_integer().map(|number| number as f64))
            {
                Some(number) if number > 0.0 && number <= 1.0 => Ok(Amount::Fraction(number)),
                _ => {
                    bail!("{option}: fraction = {value}: it must be a number above 0 and at most 1")
                }
            }
        }
        _ => {
            let known = ["tokens", "messages", "fraction", also];
            let nearest = nearest(kind, &known)
                .map(|name| format!("; did you mean {name:?}?"))
                .unwrap_or_default();
            bail!(
                "{option}: {kind:?} is not known{nearest} (known: {})",
                known.join(", ")
            )
        }
    }
}
