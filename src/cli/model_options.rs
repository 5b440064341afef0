//! Options of asking a model for summaries: the server, the limits of a call and its costs.

use super::checked_values::parse_price;
use super::clap_parsers::{
    number_parser, parse_above_zero, parse_concurrency, parse_cost, parse_temperature,
};
use crate::policy::{CallPrice, Dialect};
use clap::Args;
use std::path::PathBuf;

/// The parameters of asking a model, with `--summarizer http`.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Summaries by a model")]
pub(crate) struct ModelArgs {
    /// The model that writes summaries, by the server's name for it [default: that of --model]
    #[arg(long, value_name = "NAME")]
    pub summary_model: Option<String>,
    /// The server's interface [default: by the model's provider]
    #[arg(long, value_name = "NAME", value_enum)]
    pub dialect: Option<Dialect>,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Sampling temperature, from 0 to 2 [default: the server's]
    #[arg(long, value_name = "F", value_parser = parse_temperature)]
    pub temperature: Option<f64>,
    /// The most tokens of an answer [default: the server's limit]
    #[arg(long, value_name = "N", value_parser = number_parser::<u64>())]
    pub max_output_tokens: Option<u64>,
    /// Give up a request after this many seconds [default: 120]
    #[arg(long, value_name = "SECONDS", value_parser = parse_above_zero)]
    pub timeout: Option<u64>,
    /// Give up a summary after this many seconds, retries and waits included [default: 600]
    #[arg(long, value_name = "SECONDS", value_parser = parse_above_zero)]
    pub deadline: Option<u64>,
    /// Repeat a failed request at most this many times [default: 6]
    #[arg(long, value_name = "N", value_parser = number_parser::<u64>())]
    pub retries: Option<u64>,
    /// The number of requests at the same time, from 1 to 256 [default: 8]
    #[arg(long, value_name = "N", value_parser = parse_concurrency)]
    pub concurrency: Option<usize>,
    /// US dollars per million tokens of input and of output [default: known prices]
    #[arg(long, value_name = "IN,OUT", value_parser = parse_price)]
    pub price: Option<CallPrice>,
    /// Make at most this many calls, not counting repeated requests and cached answers
    #[arg(long, value_name = "N", value_parser = number_parser::<u64>())]
    pub max_calls: Option<u64>,
    /// Make no call that could raise the cost of the run above this many US dollars; an answer is
    /// assumed to be as long as --max-output-tokens allows
    #[arg(long, value_name = "USD", value_parser = parse_cost)]
    pub max_cost: Option<f64>,
    /// Cache answers in this directory, so that none is paid for twice [default: epitome in the
    /// user's cache directory]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    pub cache: Option<PathBuf>,
    /// Neither read nor write cached answers
    #[arg(long)]
    pub no_cache: bool,
}

/// The address of a server and the credentials for it.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Summaries by a model")]
pub(crate) struct ServerArgs {
    /// The server's address, such as http://localhost:11434/v1 [default: the provider's]
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// Read the API key from this environment variable [default: OPENAI_API_KEY or
    /// ANTHROPIC_API_KEY]
    #[arg(long, value_name = "NAME", conflicts_with = "api_key_file")]
    pub api_key_env: Option<String>,
    /// Read the API key from this file
    #[arg(long, value_name = "FILE")]
    pub api_key_file: Option<PathBuf>,
    /// Send the API key over plain http, too, to a server that is not on this machine
    #[arg(long)]
    pub allow_plain_http: bool,
    /// Trust the certificate authorities in this PEM file beside the system's
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Send another header with each request, as `Name: value`; a value $NAME is read from the
    /// environment (repeatable)
    #[arg(long, value_name = "HEADER")]
    pub header: Vec<String>,
}
