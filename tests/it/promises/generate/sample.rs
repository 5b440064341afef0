//! An input file, and everything that the tests know of it.

/// The key that tells a message in the output from others: it is the tests' own, no format knows
/// it.
pub(crate) const TAG: &str = "x_tag";
/// How the key of a thread is called in files of one message a line.
pub(crate) const THREAD_KEY: &str = "session_id";

/// What the tests know of one message.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) tag: u64,
    pub(crate) raw: String,
    pub(crate) role: &'static str,
    /// Its text, blocks joined by nothing, as archives show it.
    pub(crate) text: String,
    /// Its text, blocks joined by line breaks, as evicted files hold it.
    pub(crate) lines: String,
    /// Ids of its calls; a call without one is not listed.
    pub(crate) calls: Vec<String>,
    pub(crate) legacy_call: bool,
    pub(crate) answers: Option<String>,
    pub(crate) earlier_summary: bool,
    /// Stands at the end of its text and nowhere else.
    pub(crate) mark: Option<String>,
}

/// One conversation of a file.
#[derive(Debug, Clone)]
pub(crate) struct Thread {
    pub(crate) messages: Vec<Message>,
    /// The line where its first record begins, in files of lines.
    pub(crate) line: u64,
    /// The key value that its lines share, as spelled, in files of one message a line.
    pub(crate) key: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One conversation a line.
    Lines,
    /// A JSON array of conversations.
    Array,
    /// A JSON array of messages.
    Messages,
    /// One message a line, of one thread or of several.
    MessageLines,
}

/// A record that can't be read.
#[derive(Debug, Clone)]
pub(crate) struct Bad {
    pub(crate) bytes: Vec<u8>,
}

/// One input file and what is in it.
#[derive(Clone)]
pub(crate) struct Sample {
    pub(crate) shape: Shape,
    pub(crate) bytes: Vec<u8>,
    /// The bytes that leave where nothing is changed: without byte order mark and without the `\r`
    /// of line ends.
    pub(crate) untouched: Vec<u8>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) bad: Vec<Bad>,
}

impl std::fmt::Debug for Sample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:?}, {} threads, {} bad:\n{}",
            self.shape,
            self.threads.len(),
            self.bad.len(),
            String::from_utf8_lossy(&self.bytes)
        )
    }
}
