//! The summarized messages that reach the summarizer: the last messages that
//! fit a limit and the end of the one before them, starting at a user message if
//! there is one. The rules are Deep Agents', see `docs/reference/deepagents.md`.

use crate::deciding::strategy::prelude::*;

/// The messages that the summarizer reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrimmedWindow {
    /// The indices of the messages, in order.
    pub messages: Vec<usize>,
    /// The rest of the first message's text, if the message was trimmed.
    pub first_text: Option<String>,
}

impl TrimmedWindow {
    /// Returns a window of untrimmed messages.
    fn untrimmed(messages: Vec<usize>) -> Self {
        Self { messages, first_text: None }
    }
}

/// Trims `messages` to the last ones that fit `limit` tokens. 0 is no limit.
pub(crate) fn trim_window(
    view: TranscriptView<'_, '_>,
    ledger: &Ledger<'_>,
    messages: &[usize],
    limit: u64,
) -> TrimmedWindow {
    if limit == 0 {
        return TrimmedWindow::untrimmed(messages.to_vec());
    }
    let trimming = Trimming { view, ledger, limit };
    let (fitting, used) = trimming.count_fitting(messages);
    let start = messages.len() - fitting;
    let mut window = TrimmedWindow::untrimmed(messages[start..].to_vec());
    if start > 0 {
        let index = messages[start - 1];
        if let Some(rest) = (Trimming { limit: limit - used, ..trimming }).fitting_end(index) {
            window.messages.insert(0, index);
            window.first_text = Some(rest);
        }
    }
    let first_user =
        window.messages.iter().position(|&index| view.message(index).role == Role::User);
    match first_user {
        Some(0) => window,
        Some(at) => TrimmedWindow::untrimmed(window.messages.split_off(at)),
        // Without a user message all would be dropped, so the window stays as it is.
        None if !window.messages.is_empty() => window,
        None => trimming.fitting_chars(messages),
    }
}

/// The search for what fits a number of tokens.
#[derive(Clone, Copy)]
struct Trimming<'s, 'a> {
    view: TranscriptView<'s, 'a>,
    ledger: &'s Ledger<'s>,
    limit: u64,
}

impl Trimming<'_, '_> {
    /// Returns how many of the last messages fit the limit, and their tokens.
    fn count_fitting(&self, messages: &[usize]) -> (usize, u64) {
        // The reference counts the newest message first: reported usage scales by what comes before it
        // in that order.
        let tokens_of_last = |count: usize| {
            let last = messages[messages.len() - count..].iter().rev().copied();
            self.ledger.list_tokens(self.view, last) as u64
        };
        // Scaled counts need not grow with the list, so the steps of the search must be those of the
        // reference.
        let (mut fitting, mut most) = (0, messages.len());
        if tokens_of_last(most) <= self.limit {
            fitting = most;
        }
        while fitting < most {
            let middle = (fitting + most).div_ceil(2);
            if tokens_of_last(middle) <= self.limit { fitting = middle } else { most = middle - 1 }
        }
        (fitting, tokens_of_last(fitting))
    }

    /// Returns the end of a message that costs at most the limit: whole blocks of a list, or whole
    /// lines of a text.
    fn fitting_end(&self, index: usize) -> Option<String> {
        let pieces = self.view.content_pieces(index);
        let is_list = matches!(self.view.message(index).content, Content::Blocks(_));
        let last = if is_list { pieces.len().saturating_sub(1) } else { 0 };
        if is_list {
            for from in 1..pieces.len() {
                let text: String = pieces[from..].iter().filter_map(|piece| piece.text()).collect();
                if self.ledger.counter.count_message_as(self.view, index, &pieces[from..], true)
                    as u64
                    <= self.limit
                {
                    return Some(text);
                }
            }
        }
        let text = pieces.get(last).and_then(|piece| piece.text())?;
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        if text.ends_with('\n') {
            // The reference splits after each line end, so an empty rest may be all that fits.
            lines.push("");
        }
        // Fewer lines cost less, so the search is monotone.
        let from = first_fitting(lines.len(), |from| {
            self.cost_of_text(index, &lines[from..].concat()) <= self.limit
        });
        (from < lines.len()).then(|| lines[from..].concat())
    }

    /// Returns the last code points of the last message that fit, for a limit that not even its last
    /// line fits.
    fn fitting_chars(&self, messages: &[usize]) -> TrimmedWindow {
        let Some(&index) = messages.last() else {
            return TrimmedWindow::untrimmed(Vec::new());
        };
        let text = self.view.joined_text(index, "");
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let from = first_fitting(starts.len(), |from| {
            self.cost_of_text(index, &text[starts[from]..]) <= self.limit
        });
        let rest = starts.get(from).map_or("", |&at| &text[at..]);
        TrimmedWindow { messages: vec![index], first_text: Some(rest.to_owned()) }
    }

    /// Returns the tokens of message `index` with only this text as its content.
    fn cost_of_text(&self, index: usize, text: &str) -> u64 {
        self.ledger.counter.count_message_as(self.view, index, &[ContentPiece::Text(text)], false)
            as u64
    }
}

/// Returns the smallest index for which `fits` is true, or `len`. It must be true for all larger
/// indices too.
fn first_fitting(len: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low.midpoint(high);
        if fits(middle) { high = middle } else { low = middle + 1 }
    }
    low
}
