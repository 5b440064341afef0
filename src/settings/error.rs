//! The errors of options and settings.

use super::config::ConfigError;
use super::system_prompt::SourceError;
use crate::deciding::model::LimitsError;
use crate::deciding::policy::MissingLimit;
use crate::reporting::report::kinds::REPORT_KINDS;
use crate::settings::cli::ValueError;
use std::io;
use std::path::PathBuf;

/// Options or a configuration that give no policy or no run.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The configuration file can't be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The ending of a report's file names no kind of report.
    #[error("--report {path}: its ending must be {endings}; or write its kind before it, such as json:{path}", path = .0.display(), endings = report_endings())]
    UnknownReportEnding(PathBuf),
    /// A report has a kind and no file.
    #[error("--report {path}: name the file, or - for stdout, after the kind", path = .0.display())]
    ReportWithoutFile(PathBuf),
    /// Options name several tokenizers or templates, or a template alone.
    #[error(
        "--tokenizer takes one tokenizer.json or folder of a model, and at most one .jinja file beside it"
    )]
    TokenizerPaths,
    /// Only one report can go to stdout.
    #[error("--report -: stdout takes only one report")]
    SeveralPrintedReports,
    /// There is no such preset.
    #[error("preset: {0}")]
    UnknownPreset(ValueError),
    /// A file of the system prompt can't be used.
    #[error(transparent)]
    SystemPrompt(#[from] SourceError),
    /// There is no such counter.
    #[error("counter: {0:?} is not known")]
    UnknownCounter(&'static str),
    /// The file of a counter can't be read.
    #[error("counter {name}: can't read it")]
    UnreadableCounter {
        /// The counter.
        name: &'static str,
        source: io::Error,
    },
    /// The file of a counter is no tokenizer.
    #[error("counter {name}: {problem}")]
    WrongCounter {
        /// The counter.
        name: &'static str,
        problem: String,
    },
    /// A file of a model's tokenizer can't be read.
    #[error("--tokenizer: can't read {}", path.display())]
    UnreadableTokenizer { path: PathBuf, source: io::Error },
    /// A file of a model's tokenizer is malformed.
    #[error("--tokenizer: {}: {problem}", path.display())]
    WrongTokenizer { path: PathBuf, problem: String },
    /// The folder of a tokenizer has no chat template.
    #[error(
        "--tokenizer: {} has no chat_template.jinja and no tokenizer_config.json with a chat_template; name one with --tokenizer FILE.jinja",
        folder.display()
    )]
    NoChatTemplate { folder: PathBuf },
    /// The table of limits can't be read.
    #[error("{option}: can't read {}", path.display())]
    UnreadableLimits {
        /// The option or key that names the file.
        option: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// The table of limits is wrong.
    #[error("{option}: {}: {problem}", path.display())]
    WrongLimits {
        /// The option or key that names the file.
        option: &'static str,
        path: PathBuf,
        /// The reason, with the line.
        problem: LimitsError,
    },
    /// A model is strictly wanted, and its limit is not known.
    #[error("strict_model: {0}")]
    UnknownModel(String),
    /// A fraction of a limit that is not known.
    #[error(transparent)]
    MissingLimit(#[from] MissingLimit),
    /// A run without threads.
    #[error("--jobs 0: at least one thread is needed; leave the option out to use every core")]
    NoThreads,
    /// A run with too many threads.
    #[error("--jobs {0}: at most 1024 threads; more threads than cores gain nothing")]
    TooManyThreads(usize),
    /// A path can't be made absolute.
    #[error(transparent)]
    NoAbsolutePath(#[from] io::Error),
}

/// A model that can't be asked for summaries.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EndpointError {
    /// No model is named.
    #[error("the summarizer http asks a model: name it with --set summarizer.model=NAME")]
    NoModel,
    /// The name has a provider and no model.
    #[error("summarizer.model {0:?} names no model")]
    EmptyModel(String),
    /// The cost is limited, and the price is not known.
    #[error("summarizer.max_cost: no price is known for {0:?}; give summarizer.price INPUT,OUTPUT")]
    NoPrice(String),
    /// The address is malformed, or holds what it must not.
    #[error("summarizer.base_url {url:?}: {problem}")]
    WrongAddress {
        /// The address without user and password.
        url: String,
        /// The fault, and a value that would be right.
        problem: &'static str,
    },
    /// The file of certificate authorities can't be read.
    #[error("can't read the certificates from {}", path.display())]
    UnreadableCertificates { path: PathBuf, source: io::Error },
    /// The file of the key can't be read.
    #[error("can't read the key from {}", path.display())]
    UnreadableKey { path: PathBuf, source: io::Error },
    /// The variable of the key is not set.
    #[error(
        "no API key: set {0} in the environment, or name a variable with summarizer.api_key_env or a file with summarizer.api_key_file"
    )]
    NoKey(String),
    /// A key that no header can carry. It is not shown.
    #[error(
        "{0} holds no API key: expected a single line of letters, digits and signs, without blanks"
    )]
    WrongKey(String),
    /// A key would be sent to another machine without encryption.
    #[error(
        "summarizer.base_url {0:?}: the API key would be sent unencrypted; use https, or summarizer.allow_plain_http if you trust the network"
    )]
    PlainHttp(String),
    /// A header wants a variable that is not set.
    #[error("the header {header:?} wants ${variable}, which is not set")]
    UnsetHeader {
        /// The header's name.
        header: String,
        /// The variable.
        variable: String,
    },
    /// A header that was masked when the configuration was printed.
    #[error(
        "the header {0:?} was masked in this configuration; give it with --set, or write $NAME for a variable"
    )]
    MaskedHeader(String),
    /// A variable that is not UTF-8.
    #[error("the environment variable {0} is not valid UTF-8")]
    NoText(String),
    /// There is no place for the cache.
    #[error(
        "there is no home directory for the cache of answers: name a directory with summarizer.cache, or give an empty one"
    )]
    NoCacheDirectory,
}

/// Returns the endings of all kinds of reports, for people.
fn report_endings() -> String {
    let endings = REPORT_KINDS.map(|kind| format!(".{}", kind.ending));
    let [others @ .., last] = &endings;
    format!("{} or {last}", others.join(", "))
}
