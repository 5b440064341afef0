//! The word list `docs/words.tsv`: wording that no help text, message or page may have.

use crate::harness::tree;
use fancy_regex::Regex;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// The fewest letters of a literal that says something.
const MIN_MESSAGE: usize = 12;

/// A row of the list.
struct WordRow {
    worse: Regex,
    better: String,
}

/// A text that users meet, and its place.
struct UserText {
    place: String,
    text: String,
}

#[test]
fn no_text_has_wording_that_the_list_replaces() {
    let rows = word_rows();
    let mut found = Vec::new();
    let texts: Vec<UserText> = [help_texts(), pages(), messages()].into_iter().flatten().collect();
    for row in &rows {
        for UserText { place, text } in &texts {
            if let Some(worse) = row.worse.find(text).unwrap() {
                found.push(format!("{place}: {:?}: write {:?}", worse.as_str(), row.better));
            }
        }
    }
    assert!(texts.len() > 1000 && rows.len() > 10, "texts are missing");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn word_rows() -> Vec<WordRow> {
    let list = std::fs::read_to_string(Path::new(ROOT).join("docs/words.tsv")).unwrap();
    let rows = list.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|row| {
        let (worse, better) = row.split_once('\t').expect("worse, a tab, better");
        WordRow { worse: Regex::new(&format!("(?i){worse}")).unwrap(), better: better.to_owned() }
    })
    .collect()
}

/// Returns the help of each command, on one line: its own lines are broken anywhere.
fn help_texts() -> Vec<UserText> {
    let files = files("tests/snapshots/help", "txt").into_iter();
    files
        .map(|UserText { place, text }| UserText {
            place,
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
        })
        .collect()
}

/// Returns the paragraphs of all pages but the history of changes.
fn pages() -> Vec<UserText> {
    let mut pages = files("docs", "md");
    for name in ["README.md", "CONTRIBUTING.md", "SECURITY.md"] {
        let text = std::fs::read_to_string(Path::new(ROOT).join(name)).unwrap();
        pages.push(UserText { place: name.to_owned(), text });
    }
    let paragraphs = pages.into_iter().flat_map(|page| {
        let paragraphs = page
            .text
            .split("\n\n")
            .map(|text| UserText { place: page.place.clone(), text: text.replace('\n', " ") });
        paragraphs.collect::<Vec<_>>()
    });
    paragraphs.collect()
}

/// Returns the string literals of the source that say something, without those of unit tests.
fn messages() -> Vec<UserText> {
    let literal = Regex::new(r#"(?m)^\s*//[^\n]*$|"((?:[^"\\]|\\.|\\\n)*)""#).unwrap();
    let mut messages = Vec::new();
    for UserText { place, text } in files("src", "rs") {
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let literals = literal.captures_iter(code).filter_map(|found| found.unwrap().get(1));
        let said = literals
            .filter(|said| said.as_str().len() > MIN_MESSAGE && said.as_str().contains(' '));
        messages.extend(said.map(|said| UserText {
            place: place.clone(),
            text: said.as_str().replace('\\', " ").split_whitespace().collect::<Vec<_>>().join(" "),
        }));
    }
    messages
}

/// Returns the files below a folder with an extension.
fn files(folder: &str, extension: &str) -> Vec<UserText> {
    let files = tree(&Path::new(ROOT).join(folder)).into_iter();
    files
        .filter(|(name, _)| Path::new(name).extension().is_some_and(|end| end == extension))
        .map(|(name, bytes)| UserText {
            place: format!("{folder}/{name}"),
            text: String::from_utf8(bytes).unwrap(),
        })
        .collect()
}
