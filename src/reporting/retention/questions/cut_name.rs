//! The name of a cut: `THREAD@MESSAGE` or `THREAD@SHARE%`.

use crate::reporting::retention::cut::SessionCut;
use crate::reporting::retention::passage::Passage;
use serde::Deserialize;

/// The place of a cut in its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CutPlace {
    /// Before this message, counted from 0.
    Message(usize),
    /// After so many hundredths of the messages.
    Percent(usize),
}

/// The name of a cut.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct CutName {
    /// The id of the session.
    pub thread_id: String,
    place: CutPlace,
    /// The whole name.
    pub text: String,
}

impl TryFrom<String> for CutName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let place = |place: &str| match place.strip_suffix('%') {
            Some(share) => {
                let percent = share.parse().ok().filter(|percent| (1..100).contains(percent));
                percent.map(CutPlace::Percent)
            }
            None => place.parse().ok().map(CutPlace::Message),
        };
        // Ids may hold an `@`, too.
        let parts = text.rsplit_once('@');
        match parts.and_then(|(thread, at)| Some((thread.to_owned(), place(at)?))) {
            Some((thread_id, place)) => Ok(Self { thread_id, place, text }),
            None => Err(format!(
                "the cut {text} is neither THREAD@MESSAGE, such as support-7@22, nor THREAD@SHARE%, such as support-7@60%"
            )),
        }
    }
}

impl CutName {
    /// Returns the cut of this name, before the first assistant message from its place on.
    ///
    /// Returns `None` if there is no such message, or too little to compact before it.
    pub(crate) fn find(&self, passages: &[Passage]) -> Option<SessionCut> {
        match self.place {
            CutPlace::Message(end) => SessionCut::before_message(passages, end),
            CutPlace::Percent(percent) => SessionCut::after_share(passages, percent, 100),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::transcript::Role;

    #[test]
    fn a_cut_is_named_by_message_or_by_share() {
        let name = |text: &str| CutName::try_from(text.to_owned());
        assert_eq!(name("a@b@7").unwrap().thread_id, "a@b");
        for wrong in ["a", "a@", "a@x", "a@0%", "a@100%", "a@-1", "a@1.5%"] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
        let roles = [Role::User, Role::Assistant].repeat(10);
        let passages: Vec<Passage> =
            roles.into_iter().map(|role| Passage::new(role, String::new(), Vec::new())).collect();
        let end = |text: &str| name(text).unwrap().find(&passages).map(|cut| cut.end);
        assert_eq!([end("a@10"), end("a@11"), end("a@50%")], [Some(11); 3]);
        assert_eq!([end("a@3"), end("a@20")], [None; 2]);
    }
}
