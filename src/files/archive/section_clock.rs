//! The time that the sections of a history bear.

use crate::reading::transcript::Transcript;
use crate::reading::transcript::message_time::LastTime;
use time::OffsetDateTime;

/// The source of the time that the sections of a history bear.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SectionClock {
    /// The time of the run.
    Run(OffsetDateTime),
    /// The time of the conversation's last message that has one, else this time, if there is one.
    Record(Option<OffsetDateTime>),
}

impl SectionClock {
    /// Returns the time of the sections of a conversation; none if nothing dates it.
    pub(crate) fn time_of(self, transcript: &Transcript<'_>) -> Option<OffsetDateTime> {
        match self {
            Self::Run(time) => Some(time),
            Self::Record(fallback) => last_message_time(transcript).or(fallback),
        }
    }
}

fn last_message_time(transcript: &Transcript<'_>) -> Option<OffsetDateTime> {
    if !transcript.may_have_times() {
        return None;
    }
    let mut times = LastTime::default();
    let messages = transcript.messages.iter().rev();
    let seconds = messages.filter_map(|message| times.time_of(transcript, message)).next()?;
    // Logs have microseconds at most, and a 64-bit float has hardly more.
    #[expect(clippy::cast_possible_truncation)]
    let micros = (seconds * 1e6).round() as i128;
    OffsetDateTime::from_unix_timestamp_nanos(micros * 1000).ok()
}
