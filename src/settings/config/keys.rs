//! The keys of a table, in their order in its struct.

use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use std::cell::Cell;

/// Returns the keys that a struct, or an optional one, is read from.
pub(super) fn keys_of<T: for<'de> Deserialize<'de>>() -> &'static [&'static str] {
    let keys = Cell::new([].as_slice());
    // Fails on purpose: only the question is of interest.
    let _ = T::deserialize(KeyRecorder { keys: &keys });
    keys.get()
}

/// A deserializer that only records the keys that a struct asks for.
struct KeyRecorder<'k> {
    keys: &'k Cell<&'static [&'static str]>,
}

impl<'de> Deserializer<'de> for KeyRecorder<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        keys: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        self.keys.set(keys);
        Err(Error::custom("no value"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("no value"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
