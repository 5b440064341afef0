//! The colours of text for a terminal.

use crate::deciding::plan::Fate;
use anstyle::{AnsiColor, Style};

/// Paints text, or leaves it as it is where nobody asked for colour.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Palette {
    is_colored: bool,
}

impl Palette {
    /// A palette that paints if `is_colored`.
    pub(crate) fn new(is_colored: bool) -> Self {
        Self { is_colored }
    }

    /// Returns text that stands out: headings and results.
    pub(crate) fn strong(self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    /// Returns text that steps back.
    pub(crate) fn faint(self, text: &str) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    /// Returns text in the colour of a fate. What is kept has none.
    pub(crate) fn fate(self, fate: Fate, text: &str) -> String {
        let color = match fate {
            Fate::Kept => return text.to_owned(),
            Fate::Evicted => AnsiColor::Cyan,
            Fate::Truncated => AnsiColor::Yellow,
            Fate::Pruned => AnsiColor::Magenta,
            Fate::Summarized => AnsiColor::Blue,
        };
        self.paint(color.on_default(), text)
    }

    fn paint(self, style: Style, text: &str) -> String {
        if self.is_colored {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_painted_only_where_asked_for() {
        assert_eq!(Palette::new(false).strong("a"), "a");
        assert_eq!(Palette::new(true).strong("a"), "\u{1b}[1ma\u{1b}[0m");
        assert_eq!(Palette::new(true).fate(Fate::Kept, "kept"), "kept");
        assert_eq!(
            Palette::new(true).fate(Fate::Summarized, "summarized"),
            "\u{1b}[34msummarized\u{1b}[0m"
        );
    }
}
