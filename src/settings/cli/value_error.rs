//! The errors of values that an option or a key of the configuration can't have.

/// The greatest number that a TOML file can hold.
pub(crate) const MAX_NUMBER: u64 = i64::MAX as u64;

/// A value that an option or a key of the configuration can't have.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ValueError {
    /// A name that is in no table.
    #[error("no such name{} (known: {})", did_you_mean(name, known), known.join(", "))]
    UnknownName {
        /// The name that was given.
        name: String,
        /// The names that are known.
        known: Vec<&'static str>,
    },
    /// A command that does not exist.
    #[error("there is no such command (commands: {})", known.join(", "))]
    UnknownCommand {
        /// The name that was given.
        name: String,
        /// The commands.
        known: Vec<String>,
    },
    /// A number that does not keep to its range.
    #[error("it must be {0}")]
    OutOfRange(&'static str),
    /// A number that no configuration file can hold.
    #[error("{0} is too large; the greatest number is {MAX_NUMBER}")]
    TooLarge(String),
    /// An amount that is not written as `KIND=NUMBER`.
    #[error("expected KIND=NUMBER, {}", amount_example(also))]
    NoAmount {
        /// The kind that is allowed beside tokens, messages and fraction.
        also: &'static str,
    },
    /// An amount whose number is no number.
    #[error("{number:?} is not a number, {}", amount_example(also))]
    NoNumber {
        /// The text in place of the number.
        number: String,
        /// The kind that is allowed beside tokens, messages and fraction.
        also: &'static str,
    },
    /// An amount whose number is out of range.
    #[error("{kind} = {number}: it must be {range}")]
    AmountOutOfRange {
        /// The kind of the amount.
        kind: String,
        /// The number.
        number: String,
        /// The numbers that are allowed.
        range: &'static str,
    },
    /// A number after a word that takes none.
    #[error("{word} takes no number; write it alone")]
    TakesNoNumber {
        /// The word.
        word: &'static str,
    },
    /// An amount of an unknown kind.
    #[error("{kind:?} is not known{} (known: {})", did_you_mean(kind, known), known.join(", "))]
    UnknownKind {
        /// The kind that was given.
        kind: String,
        /// The kinds that are known.
        known: Vec<&'static str>,
    },
    /// A trigger that names a kind twice.
    #[error(
        "two of one kind; commas mean all of them, so only the greater would count: give one (the option repeated means any of them)"
    )]
    RepeatedKind,
    /// A number of turns that is no number.
    #[error("{0:?} is not a number of turns, nor `all`")]
    NoTurns(String),
    /// A number of errors that is no number.
    #[error("expected a number or `all`")]
    NoErrorCount,
    /// A keep that names its turns twice.
    #[error("turns is given twice; give it once, with tokens=N as its budget")]
    RepeatedTurns,
    /// A keep with something else than tokens beside its turns.
    #[error("turns takes only tokens=N, its budget")]
    NotBesideTurns,
    /// A keep of turns where only an amount is allowed.
    #[error(
        "turns are a keep of [summarize] only, as are the rules of other agents; expected tokens, messages or fraction"
    )]
    TurnsOfSummarizeOnly,
    /// A keep with several amounts.
    #[error("only one of tokens=N, messages=N, fraction=F; or turns=N,tokens=N")]
    SeveralAmounts,
    /// A price that is no pair of numbers.
    #[error("expected US dollars per million tokens of input and output, for example 1.75,14")]
    NoPrice,
    /// A prompt that has no place for the conversation.
    #[error("it must hold {{messages}}: that is where the conversation goes")]
    NoMessages,
    /// A merge prompt that lacks one of its two places.
    #[error(
        "it must hold {{prior_summary}} and {{messages}}; or leave it empty, then an earlier summary is among the messages"
    )]
    NoPriorSummary,
}

/// The range of a count of tokens or messages.
pub(crate) const ABOVE_ZERO: &str = "a whole number greater than 0";
/// The range of a fraction.
pub(super) const FRACTION: &str = "a number above 0 and at most 1";

fn amount_example(also: &str) -> String {
    format!("for example tokens=4000, messages=20 or fraction=0.85; or {also}")
}

/// Returns `; did you mean "NAME"?` for the known name that is nearest, or nothing if none is near.
#[must_use]
pub(crate) fn did_you_mean(name: &str, known: &[&str]) -> String {
    nearest_name(name, known)
        .map(|nearest| format!("; did you mean {nearest:?}?"))
        .unwrap_or_default()
}

fn nearest_name<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    let similarity = |known: &&&str| strsim::jaro_winkler(name, known);
    known
        .iter()
        .max_by(|a, b| similarity(a).total_cmp(&similarity(b)))
        .filter(|nearest| similarity(nearest) > 0.7)
        .copied()
}
