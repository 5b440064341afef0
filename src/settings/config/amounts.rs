//! The spelling of triggers and keeps: tables whose keys keep their order, for
//! the conditions of a trigger are reported in the order in which they were
//! given; or texts, as the options spell them.

use super::spelling::checked;
use crate::deciding::policy::{Amount, Clause, Keep, Trigger};
use crate::settings::cli::checked_values::{check_fraction, parse_clause, parse_keep};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;
use std::fmt;
use std::num::NonZeroU64;

/// Reads a keep of tokens, messages or a fraction.
pub(super) fn keep_without_turns<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Keep>, D::Error> {
    match Keep::deserialize(deserializer)? {
        keep @ Keep::Last(Amount::Tokens(_) | Amount::Messages(_) | Amount::Fraction(_)) => {
            Ok(Some(keep))
        }
        _ => Err(D::Error::custom(
            "turns are a keep of [summarize] only, as are the rules of other agents; expected tokens, messages or fraction",
        )),
    }
}

/// The keys of a condition.
#[derive(Clone, Copy, serde::Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum ConditionKey {
    Tokens,
    Messages,
    Fraction,
    Events,
    Overflow,
}

/// The keys of a keep.
#[derive(Clone, Copy, serde::Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum KeepKey {
    Tokens,
    Messages,
    Fraction,
    Turns,
    Events,
    Recent,
    Characters,
    Back,
    Whole,
    Answers,
}

/// The number of a `fraction`.
struct FractionNumber(f64);

impl<'de> Deserialize<'de> for FractionNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        checked(deserializer, check_fraction).map(Self)
    }
}

/// The value of `overflow`, which is always true.
struct OverflowFlag;

impl<'de> Deserialize<'de> for OverflowFlag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const ONLY_TRUE: &str = "it can only be true; leave it out to turn it off";
        checked(deserializer, |flag: Value| {
            (flag == true).then_some(Self).ok_or(ONLY_TRUE.to_owned())
        })
    }
}

impl Serialize for Clause<Amount> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for amount in &self.0 {
            serialize_amount(&mut map, *amount)?;
        }
        map.end()
    }
}

fn serialize_amount<M: SerializeMap>(map: &mut M, amount: Amount) -> Result<(), M::Error> {
    match amount {
        Amount::Tokens(number) => map.serialize_entry("tokens", &number),
        Amount::Messages(number) => map.serialize_entry("messages", &number),
        Amount::Fraction(number) => map.serialize_entry("fraction", &number),
        Amount::Events(number) => map.serialize_entry("events", &number),
        Amount::Overflow => map.serialize_entry("overflow", &true),
    }
}

impl<'de> Deserialize<'de> for Clause<Amount> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ClauseVisitor)
    }
}

struct ClauseVisitor;

impl<'de> Visitor<'de> for ClauseVisitor {
    type Value = Clause<Amount>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table like { tokens = 4000 }")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        parse_clause(text).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut amounts = Vec::new();
        while let Some(key) = map.next_key()? {
            amounts.push(match key {
                ConditionKey::Tokens => Amount::Tokens(map.next_value::<NonZeroU64>()?.get()),
                ConditionKey::Messages => Amount::Messages(map.next_value::<NonZeroU64>()?.get()),
                ConditionKey::Fraction => Amount::Fraction(map.next_value::<FractionNumber>()?.0),
                ConditionKey::Events => Amount::Events(map.next_value::<NonZeroU64>()?.get()),
                ConditionKey::Overflow => {
                    map.next_value::<OverflowFlag>()?;
                    Amount::Overflow
                }
            });
        }
        if amounts.is_empty() {
            return Err(A::Error::custom("expected a table like { tokens = 4000 }"));
        }
        Ok(Clause(amounts))
    }
}

impl Serialize for Trigger {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.clauses)
    }
}

impl<'de> Deserialize<'de> for Trigger {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TriggerVisitor)
    }
}

/// Reads a list of tables; a table by itself is a list of that table.
struct TriggerVisitor;

impl<'de> Visitor<'de> for TriggerVisitor {
    type Value = Trigger;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list like [{ tokens = 4000 }]")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Trigger, E> {
        let clause = parse_clause(text).map_err(E::custom)?;
        Ok(Trigger { clauses: vec![clause] })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Trigger, A::Error> {
        let clauses = Vec::deserialize(SeqAccessDeserializer::new(items))?;
        Ok(Trigger { clauses })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Trigger, A::Error> {
        let clause = Clause::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Trigger { clauses: vec![clause] })
    }
}

/// The kinds of a keep, in words.
const KEEP_KINDS: &str = "one of tokens, messages, fraction, events, recent, back, whole, answers, characters; or turns, and tokens beside it";

/// The number of turns that are kept.
struct TurnCount(Option<u64>);

impl Serialize for TurnCount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(turns) => serializer.serialize_u64(turns),
            None => serializer.serialize_str("all"),
        }
    }
}

impl<'de> Deserialize<'de> for TurnCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TurnVisitor)
    }
}

struct TurnVisitor;

impl Visitor<'_> for TurnVisitor {
    type Value = TurnCount;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number, 0 or greater, or \"all\"")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<TurnCount, E> {
        u64::try_from(number)
            .map(|turns| TurnCount(Some(turns)))
            .map_err(|_| E::invalid_type(Unexpected::Signed(number), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<TurnCount, E> {
        if text == "all" {
            Ok(TurnCount(None))
        } else {
            Err(E::invalid_type(Unexpected::Str(text), &self))
        }
    }
}

impl Serialize for Keep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match *self {
            Self::Last(amount) => serialize_amount(&mut map, amount)?,
            Self::Turns { most, tokens } => {
                map.serialize_entry("turns", &TurnCount(most))?;
                if let Some(tokens) = tokens {
                    map.serialize_entry("tokens", &tokens)?;
                }
            }
            Self::Recent(tokens) => map.serialize_entry("recent", &tokens)?,
            Self::Characters(share) => map.serialize_entry("characters", &share)?,
            Self::Back(tokens) => map.serialize_entry("back", &tokens)?,
            Self::Whole(tokens) => map.serialize_entry("whole", &tokens)?,
            Self::Answers(answers) => map.serialize_entry("answers", &answers)?,
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Keep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(KeepVisitor)
    }
}

struct KeepVisitor;

impl<'de> Visitor<'de> for KeepVisitor {
    type Value = Keep;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(KEEP_KINDS)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Keep, E> {
        parse_keep(text).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keep, A::Error> {
        let mut amounts = Vec::new();
        let (mut turns, mut rule) = (None, None);
        while let Some(key) = map.next_key()? {
            match key {
                KeepKey::Turns => turns = Some(map.next_value::<TurnCount>()?.0),
                KeepKey::Tokens => amounts.push(Amount::Tokens(map.next_value()?)),
                KeepKey::Messages => {
                    amounts.push(Amount::Messages(map.next_value::<NonZeroU64>()?.get()));
                }
                KeepKey::Fraction => {
                    amounts.push(Amount::Fraction(map.next_value::<FractionNumber>()?.0));
                }
                KeepKey::Events => {
                    amounts.push(Amount::Events(map.next_value::<NonZeroU64>()?.get()));
                }
                KeepKey::Recent => rule = Some(Keep::Recent(map.next_value()?)),
                KeepKey::Characters => {
                    rule = Some(Keep::Characters(map.next_value::<FractionNumber>()?.0));
                }
                KeepKey::Back => rule = Some(Keep::Back(map.next_value()?)),
                KeepKey::Whole => rule = Some(Keep::Whole(map.next_value()?)),
                KeepKey::Answers => {
                    rule = Some(Keep::Answers(map.next_value::<NonZeroU64>()?.get()));
                }
            }
        }
        if let Some(rule) = rule {
            let is_alone = turns.is_none() && amounts.is_empty();
            return is_alone
                .then_some(rule)
                .ok_or_else(|| A::Error::custom(format!("expected {KEEP_KINDS}")));
        }
        match (turns, amounts.as_slice()) {
            (None, [Amount::Tokens(0)]) => {
                Err(A::Error::custom("tokens = 0: it must be a whole number greater than 0"))
            }
            (None, [amount]) => Ok(Keep::Last(*amount)),
            (Some(most), []) => Ok(Keep::Turns { most, tokens: None }),
            (Some(most), [Amount::Tokens(tokens)]) => {
                Ok(Keep::Turns { most, tokens: Some(*tokens) })
            }
            (Some(_), _) => Err(A::Error::custom("turns takes only tokens")),
            (None, _) => Err(A::Error::custom(format!("expected {KEEP_KINDS}"))),
        }
    }
}
