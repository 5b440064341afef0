//! Who may set a key: a configuration file that is found beside the input may come with a repository
//! that somebody else wrote, and an export may be somebody else's.
//!
//! A file that is found decides when and how to compact. It opens no file elsewhere, runs no program,
//! reads no key, chooses nobody who gets a conversation or is paid for it, and turns no protection
//! off. An export reaches nothing outside of it.

use std::path::Path;
use toml::de::DeValue;

/// Returns true if a value is harmless.
type IsHarmless = fn(&DeValue<'_>) -> bool;

/// The values that a key may have in files that nobody named.
pub(super) struct KeyTrust {
    /// In a file that is found.
    pub found: IsHarmless,
    /// In an export.
    pub exported: IsHarmless,
    /// What the key chooses that a file that is found may not.
    pub chooses: &'static str,
}

/// What becomes of a transcript: any value.
pub(super) const POLICY: KeyTrust = guard(any, any);

/// Returns the trust in protections, and in files that are read: values that take nothing away and
/// open nothing else.
pub(super) const fn guard(found: IsHarmless, exported: IsHarmless) -> KeyTrust {
    KeyTrust {
        found,
        exported,
        chooses: "this: it would turn a protection off, or name a file elsewhere",
    }
}

/// Returns the trust in who gets a conversation and a key, what that is asked, and what it costs: no
/// value of a file that is found.
pub(super) const fn server(exported: IsHarmless) -> KeyTrust {
    KeyTrust { found: never, exported, chooses: "a program, a model, a server, a key or costs" }
}

/// The trust in who writes summaries: nobody outside is asked.
pub(super) const WRITER: KeyTrust = KeyTrust { found: asks_nobody, ..server(runs_no_program) };

pub(super) fn any(_: &DeValue<'_>) -> bool {
    true
}

pub(super) fn never(_: &DeValue<'_>) -> bool {
    false
}

pub(super) fn masks(value: &DeValue<'_>) -> bool {
    is_true(value) || value.as_str().is_some()
}

pub(super) fn is_true(value: &DeValue<'_>) -> bool {
    value.as_bool() == Some(true)
}

pub(super) fn is_false(value: &DeValue<'_>) -> bool {
    value.as_bool() == Some(false)
}

/// Returns true for a list or a text without content.
pub(super) fn is_empty(value: &DeValue<'_>) -> bool {
    value.as_str() == Some("") || value.as_array().is_some_and(|items| items.is_empty())
}

fn asks_nobody(value: &DeValue<'_>) -> bool {
    matches!(value.as_str(), Some("extract" | "none"))
}

fn runs_no_program(value: &DeValue<'_>) -> bool {
    value.as_str().is_some_and(|name| !name.starts_with("command:"))
}

pub(super) fn names_no_file(value: &DeValue<'_>) -> bool {
    value.as_str().is_some_and(|name| !name.contains(':'))
}

/// Returns true for a path below the directory of the file.
pub(super) fn is_below(value: &DeValue<'_>) -> bool {
    use crate::files::archive::path_below::PathBelow;
    value.as_str().is_some_and(|path| PathBelow::new(Path::new(path)).is_ok())
}
