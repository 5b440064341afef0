//! Options of asking a model for summaries: the server, the limits of a call and its costs.

use super::clap_parsers::parse_cost;
use clap::Args;
use std::path::PathBuf;

/// The parameters of asking a model, with `--summarizer http`.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Summaries by a model")]
pub(crate) struct ModelArgs {
    /// The model that writes summaries, by the server's name for it [default: that of --model]
    #[arg(long, value_name = "NAME")]
    pub summary_model: Option<String>,
    /// The server's address, such as http://localhost:11434/v1 [default: the provider's]
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// Make no call that could raise the cost of the run above this many US dollars; an answer is
    /// assumed to be as long as `summarizer.max_output_tokens` allows
    #[arg(long, value_name = "USD", value_parser = parse_cost)]
    pub max_cost: Option<f64>,
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
