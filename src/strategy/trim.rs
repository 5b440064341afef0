//! What of the summarised messages reaches the summarizer (spec: deepagents,
//! section 5, `trim_tokens_to_summarize`): the last messages that fit, the one
//! before them in part, beginning with a user message where that leaves any.

use crate::tokens::Ledger;
use crate::transcript::view::{ContentPiece, TranscriptView};
use crate::transcript::{Content, Role};

/// What the summarizer sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The messages, in order.
    pub messages: Vec<usize>,
    /// What is left of the first of them, where it is there only in part.
    pub first_text: Option<String>,
}

/// The window on `messages` of at most `limit` tokens; 0 = all.
#[must_use]
pub fn window(
    view: TranscriptView<'_, '_>,
    ledger: &Ledger<'_>,
    messages: &[usize],
    limit: u64,
) -> Window {
    if limit == 0 {
        return Window {
            messages: messages.to_vec(),
            first_text: None,
        };
    }
    // Newest first, as the reference counts: reported usage scales by what comes before it in that order.
    // Scaled counts need not grow with the list, so the search is the reference's, step by step.
    let tokens = |count: usize| {
        ledger.list_tokens(
            view,
            messages[messages.len() - count..].iter().rev().copied(),
        ) as u64
    };
    let (mut fitting, mut most) = (0, messages.len());
    if tokens(most) <= limit {
        fitting = most;
    }
    while fitting < most {
        let middle = (fitting + most).div_ceil(2);
        if tokens(middle) <= limit {
            fitting = middle
        } else {
            most = middle - 1
        }
    }
    let start = messages.len() - fitting;
    let used = tokens(fitting);
    let mut window = Window {
        messages: messages[start..].to_vec(),
        first_text: None,
    };
    if start > 0 {
        let index = messages[start - 1];
        if let Some(rest) = last_part(view, ledger, index, limit - used) {
            window.messages.insert(0, index);
            window.first_text = Some(rest);
        }
    }
    let first_user = window
        .messages
        .iter()
        .position(|&index| view.message(index).role == Role::User);
    match first_user {
        Some(0) => window,
        Some(at) => Window {
            messages: window.messages.split_off(at),
            first_text: None,
        },
        // Dropping all would leave nothing to summarise: the window stays as it is.
        None if !window.messages.is_empty() => window,
        None => last_chars(view, ledger, messages, limit),
    }
}

/// The end of a message that costs at most `limit` tokens: whole blocks of a list, else whole lines of its text.
fn last_part(
    view: TranscriptView<'_, '_>,
    ledger: &Ledger<'_>,
    index: usize,
    limit: u64,
) -> Option<String> {
    let pieces = view.content_pieces(index);
    let is_list = matches!(view.message(index).content, Content::Blocks(_));
    let last = if is_list {
        pieces.len().saturating_sub(1)
    } else {
        0
    };
    if is_list {
        for from in 1..pieces.len() {
            let text: String = pieces[from..]
                .iter()
                .filter_map(|piece| piece.text())
                .collect();
            if ledger
                .counter
                .count_message_as(view, index, &pieces[from..], true) as u64
                <= limit
            {
                return Some(text);
            }
        }
    }
    let text = pieces.get(last).and_then(|piece| piece.text())?;
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    if text.ends_with('\n') {
        lines.push(""); // the reference splits after each break: an empty rest may be all that fits
    }
    let fits = |from: usize| cost_of_text(view, ledger, index, &lines[from..].concat()) <= limit;
    // Monotone: fewer lines cost less.
    let from = partition(lines.len(), fits);
    (from < lines.len()).then(|| lines[from..].concat())
}

/// Where not even a part of one message fits: the end of the last one, by code points.
fn last_chars(
    view: TranscriptView<'_, '_>,
    ledger: &Ledger<'_>,
    messages: &[usize],
    limit: u64,
) -> Window {
    let Some(&index) = messages.last() else {
        return Window {
            messages: Vec::new(),
            first_text: None,
        };
    };
    let text = view.joined_text(index, "");
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let from = partition(starts.len(), |from| {
        cost_of_text(view, ledger, index, &text[starts[from]..]) <= limit
    });
    let rest = starts.get(from).map_or("", |&at| &text[at..]);
    Window {
        messages: vec![index],
        first_text: Some(rest.to_owned()),
    }
}

/// The smallest index from which `fits` holds.
fn partition(len: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low.midpoint(high);
        if fits(middle) {
            high = middle
        } else {
            low = middle + 1
        }
    }
    low
}

/// Tokens of message `index` with only this text as its content.
fn cost_of_text(
    view: TranscriptView<'_, '_>,
    ledger: &Ledger<'_>,
    index: usize,
    text: &str,
) -> u64 {
    ledger
        .counter
        .count_message_as(view, index, &[ContentPiece::Text(text)], false) as u64
}
