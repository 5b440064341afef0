//! Links between pages, their anchors, and the table of contents.

use super::page::{Page, pages};
use crate::harness::tree;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

const SUMMARY: &str = "docs/SUMMARY.md";
/// Folders and files whose text names pages of `docs/`.
const NAMING: [&str; 5] = ["src", "tests", "scripts", "fuzz/targets", ".ci"];

/// A link as it stands in a page.
struct Link {
    place: String,
    target: String,
}

#[test]
fn every_relative_link_leads_to_a_file_and_a_heading() {
    let mut pages = pages();
    pages.extend(["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].map(Page::open));
    let mut broken = Vec::new();
    for page in &pages {
        for link in links(page) {
            if link.target.contains("://") || link.target.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.target.split_once('#').unwrap_or((&link.target, ""));
            let path = resolve(&page.path, file);
            if page.path.starts_with("docs/") && !path.starts_with("docs/") {
                broken.push(format!(
                    "{}: {} leaves docs/, which the book can't",
                    link.place, link.target
                ));
            } else if !Path::new(env!("CARGO_MANIFEST_DIR")).join(&path).exists() {
                broken.push(format!("{}: there is no {path}", link.place));
            } else if !anchor.is_empty() && !anchors(&path).contains(anchor) {
                broken.push(format!("{}: {path} has no #{anchor}", link.place));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_table_of_contents_names_every_page_once() {
    let summary = Page::open(SUMMARY);
    let mut listed: Vec<String> =
        links(&summary).into_iter().map(|link| resolve(SUMMARY, &link.target)).collect();
    listed.sort();
    let mut existing: Vec<String> = pages().into_iter().map(|page| page.path).collect();
    existing.retain(|path| path.starts_with("docs/") && path != SUMMARY);
    existing.sort();
    assert_eq!(listed, existing);
}

#[test]
fn pages_that_code_and_scripts_name_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut missing = BTreeSet::new();
    for folder in NAMING {
        let files = tree(&root.join(folder)).into_iter();
        // Programs that tests install are others' own.
        for (name, bytes) in files.filter(|(name, _)| !name.contains("node_modules/")) {
            let text = String::from_utf8_lossy(&bytes);
            for part in text.split("docs/").skip(1) {
                let is_path = |c: char| c.is_ascii_alphanumeric() || "/-_.".contains(c);
                let path = &part[..part.find(|c| !is_path(c)).unwrap_or(part.len())];
                let named = path.strip_suffix('.').unwrap_or(path);
                let is_page = named.ends_with(".md") || named.ends_with(".json");
                if is_page && !root.join("docs").join(named).exists() {
                    missing.insert(format!("{folder}/{name}: docs/{named}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn source_files_that_pages_and_comments_name_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let of_folder = |folder: &str| {
        let files = tree(&root.join(folder)).into_iter();
        files.map(move |(name, bytes)| (format!("/{folder}/{name}"), bytes)).collect::<Vec<_>>()
    };
    let sources = ["src", "tests/it", "fuzz/targets", "scripts"].map(of_folder).concat();
    let mut pages = pages();
    pages.push(Page::open("CONTRIBUTING.md"));
    let pages = pages.into_iter().map(|page| (page.path, page.lines.join("\n")));
    let comments = sources
        .iter()
        .map(|(name, bytes)| (name.clone(), String::from_utf8_lossy(bytes).into_owned()));
    let mut missing = BTreeSet::new();
    for (name, text) in pages.chain(comments) {
        for span in text.lines().flat_map(|line| line.split('`').skip(1).step_by(2)) {
            let is_path = span.chars().all(|c| c.is_ascii_alphanumeric() || "/-_.".contains(c));
            let named = format!("/{span}");
            if is_path
                && span.ends_with(".rs")
                && !sources.iter().any(|(source, _)| source.ends_with(&named))
            {
                missing.insert(format!("{name}: {span}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Returns the links outside fenced blocks and code spans.
fn links(page: &Page) -> Vec<Link> {
    let mut links = Vec::new();
    let mut is_fenced = false;
    for (index, line) in page.lines.iter().enumerate() {
        if line.starts_with("```") {
            is_fenced = !is_fenced;
        }
        if is_fenced {
            continue;
        }
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("_");
        for part in prose.split("](").skip(1) {
            let end = part.find(')').unwrap_or(part.len());
            links.push(Link {
                place: format!("{}:{}", page.path, index + 1),
                target: part[..end].to_owned(),
            });
        }
    }
    links
}

/// Returns the path from the root that a link of a page leads to.
fn resolve(page: &str, target: &str) -> String {
    if target.is_empty() {
        return page.to_owned();
    }
    let mut path = PathBuf::from(page);
    path.pop();
    for component in Path::new(target).components() {
        match component {
            Component::ParentDir => assert!(path.pop(), "{page}: {target}"),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path.to_str().unwrap().to_owned()
}

/// Returns the anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(path: &str) -> BTreeSet<String> {
    let page = Page::open(path);
    let mut is_fenced = false;
    let mut anchors = BTreeSet::new();
    for line in &page.lines {
        is_fenced ^= line.starts_with("```");
        let title = line.trim_start_matches('#');
        if is_fenced || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = title.trim().chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
            _ => None,
        });
        anchors.insert(kept.collect());
    }
    anchors
}

#[test]
fn links_are_found_in_prose_only() {
    let page = Page {
        path: "manual/a/b.md".to_owned(),
        lines: ["[x](../c.md#d) `[y](e)` [z](#f)", "```", "[g](h)", "```"]
            .map(str::to_owned)
            .to_vec(),
    };
    let targets: Vec<String> = links(&page).into_iter().map(|link| link.target).collect();
    assert_eq!(targets, ["../c.md#d", "#f"]);
    assert_eq!(resolve("manual/a/b.md", "../c.md"), "manual/c.md");
    assert_eq!(resolve("manual/a/b.md", ""), "manual/a/b.md");
}
