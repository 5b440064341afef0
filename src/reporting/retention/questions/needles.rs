//! The needles of a question, and the mark that they give a summary.

use super::needle::{FoldedLine, LineKind, Needle, WrittenNeedle, fold_lines};
use crate::reporting::retention::ratio::Mark;
use serde::Deserialize;
use std::collections::BTreeSet;

/// The characters within which groups count as together, unless a question says otherwise.
const NEAR: usize = 300;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenNeedles {
    groups: Vec<Vec<WrittenNeedle>>,
    #[serde(default = "WrittenTogether::anywhere")]
    line: WrittenTogether,
    min: Option<usize>,
    #[serde(default)]
    not: Vec<WrittenStale>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "`line` is true, or a number of characters")]
enum WrittenTogether {
    Line(bool),
    Near(usize),
}

impl WrittenTogether {
    fn anywhere() -> Self {
        Self::Line(false)
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "an entry of `not` is a needle, or an object of `has` and `unless`")]
enum WrittenStale {
    Always(WrittenNeedle),
    Unless { has: WrittenNeedle, unless: Vec<WrittenNeedle> },
}

/// What a summary must not say: what is stale or was refused, as if it held.
#[derive(Debug)]
struct Stale {
    has: Needle,
    /// What makes it right again.
    unless: Vec<Needle>,
}

/// What a summary must hold to answer a question.
#[derive(Debug, Deserialize)]
#[serde(try_from = "WrittenNeedles")]
pub(super) struct Needles {
    /// Of each group one needle is enough.
    groups: Vec<Vec<Needle>>,
    /// The characters within which the groups must stand, unless on one line.
    together: Option<usize>,
    /// The number of groups that is enough.
    enough: usize,
    stale: Vec<Stale>,
}

impl TryFrom<WrittenNeedles> for Needles {
    type Error = String;

    fn try_from(written: WrittenNeedles) -> Result<Self, String> {
        let all = |needles: Vec<WrittenNeedle>| -> Result<Vec<Needle>, String> {
            needles.into_iter().map(Needle::try_from).collect()
        };
        if written.groups.is_empty() || written.groups.iter().any(Vec::is_empty) {
            return Err("`groups` must hold lists of needles, none of them empty".to_owned());
        }
        let enough = written.min.unwrap_or(usize::MAX).min(written.groups.len());
        if enough == 0 {
            return Err("`min` must be 1 or more".to_owned());
        }
        let stale = written.not.into_iter().map(|stale| {
            let (has, unless) = match stale {
                WrittenStale::Always(has) => (has, Vec::new()),
                WrittenStale::Unless { has, unless } => (has, unless),
            };
            Ok::<_, String>(Stale { has: has.try_into()?, unless: all(unless)? })
        });
        Ok(Self {
            stale: stale.collect::<Result<_, _>>()?,
            together: match written.line {
                WrittenTogether::Line(together) => together.then_some(NEAR),
                WrittenTogether::Near(characters) => Some(characters),
            },
            enough,
            groups: written.groups.into_iter().map(all).collect::<Result<_, _>>()?,
        })
    }
}

/// A place of a needle, in characters from the beginning of all lines that count.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Hit {
    start: usize,
    end: usize,
    line: usize,
    group: usize,
}

impl Needles {
    /// Marks the text of a summary. Fails if a pattern takes too many steps.
    pub(super) fn mark(&self, summary: &str) -> Result<Mark, String> {
        let mut lines = fold_lines(summary);
        // In halves, because a bare list is worth half.
        let halves = match self.together {
            Some(near) => {
                lines.retain(|line| line.kind == LineKind::Text);
                2 * self.most_together(&lines, near)?
            }
            None => self.halves_anywhere(&lines)?,
        };
        let mut misleads = false;
        for stale in &self.stale {
            misleads |= has_any([&stale.has], &lines)? && !has_any(&stale.unless, &lines)?;
        }
        Ok(Mark::new(halves, self.enough, misleads))
    }

    /// Returns the halves of groups that are met: two on a line that relates or lists files, one in
    /// a bare list.
    fn halves_anywhere(&self, lines: &[FoldedLine]) -> Result<usize, String> {
        let bare = |line: &&FoldedLine| line.kind == LineKind::BareList;
        let mut halves = 0;
        for group in &self.groups {
            if has_any(group, lines.iter().filter(|line| !bare(line)))? {
                halves += 2;
            } else if has_any(group, lines.iter().filter(bare))? {
                halves += 1;
            }
        }
        Ok(halves)
    }

    /// Returns the most groups that are on one line, or within `near` characters.
    fn most_together(&self, lines: &[FoldedLine], near: usize) -> Result<usize, String> {
        let hits = self.hits(lines)?;
        let groups = |hits: &mut dyn Iterator<Item = &Hit>| {
            hits.map(|hit| hit.group).collect::<BTreeSet<_>>().len()
        };
        let most = hits.iter().enumerate().map(|(number, first)| {
            let behind = &hits[number..];
            let on_line = groups(&mut behind.iter().filter(|hit| hit.line == first.line));
            let reach = first.start + near;
            let within = behind.iter().take_while(|hit| hit.start <= reach);
            on_line.max(groups(&mut within.filter(|hit| hit.end <= reach)))
        });
        Ok(most.max().unwrap_or(0))
    }

    /// Returns all places of all groups, in order.
    fn hits(&self, lines: &[FoldedLine]) -> Result<Vec<Hit>, String> {
        let mut hits = Vec::new();
        let mut before = 0;
        for (line, folded) in lines.iter().enumerate() {
            for (group, needles) in self.groups.iter().enumerate() {
                for needle in needles {
                    let places = needle.places(&folded.text)?.into_iter();
                    hits.extend(places.map(|place| Hit {
                        start: before + place.start,
                        end: before + place.end,
                        line,
                        group,
                    }));
                }
            }
            before += folded.text.chars().count() + 1;
        }
        hits.sort_unstable();
        Ok(hits)
    }
}

/// Returns true if one of these needles is on one of these lines.
fn has_any<'a>(
    needles: impl IntoIterator<Item = &'a Needle>,
    lines: impl IntoIterator<Item = &'a FoldedLine> + Clone,
) -> Result<bool, String> {
    for needle in needles {
        for line in lines.clone() {
            if !needle.places(&line.text)?.is_empty() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn needles(written: Value) -> Result<Needles, String> {
        serde_json::from_value(written).map_err(|error| error.to_string())
    }

    fn share(written: Value, summary: &str) -> f64 {
        needles(written).unwrap().mark(summary).unwrap().share
    }

    /// A list of 15 names, of which the last is `b7`.
    fn bare_list() -> String {
        let names: Vec<String> = (0..14).map(|number| format!("name_{number}")).collect();
        names.join(" ") + " b7"
    }

    #[test]
    fn part_of_an_answer_is_worth_less_than_its_share() {
        let both = || json!({"groups": [["a1", "alpha"], ["b7"]]});
        assert_eq!(share(both(), "Alpha and b7"), 1.0);
        assert_eq!(share(both(), "alpha\n\nb7"), 1.0);
        assert_eq!(share(both(), "only a1"), 0.4);
        assert_eq!(share(both(), "neither"), 0.0);
        assert_eq!(share(json!({"groups": [["a1"], ["b7"]], "min": 1}), "b7"), 1.0);
    }

    #[test]
    fn bare_lists_count_half_and_lists_of_files_whole() {
        let one = || json!({"groups": [["b7"]]});
        assert_eq!(share(one(), &bare_list()), 0.4);
        assert_eq!(share(one(), &format!("written: {}", bare_list())), 1.0);
        let line = json!({"groups": [["b7"]], "line": true});
        assert_eq!(share(line, &format!("written: {}", bare_list())), 0.0);
    }

    #[test]
    fn groups_that_belong_together_stand_on_a_line_or_near_each_other() {
        let near = |near: Value| json!({"groups": [["a1"], ["b7"]], "line": near});
        let far = "x".repeat(400);
        assert_eq!(share(near(json!(true)), &format!("a1 {far} b7")), 1.0);
        assert_eq!(share(near(json!(true)), &format!("a1\n{far}\nb7")), 0.4);
        assert_eq!(share(near(json!(500)), &format!("a1\n{far}\nb7")), 1.0);
        assert_eq!(share(near(json!(5)), "a1\nb7"), 1.0);
        assert_eq!(share(near(json!(4)), "a1\nb7"), 0.4);
        assert_eq!(share(near(json!(false)), &format!("a1\n{far}\nb7")), 1.0);
        let list = bare_list();
        let apart = format!("a1\n{list} {list} {list}\nb7");
        assert_eq!(share(near(json!(5)), &apart), 1.0, "a bare list takes no room");
    }

    #[test]
    fn what_is_stale_misleads_unless_it_is_put_right() {
        let misleads = |not: Value, summary: &str| {
            let needles = needles(json!({"groups": [["x"]], "not": [not]})).unwrap();
            needles.mark(summary).unwrap().misleads
        };
        assert!(misleads(json!("re:open.{0,9}ticket"), "An OPEN ticket"));
        let unless = || json!({"has": "upgrade", "unless": ["refused", "undone"]});
        assert!(misleads(unless(), "Upgrade both"));
        assert!(!misleads(unless(), "Upgrade both\nIt was refused."));
    }

    #[test]
    fn what_is_no_needle_is_told() {
        for (written, told) in [
            (json!({"groups": []}), "none of them empty"),
            (json!({"groups": [[]]}), "none of them empty"),
            (json!({"groups": [["a"]], "min": 0}), "`min` must be 1 or more"),
            (json!({"groups": [["a"]], "lines": true}), "unknown field `lines`"),
            (json!({"groups": [["a"]], "line": "yes"}), "`line` is true, or a number"),
            (json!({"groups": [["a", 7]]}), "a needle is a string, or a list"),
            (json!({"groups": [["re:("]]}), "can't be used"),
            (json!({"groups": [["a"]], "not": [{"has": "b"}]}), "`has` and `unless`"),
        ] {
            let error = needles(written.clone()).unwrap_err();
            assert!(error.contains(told), "{written}: {error}");
        }
    }

    proptest! {
        /// Marks are shares, more text is never worth less, and spelling changes nothing.
        #[test]
        fn marks_grow_with_the_text(
            lines in proptest::collection::vec("[ab1,. *|=\u{e9}\u{4e2d}]{0,40}", 0..8),
            more in "[ab1 \u{4e2d}]{0,60}",
            groups in proptest::collection::vec(
                proptest::collection::vec("(re:)?[ab1\u{4e2d}]{1,3}", 1..3), 1..4),
            line in prop_oneof![Just(json!(false)), Just(json!(true)), (1usize..50).prop_map(|near| json!(near))],
        ) {
            let needles = needles(json!({"groups": groups, "line": line})).unwrap();
            let text = lines.join("\n");
            let mark = needles.mark(&text).unwrap();
            prop_assert!((0.0..=1.0).contains(&mark.share));
            let longer = needles.mark(&format!("{text}\n{more}")).unwrap();
            prop_assert!(longer.share >= mark.share);
            let folded: Vec<String> = fold_lines(&text).into_iter().map(|line| line.text).collect();
            prop_assert_eq!(needles.mark(&folded.join("\n")).unwrap(), mark);
        }
    }
}
