//! `epitome models`: the limits that are known, their source, and what follows
//! from them.

use crate::commands::terminal_width::table_columns;
use crate::commands::{Ending, LinesError};
use crate::deciding::model::{KnownModel, ProfileRelease, ResolvedModel, table_origin};
use crate::deciding::policy::{Clause, Policy, Threshold};
use crate::files::output::print_result;
use crate::reporting::report::numbers::group_digits;
use crate::reporting::report::terminal_text::{plain_table, render_wrapping};
use crate::reporting::report::wrap_lines;
use crate::settings::cli::ModelsArgs;
use crate::settings::model_policy;
use anyhow::Result;
use serde_json::json;

/// Lists the known models, or explains a model. Fails if the name is not known, the user's own
/// table can't be read, or stdout can't be written.
pub(crate) fn run(arguments: &ModelsArgs) -> Result<Ending> {
    let policy = model_policy(arguments)?;
    let text = match &arguments.name {
        None if arguments.json => known_models(&policy)
            .iter()
            .map(|model| format!("{}\n", model_json(&policy, model)))
            .collect(),
        None => render_models(&policy, table_columns()),
        Some(name) => {
            let resolved = policy.models.resolve(name);
            match &resolved.model {
                None => {
                    let text = explain_unknown(&policy, name, &resolved);
                    return Err(LinesError::new(text.lines()).into());
                }
                Some(model) if arguments.json => format!("{}\n", model_json(&policy, model)),
                Some(model) => wrap_lines(&explain_model(&policy, name, model), table_columns()),
            }
        }
    };
    print_result(&text)?;
    Ok(Ending::success())
}

fn known_models(policy: &Policy) -> Vec<KnownModel> {
    let rows = policy.models.rows();
    rows.into_iter()
        .filter_map(|row| policy.models.lookup(&format!("{}/{}", row.provider, row.name)))
        .collect()
}

/// The columns of the list; a narrow terminal keeps the first three.
const COLUMNS: [&str; 6] = ["provider", "model", "input limit", "context", "output", "from"];
/// From this many columns on a terminal has room for all of them.
const WIDE: usize = 110;

fn render_models(policy: &Policy, width: usize) -> String {
    let shown = if width < WIDE { 3 } else { COLUMNS.len() };
    let mut table = plain_table(&COLUMNS[..shown], 5);
    for model in known_models(policy) {
        let from = match (model.is_custom, model.resold) {
            (true, _) if policy.limits.is_none() => "profiles",
            (true, _) => "--limits",
            (false, Some(_)) => "its maker",
            (false, None) => "",
        };
        let [context, output] = [model.limits.context, model.limits.output]
            .map(|tokens| tokens.map_or("-".to_owned(), group_tokens));
        let cells = [
            &model.provider,
            &model.name,
            &group_tokens(model.max_input_tokens),
            &context,
            &output,
            from,
        ];
        table.add_row(&cells[..shown]);
    }
    let rows: String = render_wrapping(&mut table, width)
        .lines()
        .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
        .collect();
    let profiles = match policy.profiles {
        ProfileRelease::None => String::new(),
        release => format!("{}\n", release.origin()),
    };
    let notes = format!("{profiles}{}\n", table_origin());
    rows + &wrap_lines(&notes, width)
}

fn model_json(policy: &Policy, model: &KnownModel) -> serde_json::Value {
    json!({
        "provider": model.provider,
        "model": model.name,
        "max_input_tokens": model.max_input_tokens,
        "context": model.limits.context,
        "output": model.limits.output,
        "source": match (model.is_custom, policy.limits.is_none()) {
            (false, _) => "embedded",
            (true, true) => "profiles",
            (true, false) => "--limits",
        },
        "reseller_input_tokens": model.resold,
        "rules": model.rules.iter().map(|rule| rule.about()).collect::<Vec<_>>(),
    })
}

/// Explains a name: the model that it means, the limit that counts and why, and the preset's
/// defaults for it.
fn explain_model(policy: &Policy, name: &str, model: &KnownModel) -> String {
    let rules = if model.rules.is_empty() {
        "exactly this name".to_owned()
    } else {
        let rules: Vec<&str> = model.rules.iter().map(|rule| rule.about()).collect();
        format!("{name:?} {}", rules.join(", "))
    };
    let why = match (model.resold, model.limits.input, model.limits.context) {
        (Some(declared), ..) => format!(
            "that of its maker; {} declares {}, but a reseller can't take more",
            model.provider,
            group_tokens(declared)
        ),
        (None, Some(input), Some(context)) if input < context => {
            format!("declared; the context of {} covers input and output", group_tokens(context))
        }
        (None, Some(_), _) => "declared".to_owned(),
        (None, None, _) => "the context: no smaller input limit is declared".to_owned(),
    };
    let from = if model.is_custom && policy.limits.is_none() {
        policy.profiles.origin().to_owned()
    } else if model.is_custom {
        format!("--limits {}", policy.limits.as_deref().unwrap_or_default())
    } else {
        table_origin().to_owned()
    };
    let or_unknown = |tokens: Option<u64>| tokens.map_or("not declared".to_owned(), group_tokens);
    format!(
        "{}/{} ({rules})\n  input limit  {}  ({why})\n  context      {}\n  output       {}\n  from         {from}\n{}",
        model.provider,
        model.name,
        group_tokens(model.max_input_tokens),
        or_unknown(model.limits.context),
        or_unknown(model.limits.output),
        explain_defaults(policy, Some(model)),
    )
}

/// Explains a name that is in no table: the nearest known names, and the defaults without a limit.
fn explain_unknown(policy: &Policy, name: &str, resolved: &ResolvedModel) -> String {
    format!("{}\n{}", resolved.unknown_limit(name), explain_defaults(policy, None).trim_end())
}

/// Explains when the preset acts for a model, and what it keeps.
fn explain_defaults(policy: &Policy, model: Option<&KnownModel>) -> String {
    let heading = match model {
        Some(_) => format!("preset {} then:", policy.preset),
        None => format!("preset {} without a limit:", policy.preset),
    };
    let Ok(thresholds) = policy.thresholds(policy.room(model)) else {
        return format!("{heading}\n  needs a limit\n");
    };
    let overflow = thresholds.estimated.overflow.map_or("no limit to exceed".to_owned(), |limit| {
        format!("above {} tokens, whatever the triggers say", group_tokens(limit))
    });
    format!(
        "{heading}\n  truncate     {}, keep {}\n  summarize    {}, keep {}\n  overflow     {overflow}\n",
        render_triggers(&thresholds.truncate_trigger),
        thresholds.truncate_keep,
        render_triggers(&thresholds.summarize_trigger),
        thresholds.summarize_keep,
    )
}

fn render_triggers(clauses: &[Clause<Threshold>]) -> String {
    if clauses.is_empty() {
        return "never".to_owned();
    }
    let clauses = clauses.iter().map(|clause| format!("at {clause}"));
    clauses.collect::<Vec<_>>().join(" or ")
}

fn group_tokens(value: u64) -> String {
    group_digits(i64::try_from(value).unwrap_or(i64::MAX))
}
