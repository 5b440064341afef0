//! What a row of the tables of keys makes: the field that TOML is read into and described by, its way
//! into the policy, and its way back for `--print-config`.

use super::trust::KeyTrust;
use crate::deciding::policy::Policy;
use std::path::{Path, PathBuf};

pub(super) struct ConfigKey {
    pub name: &'static str,
    /// The type of its value, as the row spells it.
    pub value: &'static str,
    /// What may set it.
    pub trust: KeyTrust,
    /// Its place in the policy, where that is not `table.key`.
    pub place: &'static [&'static str],
}

impl ConfigKey {
    /// Returns true if the key says how a model is asked.
    pub(super) fn is_of_model(&self) -> bool {
        self.place.starts_with(&["summarizer", "model"])
    }
}

/// The keys of one table, each of which may be left out.
pub(super) trait ConfigTable: Sized {
    /// The keys in the order in which they are printed.
    const KEYS: &'static [ConfigKey];

    /// Moves what is given into the policy. Keys of the kind `own` are left to the caller.
    fn set_keys(&mut self, policy: &mut Policy);

    /// Returns the table that gives this policy, but for keys of the kind `own`.
    fn of_policy(policy: &Policy) -> Self;
}

impl<T: ConfigTable> ConfigTable for Option<T> {
    const KEYS: &'static [ConfigKey] = T::KEYS;

    fn set_keys(&mut self, policy: &mut Policy) {
        if let Some(table) = self {
            table.set_keys(policy);
        }
    }

    fn of_policy(policy: &Policy) -> Self {
        Some(T::of_policy(policy))
    }
}

/// Declares a table: its name in the policy, and its keys.
///
/// A row is `key: Type as kind, trust;`. The kind says how the policy holds the value: as it is
/// (`value`), as an option (`option`, and `path` of a file), as a number that the key must not set to
/// 0 (`number`), or in a way of its `own`, which `Config::apply` and `Config::from_policy` spell out.
/// `kind at place` names the place in the policy where it is not `table.key`.
macro_rules! config_table {
    (
        $(#[$about:meta])*
        $config:ident at $table:ident;
        $(
            $(#[$attribute:meta])*
            $key:ident: $type:ty as $kind:ident $(at $($place:ident).+)?, $trust:expr;
        )*
        $(
            [tables]
            $($(#[$about_sub:meta])* $sub:ident: $sub_type:ty;)*
        )?
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default, Serialize, Deserialize)]
        #[cfg_attr(test, derive(JsonSchema))]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $config {
            $($(#[$attribute])* pub $key: Option<$type>,)*
            $($($(#[$about_sub])* #[serde(default)] pub $sub: $sub_type,)*)?
        }

        impl ConfigTable for $config {
            const KEYS: &'static [ConfigKey] =
                &[$(ConfigKey {
                    name: stringify!($key),
                    value: stringify!($type),
                    trust: $trust,
                    place: &[$($(stringify!($place)),+)?],
                }),*];

            fn set_keys(&mut self, policy: &mut Policy) {
                $(set_key!($kind, self.$key, policy, $table, $key, $($($place).+)?);)*
                $($(self.$sub.set_keys(policy);)*)?
            }

            fn of_policy(policy: &Policy) -> Self {
                Self {
                    $($key: given_key!($kind, policy, $table, $key, $($($place).+)?),)*
                    $($($sub: <$sub_type as ConfigTable>::of_policy(policy),)*)?
                }
            }
        }

        $(
            /// All tables by their names, those above all tables first, which have none.
            pub(super) const TABLES: &[(&str, &[ConfigKey])] = &[
                ("", $config::KEYS),
                $((stringify!($sub), <$sub_type as ConfigTable>::KEYS)),*
            ];
        )?
    };
}

/// The place of a key in the policy.
macro_rules! place_of {
    ($policy:ident, top, $key:ident,) => {
        $policy.$key
    };
    ($policy:ident, $table:ident, $key:ident,) => {
        $policy.$table.$key
    };
    ($policy:ident, $table:ident, $key:ident, $($place:ident).+) => {
        $policy.$($place).+
    };
}

/// Sets the place of a key if the key is given.
macro_rules! set_key {
    (own, $($row:tt)*) => {};
    (value, $given:expr, $($row:tt)*) => {
        if let Some(value) = $given.take() {
            place_of!($($row)*) = value;
        }
    };
    (number, $given:expr, $($row:tt)*) => {
        if let Some(number) = $given.take() {
            place_of!($($row)*) = number.get();
        }
    };
    ($option:ident, $given:expr, $($row:tt)*) => {
        if let Some(value) = $given.take() {
            place_of!($($row)*) = Some(value);
        }
    };
}

/// Returns what gives the value at the place of a key.
macro_rules! given_key {
    (own, $($row:tt)*) => {
        None
    };
    (value, $($row:tt)*) => {
        Some(place_of!($($row)*).clone())
    };
    (number, $($row:tt)*) => {
        NonZeroU64::new(place_of!($($row)*))
    };
    (option, $($row:tt)*) => {
        place_of!($($row)*).clone()
    };
    (path, $($row:tt)*) => {
        place_of!($($row)*).as_deref().map(super::row::printable_path)
    };
}

pub(super) use {config_table, given_key, place_of, set_key};

/// Returns a path as TOML can hold it.
pub(super) fn printable_path(path: &Path) -> PathBuf {
    path.to_string_lossy().into_owned().into()
}
