//! Tables of limits: the embedded one, and files of the user's own.

use std::sync::LazyLock;

/// The columns of a table, separated by tabs.
pub const COLUMNS: [&str; 5] = ["provider", "model", "context", "input", "output"];

/// What a model declares to take and to give, in tokens; none where it declares nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Input and output together.
    pub context: Option<u64>,
    /// Input, where that is less than the context.
    pub input: Option<u64>,
    /// Output.
    pub output: Option<u64>,
}

impl Limits {
    /// What these limits leave for input; none where they say nothing.
    #[must_use]
    pub fn max_input_tokens(self) -> Option<u64> {
        self.input.or(self.context)
    }
}

/// One row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Who serves it.
    pub provider: String,
    /// Its exact name there.
    pub name: String,
    /// What it declares.
    pub limits: Limits,
}

const EMBEDDED: &str = include_str!("limits.tsv");

/// The embedded table.
pub static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| parse(EMBEDDED).unwrap_or_default());

/// Where the embedded table is from: the first line of its file.
#[must_use]
pub fn origin() -> &'static str {
    EMBEDDED
        .lines()
        .next()
        .unwrap_or_default()
        .trim_start_matches("# ")
}

/// Reads a table: a heading with the columns, then a model a line; `#` begins a comment. The input limit may be
/// left empty where it is the context, or the context where only the input is known.
///
/// # Errors
/// What is wrong, with its line.
pub fn parse(text: &str) -> Result<Vec<Row>, String> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line))
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let (_, heading) = lines.next().ok_or("no heading")?;
    if heading.split('\t').map(str::trim).ne(COLUMNS) {
        return Err(format!(
            "the heading must be {}, separated by tabs",
            COLUMNS.join(", ")
        ));
    }
    let mut rows: Vec<Row> = Vec::new();
    for (at, line) in lines {
        rows.push(row(line).map_err(|error| format!("line {at}: {error}"))?);
    }
    let mut names: Vec<(&str, &str)> = rows
        .iter()
        .map(|row| (row.provider.as_str(), row.name.as_str()))
        .collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("{}/{} is there twice", pair[0].0, pair[0].1)),
        None => Ok(rows),
    }
}

fn row(line: &str) -> Result<Row, String> {
    let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
    let [provider, name, numbers @ ..] = cells.as_slice() else {
        return Err(format!("{line:?} has no columns separated by tabs"));
    };
    if name.is_empty() || numbers.len() > 3 {
        return Err(format!(
            "expected {}, separated by tabs",
            COLUMNS.join(", ")
        ));
    }
    let number = |column: usize| match numbers.get(column).copied().unwrap_or_default() {
        "" => Ok(None),
        cell => match cell.parse() {
            Ok(number) if number > 0 => Ok(Some(number)),
            _ => Err(format!(
                "{} is {cell:?}, it must be a whole number greater than 0, or empty",
                COLUMNS[column + 2]
            )),
        },
    };
    let limits = Limits {
        context: number(0)?,
        input: number(1)?,
        output: number(2)?,
    };
    if let (Some(context), Some(input)) = (limits.context, limits.input)
        && input > context
    {
        return Err(format!(
            "an input of {input} is more than the context of {context}"
        ));
    }
    if limits.max_input_tokens().is_none() {
        return Err("neither a context nor an input limit".to_owned());
    }
    Ok(Row {
        provider: (*provider).to_owned(),
        name: (*name).to_owned(),
        limits,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_table_is_whole_and_says_where_it_is_from() {
        let rows = parse(EMBEDDED).unwrap();
        assert_eq!(rows.len(), EMBEDDED.lines().count() - 2);
        assert!(
            rows.len() > 400
                && origin().contains("models.dev")
                && origin().contains("make-limits.py"),
            "{}",
            origin()
        );
    }

    #[test]
    fn a_table_that_is_wrong_says_where() {
        let heading = "provider\tmodel\tcontext\tinput\toutput\n";
        let error = |rows: &str| parse(&format!("{heading}{rows}")).unwrap_err();
        assert!(error("a\tb\tmany").starts_with("line 2: context is \"many\""));
        assert!(error("\n# comment\na\tb\t0\t\t").starts_with("line 4: context is \"0\""));
        assert!(error("a\tb\t10\t20").contains("more than the context"));
        assert!(error("a\tb").contains("neither"));
        assert!(error("a b 10").contains("tabs"));
        assert!(error("a\tb\t10\na\tb\t20").contains("a/b is there twice"));
        assert!(parse("model\tcontext\n").unwrap_err().contains("heading") && parse("").is_err());
        assert_eq!(
            parse(&format!("# mine\n{heading}me\tx\t\t500\t\n")).unwrap()[0]
                .limits
                .max_input_tokens(),
            Some(500)
        );
    }
}
