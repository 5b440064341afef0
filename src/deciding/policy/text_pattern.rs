//! Regular expressions as values of a policy.

use regex::Regex;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A regular expression that texts are searched for. It is spelled and compared as its source.
#[derive(Debug, Clone)]
pub struct TextPattern(Regex);

impl TextPattern {
    /// Parses a regular expression. Fails if it is none, with its parser's words.
    pub fn parse(source: &str) -> Result<Self, String> {
        Regex::new(source).map(Self).map_err(|error| {
            // Its parser shows the place on lines of their own.
            let words = error.to_string();
            let lines: Vec<&str> = words.split_whitespace().collect();
            format!("not a regular expression: {}", lines.join(" "))
        })
    }

    /// Returns true if the pattern is found in a text.
    pub fn is_found_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl PartialEq for TextPattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for TextPattern {}

impl Serialize for TextPattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

impl<'de> Deserialize<'de> for TextPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_searched_and_spelled_as_written() {
        let pattern = TextPattern::parse(r"(?i)todo|\bplan\b").unwrap();
        assert!(pattern.is_found_in("the Plan is"));
        assert!(!pattern.is_found_in("planned"));
        assert_eq!(serde_json::to_string(&pattern).unwrap(), r#""(?i)todo|\\bplan\\b""#);
        assert!(TextPattern::parse("(").unwrap_err().contains("unclosed"));
    }
}
