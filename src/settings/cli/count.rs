//! The arguments of `count`.

use super::checked_values::parse_counter;
use super::input_options::InputArgs;
use super::policy_options::CountingArgs;
use super::run_options::RunArgs;
use clap::Args;

/// The arguments of `count`.
#[derive(Debug, Args)]
pub(crate) struct CountArgs {
    /// The inputs.
    #[command(flatten)]
    pub input: InputArgs,
    /// Print JSON lines instead of a table
    #[arg(long)]
    pub json: bool,
    /// Also count with this counter, and show the difference; without a name, with the exact
    /// counter of each model
    #[arg(
        long,
        value_name = "COUNTER",
        value_parser = parse_counter,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "auto"
    )]
    pub compare: Option<&'static str>,
    /// The counting of tokens.
    #[command(flatten)]
    pub counting: CountingArgs,
    /// The parameters of the run.
    #[command(flatten)]
    pub run: RunArgs,
}
