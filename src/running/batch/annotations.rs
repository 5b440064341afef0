//! Messages that CI servers show beside the lines of a file.

use crate::settings::cli::AnnotationStyle;

/// The most annotations of a run: GitHub shows ten of a step.
const MAX_ANNOTATIONS: u64 = 10;

pub(super) struct Annotations {
    style: Option<AnnotationStyle>,
    written: u64,
}

impl Annotations {
    /// Begins with none. Without a style there never are any.
    pub(super) fn new(style: Option<AnnotationStyle>) -> Self {
        Self { style, written: 0 }
    }

    /// Returns a message as an annotation of its place, which it begins with (`file:line:column: `).
    /// Returns None if there is to be no annotation, or there are enough.
    pub(super) fn annotate(&mut self, file: &str, message: &str) -> Option<String> {
        let AnnotationStyle::Github = self.style?;
        if self.written == MAX_ANNOTATIONS {
            return None;
        }
        self.written += 1;
        let mut command = format!("::error file={}", escape_property(file));
        let place = message.strip_prefix(file).unwrap_or_default();
        let numbers = place.split(':').skip(1).map_while(|number| number.parse::<u64>().ok());
        for (name, number) in ["line", "col"].into_iter().zip(numbers) {
            command.push_str(&format!(",{name}={number}"));
        }
        Some(format!("{command},title=epitome::{}", escape_data(message)))
    }
}

/// Escapes the message of a workflow command.
fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_an_annotation_of_its_place() {
        let mut github = Annotations::new(Some(AnnotationStyle::Github));
        for (file, message, wanted) in [
            (
                "a.jsonl",
                "a.jsonl:3:7: not JSON: 100 %",
                "::error file=a.jsonl,line=3,col=7,title=epitome::a.jsonl:3:7: not JSON: 100 %25",
            ),
            ("a,b:1", "a,b:1:4: x", "::error file=a%2Cb%3A1,line=4,title=epitome::a,b:1:4: x"),
            (
                "a",
                "a: can't open it\n::error::x",
                "::error file=a,title=epitome::a: can't open it%0A::error::x",
            ),
        ] {
            assert_eq!(github.annotate(file, message).as_deref(), Some(wanted));
        }
        assert_eq!(Annotations::new(None).annotate("a", "a: x"), None);
        let more = (0..20).filter_map(|_| github.annotate("a", "a: x")).count();
        assert_eq!(more as u64, MAX_ANNOTATIONS - 3);
    }
}
