//! Reads the lines of code that define something: classes, functions, and what a module shares.

use crate::summary::extract::lex::clip::clip_line;
use crate::summary::extract::lex::frame::has_frame_tag;
use crate::summary::extract::lexicon::code_words::{
    SHARING_MODIFIERS, SIGNATURE_MODIFIERS, SIGNATURE_WORDS,
};

/// Maximum number of definitions of a file that are told, and the maximum length in bytes of one.
pub(super) const MOST_DEFINITIONS: usize = 6;
const LONGEST_DEFINITION: usize = 100;
/// Maximum number of blanks before a definition, and before one in a class.
const MOST_INDENT: usize = 4;
const MOST_MEMBER_INDENT: usize = 8;
/// The names of functions that say nothing about a file.
const PASSING_NAMES: [&str; 2] = ["main", "Main"];

/// Returns the definitions of a text of code that say how to use it: functions with parameters, what a
/// module shares, classes, and how an instance of a class is made. `stem` is the name of the file. Empty
/// if they say nothing that the name of the file does not.
pub(super) fn definitions_in(text: &str, stem: &str) -> Vec<FoundDefinition> {
    let mut found: Vec<FoundDefinition> = Vec::new();
    let mut class = String::new();
    let lines: Vec<&str> = text.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        let indent = indent_width(line);
        if indent > MOST_MEMBER_INDENT {
            continue;
        }
        let Some(definition) = Definition::of(line.trim(), &class) else {
            continue;
        };
        let most_indent = match (definition.makes_instance, definition.is_shared) {
            (true, _) => MOST_MEMBER_INDENT,
            (false, true) => MOST_INDENT,
            (false, false) => 0,
        };
        if indent > most_indent || PASSING_NAMES.contains(&definition.name) {
            continue;
        }
        if definition.is_class {
            definition.name.clone_into(&mut class);
        }
        let is_new = |text: &String| found.iter().all(|known| known.text != *text);
        if let Some(text) = definition.signature(&lines[number + 1..]).filter(is_new) {
            found.push(FoundDefinition {
                has_parameters: has_parameters(&text),
                names_file: definition.name.eq_ignore_ascii_case(stem),
                name: definition.name.to_owned(),
                makes_instance: definition.makes_instance,
                text,
            });
        }
        // One more, to know that there are more.
        if found.len() > MOST_DEFINITIONS {
            break;
        }
    }
    let says_more = |found: &FoundDefinition| found.has_parameters || !found.names_file;
    if found.iter().filter(|found| says_more(found)).count() < LEAST_NAMES
        && !found.iter().any(|found| found.has_parameters)
    {
        return Vec::new();
    }
    // How an instance is made tells the class of a file, too.
    let makes_instance = found
        .iter()
        .any(|found| found.makes_instance && found.has_parameters);
    found.retain(|found| says_more(found) || !makes_instance);
    found
}

/// Returns the name that a line of code defines, and whether it is the name of a class. `class` is the name of
/// the class before it.
pub(super) fn defined_name<'t>(line: &'t str, class: &str) -> Option<DefinedName<'t>> {
    let indent = indent_width(line);
    if indent > MOST_MEMBER_INDENT {
        return None;
    }
    let Some(definition) = Definition::of(line.trim(), class).filter(|_| indent <= MOST_INDENT)
    else {
        return method_name(line.trim());
    };
    let says_little = definition.makes_instance || PASSING_NAMES.contains(&definition.name);
    (!says_little).then_some(DefinedName {
        name: definition.name,
        is_class: definition.is_class,
    })
}

/// Returns the name of a method that others may use, as C# and Java write it: `public void Run(int speed)`.
fn method_name(line: &str) -> Option<DefinedName<'_>> {
    let (mut text, mut is_shared) = (line, false);
    while let Some((word, rest)) = text.split_once(' ')
        && SIGNATURE_MODIFIERS.contains(&word)
    {
        is_shared |= SHARING_MODIFIERS.contains(&word);
        text = rest.trim_start();
    }
    let (kind, rest) = text.split_once(' ')?;
    let name = name_at(rest);
    let is_kind = kind
        .chars()
        .all(|c| c.is_alphanumeric() || "_<>[],.?".contains(c));
    let is_method = is_shared && is_kind && !name.is_empty() && rest[name.len()..].starts_with('(');
    is_method.then_some(DefinedName {
        name,
        is_class: false,
    })
}

/// A name that a line of code defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DefinedName<'t> {
    pub(super) name: &'t str,
    pub(super) is_class: bool,
}

/// A definition of a file.
pub(super) struct FoundDefinition {
    pub(super) text: String,
    pub(super) name: String,
    has_parameters: bool,
    /// It has the name of the file.
    names_file: bool,
    /// It says how an instance of a class is made.
    makes_instance: bool,
}

/// Number of definitions without parameters that say something about a file.
const LEAST_NAMES: usize = 3;

/// Returns true if something stands in the brackets of a signature.
fn has_parameters(signature: &str) -> bool {
    let inner = signature.split_once('(').map_or("", |(_, inner)| inner);
    inner.starts_with(|c: char| c.is_alphanumeric() || "{[_&*$@".contains(c))
}

/// Returns the number of blanks before a line. A tab counts as a step of an indent.
fn indent_width(line: &str) -> usize {
    let tabs = line.bytes().take_while(|byte| *byte == b'\t').count();
    line.len() - line.trim_start().len() + tabs * (MOST_INDENT - 1)
}

/// A line of code that defines something.
struct Definition<'t> {
    /// The line without what only says who may use it.
    text: &'t str,
    name: &'t str,
    is_class: bool,
    /// Other files may use it.
    is_shared: bool,
    /// It says how an instance of the class before it is made.
    makes_instance: bool,
}

impl<'t> Definition<'t> {
    /// Reads a line. `class` is the name of the class before it.
    fn of(line: &'t str, class: &str) -> Option<Self> {
        let (mut text, mut is_shared) = (line, false);
        while let Some((word, rest)) = text.split_once(' ') {
            if !SIGNATURE_MODIFIERS.contains(&word) {
                break;
            }
            is_shared |= SHARING_MODIFIERS.contains(&word);
            text = rest.trim_start();
        }
        let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
        let name = name_at(rest);
        if SIGNATURE_WORDS.contains(&first) && !name.is_empty() {
            let is_value = matches!(first, "const" | "let" | "var" | "type");
            let is_class = matches!(first, "class" | "struct" | "record" | "interface");
            let makes_instance = name == "__init__";
            return (!is_value || is_shared).then_some(Self {
                text,
                name,
                is_class,
                is_shared: is_shared || is_class,
                makes_instance,
            });
        }
        // `public Pump(int speed)`, `constructor(speed) {`
        let name = name_at(text);
        let is_constructor = (is_shared && name == class) || name == "constructor";
        let is_call = text[name.len()..].starts_with('(') && text.ends_with(['{', ')']);
        (!class.is_empty() && is_constructor && is_call).then_some(Self {
            text,
            name,
            is_class: false,
            is_shared: true,
            makes_instance: true,
        })
    }

    /// Returns the line up to the body, with the parameters that stand in the lines `below`.
    fn signature(&self, below: &[&str]) -> Option<String> {
        let mut text = self.text.to_owned();
        for line in below.iter().take(MOST_PARAMETER_LINES) {
            if text.matches('(').count() <= text.matches(')').count() {
                break;
            }
            if !text.ends_with('(') && !line.trim_start().starts_with(')') {
                text.push(' ');
            }
            text.push_str(line.trim());
        }
        let ends = BODY_OPENINGS.iter().filter_map(|mark| {
            let at = text.rfind(mark)?;
            // A parameter may be an object, too.
            let opens_body = text[at..].trim_end().ends_with(['{', '[', '(', '>', ';']);
            opens_body.then_some(at)
        });
        let end = ends.min().unwrap_or(text.len());
        let text = text[..end].trim_end_matches(['{', ':', ' ', '=', ';']);
        let text = text
            .replace("(self, ", "(")
            .replace("(self)", "()")
            .replace(",)", ")");
        let text = clip_line(&text, LONGEST_DEFINITION)?.into_owned();
        (!has_frame_tag(&text)).then_some(text)
    }
}

/// What stands between a signature and its body.
const BODY_OPENINGS: [&str; 4] = [" => ", " = {", " = [", " {"];
/// Maximum number of lines below a definition that hold its parameters.
const MOST_PARAMETER_LINES: usize = 8;

/// Returns the name that a text begins with.
fn name_at(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definitions_of(text: &str) -> String {
        let found = definitions_in(text, "tank");
        let texts: Vec<String> = found.into_iter().map(|found| found.text).collect();
        texts.join(" | ")
    }

    #[test]
    fn what_a_file_defines_is_found_in_many_languages() {
        for (text, wanted) in [
            (
                "import os\n\nclass Pump(Base):\n    def __init__(self, speed: int):\n        self.speed = speed\n    def run(self):\n        pass\n\ndef start(pump):\n    def inner():\n        pass\n",
                "class Pump(Base) | def __init__(speed: int) | def start(pump)",
            ),
            (
                "import React from 'react';\nconst secret = 7;\nexport const Layout = ({ children }: LayoutProps) => {\n  const inner = 1;\n};\nexport default function Page({ a, b }) {\n}\n",
                "const Layout = ({ children }: LayoutProps) | function Page({ a, b })",
            ),
            (
                "namespace A {\n    public class ModifyCardGA : GameAction\n    {\n        public int power;\n        public ModifyCardGA(CardClick2 card, int powerMod)\n        {\n        }\n    }\n}\n",
                "class ModifyCardGA : GameAction | ModifyCardGA(CardClick2 card, int powerMod)",
            ),
            (
                "pub struct Pump {\n    pub speed: u32,\n}\n\nimpl Pump {\n    pub fn set_speed(&mut self, speed: u32) {\n    }\n    fn hidden(&self) {}\n}\n",
                "struct Pump | fn set_speed(&mut self, speed: u32)",
            ),
            (
                "func Run(speed int) error {\n}\n",
                "func Run(speed int) error",
            ),
            (
                "export async function runPump(\n  session: Session,\n  speed: number,\n): Promise<void> {\n}\n",
                "function runPump(session: Session, speed: number): Promise<void>",
            ),
            ("def main():\n    run()\n", ""),
            ("def test_pump():\n    run()\n", ""),
            ("It defines a class of words.\nclass\nconst x = 1;", ""),
        ] {
            assert_eq!(definitions_of(text), wanted, "{text}");
        }
    }
}
