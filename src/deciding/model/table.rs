//! Tables of limits: the embedded table, and files of the user's own; and the providers of models:
//! those that make them, and other names for them.

use anyhow::{Context, Result, anyhow, bail};
use std::sync::LazyLock;

/// The columns of a table, separated by tabs.
const COLUMNS: [&str; 5] = ["provider", "model", "context", "input", "output"];

/// The limits that a model declares, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelLimits {
    /// The limit of input and output together.
    pub context: Option<u64>,
    /// The limit of input, if it is less than the context.
    pub input: Option<u64>,
    pub output: Option<u64>,
}

impl ModelLimits {
    /// Returns the limit of input: the declared limit, or else the context.
    pub fn max_input_tokens(self) -> Option<u64> {
        self.input.or(self.context)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRow {
    /// The provider that serves the model.
    pub provider: String,
    /// The provider's name for it.
    pub name: String,
    pub limits: ModelLimits,
}

const EMBEDDED: &str = include_str!("limits.tsv");

pub(super) static EMBEDDED_ROWS: LazyLock<Vec<ModelRow>> =
    LazyLock::new(|| parse_limits(EMBEDDED).unwrap_or_default());

/// Returns the origin of the embedded table, which is the first line of its file.
pub(crate) fn table_origin() -> &'static str {
    EMBEDDED.lines().next().unwrap_or_default().trim_start_matches("# ")
}

/// Parses a table: a heading with the columns, then a line for each model. Lines that begin with
/// `#` are comments. The input limit may be empty if it is the context, and the context if only the
/// input limit is known. Fails if the heading or a line is wrong, or a model has two lines.
pub(crate) fn parse_limits(text: &str) -> Result<Vec<ModelRow>> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line))
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let (_, heading) = lines.next().context("no heading")?;
    if heading.split('\t').map(str::trim).ne(COLUMNS) {
        bail!("the heading must be {}, separated by tabs", COLUMNS.join(", "));
    }
    let mut rows: Vec<ModelRow> = Vec::new();
    for (number, line) in lines {
        rows.push(parse_row(line).map_err(|problem| anyhow!("line {number}: {problem}"))?);
    }
    let mut names: Vec<(&str, &str)> =
        rows.iter().map(|row| (row.provider.as_str(), row.name.as_str())).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => bail!("{}/{} is listed twice", pair[0].0, pair[0].1),
        None => Ok(rows),
    }
}

fn parse_row(line: &str) -> Result<ModelRow> {
    let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
    let [provider, name, numbers @ ..] = cells.as_slice() else {
        bail!("{line:?} has no columns separated by tabs");
    };
    if name.is_empty() || numbers.len() > 3 {
        bail!("expected {}, separated by tabs", COLUMNS.join(", "));
    }
    let limits = ModelLimits {
        context: parse_cell(numbers, 0)?,
        input: parse_cell(numbers, 1)?,
        output: parse_cell(numbers, 2)?,
    };
    if let (Some(context), Some(input)) = (limits.context, limits.input)
        && input > context
    {
        bail!("an input of {input} is more than the context of {context}");
    }
    if limits.max_input_tokens().is_none() {
        bail!("neither a context nor an input limit");
    }
    Ok(ModelRow { provider: (*provider).to_owned(), name: (*name).to_owned(), limits })
}

/// Parses a limit. `column` counts from the first limit.
fn parse_cell(cells: &[&str], column: usize) -> Result<Option<u64>> {
    let cell = cells.get(column).copied().unwrap_or_default();
    if cell.is_empty() {
        return Ok(None);
    }
    match cell.parse() {
        Ok(number) if number > 0 => Ok(Some(number)),
        _ => bail!(
            "{} is {cell:?}, it must be a whole number greater than 0, or empty",
            COLUMNS[column + 2]
        ),
    }
}

/// Providers that make their models, in the order of preference for a bare model name. All others
/// are resellers.
const FIRST_PARTIES: &str = "\
    openai anthropic google mistral deepseek xai cohere alibaba moonshotai zai zhipuai minimax";

/// Other names for providers, as LangChain and routers use them.
const ALIASES: [(&str, &str); 10] = [
    ("azure", "azure_openai azure_ai"),
    ("amazon-bedrock", "bedrock bedrock_converse aws-bedrock"),
    ("google", "google_genai google_vertexai vertex_ai gemini"),
    ("anthropic", "google_anthropic_vertex"),
    ("mistral", "mistralai"),
    ("github-copilot", "copilot"),
    ("xai", "x-ai"),
    ("zai", "z-ai"),
    ("moonshotai", "moonshot"),
    ("alibaba", "qwen"),
];

/// Returns true if the provider makes its models.
pub(super) fn is_maker(provider: &str) -> bool {
    FIRST_PARTIES.split(' ').any(|maker| maker == provider)
}

/// Returns the rank of a row's provider among the makers. Resellers rank last.
pub(super) fn maker_rank(row: &ModelRow) -> usize {
    let mut makers = FIRST_PARTIES.split(' ');
    makers.position(|maker| maker == row.provider).unwrap_or(usize::MAX)
}

/// Returns true if the provider, by any of its names, serves the row's model. No provider matches
/// all rows.
pub(super) fn is_served_by(row: &ModelRow, provider: Option<&str>) -> bool {
    provider.is_none_or(|provider| {
        let mut known = ALIASES.iter().filter(|(known, _)| *known == row.provider);
        row.provider == provider
            || known.any(|(_, names)| names.split(' ').any(|name| name == provider))
    })
}

/// Splits a name into the provider before its first `:` or `/`, and the model.
pub(super) fn split_provider(name: &str) -> (Option<&str>, &str) {
    match name.split_once([':', '/']) {
        Some((provider, bare)) => (Some(provider), bare),
        None => (None, name),
    }
}

/// Returns the providers that make their models, for tests of every name.
#[cfg(test)]
pub(super) fn makers() -> impl Iterator<Item = &'static str> {
    FIRST_PARTIES.split(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_table_is_complete_and_names_its_origin() {
        let rows = parse_limits(EMBEDDED).unwrap();
        assert_eq!(rows.len(), EMBEDDED.lines().count() - 2);
        let origin = table_origin();
        assert!(rows.len() > 400 && origin.contains("models.dev"), "{origin}");
        assert!(origin.contains("make-limits.py"), "{origin}");
    }

    #[test]
    fn errors_of_a_table_name_the_line() {
        let heading = "provider\tmodel\tcontext\tinput\toutput\n";
        let error = |rows: &str| parse_limits(&format!("{heading}{rows}")).unwrap_err().to_string();
        assert!(error("a\tb\tmany").starts_with("line 2: context is \"many\""));
        assert!(error("\n# comment\na\tb\t0\t\t").starts_with("line 4: context is \"0\""));
        assert!(error("a\tb\t10\t20").contains("more than the context"));
        assert!(error("a\tb").contains("neither"));
        assert!(error("a b 10").contains("tabs"));
        assert!(error("a\tb\t10\na\tb\t20").contains("a/b is listed twice"));
        assert!(parse_limits("model\tcontext\n").unwrap_err().to_string().contains("heading"));
        assert!(parse_limits("").is_err());
        let rows = parse_limits(&format!("# mine\n{heading}me\tx\t\t500\t\n")).unwrap();
        assert_eq!(rows[0].limits.max_input_tokens(), Some(500));
    }
}
