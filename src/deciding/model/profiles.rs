//! The limits that releases of Deep Agents had: the profiles of models in the packages of LangChain
//! that were current then.

use super::table::{ModelRow, parse_limits};
use crate::base::names::names;
use serde::{Deserialize, Serialize};

/// A release of Deep Agents whose profiles are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum ProfileRelease {
    /// None: the embedded table.
    #[serde(rename = "none")]
    None,
    /// Deep Agents 0.4.3.
    #[serde(rename = "0.4.3")]
    V043,
    /// Deep Agents 0.7.32.
    #[serde(rename = "0.7.32")]
    V0732,
}

names!(pub ProfileRelease::name: None "none", V043 "0.4.3", V0732 "0.7.32");

impl ProfileRelease {
    /// All values, in the order in which help lists them.
    pub const ALL: [Self; 3] = [Self::None, Self::V043, Self::V0732];

    /// Returns the table of the release.
    fn table(self) -> &'static str {
        match self {
            Self::None => "",
            Self::V043 => include_str!("profiles-0.4.3.tsv"),
            Self::V0732 => include_str!("profiles-0.7.32.tsv"),
        }
    }

    /// Returns the origin of the table, which is the first line of its file.
    pub(crate) fn origin(self) -> &'static str {
        let first = self.table().lines().next().unwrap_or_default();
        first.trim_start_matches("# ")
    }

    /// Returns the rows of the release, without those that `custom` has too.
    pub(crate) fn rows_beside(self, custom: &[ModelRow]) -> Vec<ModelRow> {
        let rows = parse_limits(self.table()).unwrap_or_default().into_iter();
        rows.filter(|row| {
            !custom.iter().any(|known| (&known.provider, &known.name) == (&row.provider, &row.name))
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::model::Models;

    #[test]
    fn each_release_has_its_own_limits() {
        let limit = |release: ProfileRelease, name: &str| {
            let models = Models::default().with_profiles(release);
            models.lookup(name).map(|model| model.max_input_tokens)
        };
        let opus = "anthropic:claude-opus-4-6";
        assert_eq!(limit(ProfileRelease::V043, opus), Some(200_000));
        assert_eq!(limit(ProfileRelease::V0732, opus), Some(1_000_000));
        assert_eq!(limit(ProfileRelease::None, opus), Some(1_000_000));
        for release in ProfileRelease::ALL {
            assert_eq!(limit(release, "openai:gpt-5"), Some(272_000));
        }
        // The packages look a name up as it is written.
        let dated = "openai:gpt-4.1-2025-04-14";
        assert_eq!(limit(ProfileRelease::V0732, dated), None);
        assert_eq!(limit(ProfileRelease::None, dated), Some(1_047_576));
        let models = Models::default().with_profiles(ProfileRelease::V0732);
        let resolved = models.resolve("gpt-4.1-2025-04-14");
        assert_eq!(resolved.provider.as_deref(), Some("openai"));
        assert_eq!(resolved.nearest.first().map(String::as_str), Some("gpt-4.1"));
        let own = "provider\tmodel\tcontext\tinput\toutput\nanthropic\tclaude-opus-4-6\t5000\t\t\n";
        let rows = ProfileRelease::V043.rows_beside(&parse_limits(own).unwrap());
        assert!(!rows.iter().any(|row| row.name == "claude-opus-4-6"));
    }

    #[test]
    fn tables_say_where_they_come_from() {
        for release in [ProfileRelease::V043, ProfileRelease::V0732] {
            assert!(release.origin().contains(release.name()));
            assert!(release.rows_beside(&[]).len() > 50);
        }
    }
}
