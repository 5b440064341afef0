//! Reads the files that options and keys of the configuration name, also the tokenizer of a model and
//! its chat template, and makes their paths valid from every directory.

use crate::deciding::model::{Models, parse_limits};
use crate::deciding::policy::{CachePlace, Policy};
use crate::deciding::tokens::chat_template::ChatTemplateSource;
use crate::deciding::tokens::{ChatTemplate, TokenCounter, tokenizer_json};
use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};
use time::OffsetDateTime;

/// Adds a table of the user's own model limits to a policy. `option` is the option or key that
/// names the file. Fails if the file can't be read, or a line of it is wrong.
pub(super) fn read_limits(policy: &mut Policy, option: &'static str, path: &Path) -> Result<()> {
    let shown = path.display();
    let text = fs::read_to_string(path);
    let text = text.with_context(|| format!("{option}: can't read {shown}"))?;
    let rows = parse_limits(&text).map_err(|problem| anyhow!("{option}: {shown}: {problem}"))?;
    policy.limits = Some(shown.to_string());
    policy.models = Models::with_rows(rows);
    Ok(())
}

/// Builds the counter of a `tokenizer.json`. Fails if the file can't be read or is no tokenizer.
pub(super) fn read_tokenizer(name: &'static str, path: &Path) -> Result<Box<dyn TokenCounter>> {
    let shown = path.display();
    let bytes = fs::read(path).with_context(|| format!("can't read the tokenizer {shown}"))?;
    let counter = tokenizer_json::build(name, &bytes);
    counter.map_err(|problem| anyhow!("the tokenizer {shown}: {problem}"))
}

/// Makes the paths of a policy absolute. Fails if there is no current directory.
pub(crate) fn make_paths_absolute(policy: &mut Policy) -> Result<()> {
    if let Some(path) = &mut policy.limits {
        *path = absolute_path(path)?;
    }
    if let Some(path) = policy.counter.strip_prefix(tokenizer_json::PREFIX) {
        let name = [tokenizer_json::PREFIX, &absolute_path(path)?].concat();
        policy.counter = Box::leak(name.into_boxed_str());
    }
    if let Some(root) = &mut policy.system.root {
        *root = std::path::absolute(&*root)?;
    }
    if let Some(path) = &mut policy.summarizer.weights {
        *path = std::path::absolute(&*path)?;
    }
    let model = &mut policy.summarizer.model;
    for path in [&mut model.key_file, &mut model.ca_file].into_iter().flatten() {
        *path = std::path::absolute(&*path)?;
    }
    if let CachePlace::At(path) = &mut model.cache {
        *path = std::path::absolute(&*path)?;
    }
    Ok(())
}

fn absolute_path(path: &str) -> Result<String> {
    Ok(std::path::absolute(path)?.display().to_string())
}

const TOKENIZER_FILE: &str = "tokenizer.json";
/// The files of a model's folder that may hold its chat template, the first that does first.
const TEMPLATE_FILE: &str = "chat_template.jinja";
const CONFIG_FILES: [&str; 2] = ["tokenizer_config.json", "chat_template.json"];
/// The name of the template that is used where a configuration has several.
const DEFAULT_TEMPLATE: &str = "default";

/// The files of a model that say how its chats become tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelTokenizer {
    /// The `tokenizer.json`.
    pub(crate) tokenizer: PathBuf,
    folder: PathBuf,
    /// The file of a chat template that replaces the model's.
    template: Option<PathBuf>,
}

impl ModelTokenizer {
    /// Returns the files that the paths name: a `tokenizer.json` or the folder of a model, and
    /// maybe a chat template. Fails if they name several of a kind, or a template alone.
    pub(crate) fn of_paths(paths: &[PathBuf]) -> Result<Option<Self>> {
        let is_template = |path: &&PathBuf| path.extension().is_some_and(|end| end == "jinja");
        let (templates, tokenizers): (Vec<_>, Vec<_>) = paths.iter().partition(is_template);
        match (tokenizers.as_slice(), templates.as_slice()) {
            ([], []) => Ok(None),
            ([path], [] | [_]) => {
                let template = templates.first().map(|path| (*path).clone());
                Ok(Some(Self::at(path, template)))
            }
            _ => bail!(
                "--tokenizer takes one tokenizer.json or folder of a model, and at most one .jinja file beside it"
            ),
        }
    }

    fn at(path: &Path, template: Option<PathBuf>) -> Self {
        if path.is_dir() {
            return Self {
                tokenizer: path.join(TOKENIZER_FILE),
                folder: path.to_owned(),
                template,
            };
        }
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        Self {
            tokenizer: path.to_owned(),
            folder: folder.unwrap_or(Path::new(".")).to_owned(),
            template,
        }
    }

    /// Reads the tokenizer and the chat template. Fails if a file can't be read or is malformed, or
    /// there is no template.
    pub(crate) fn read(&self, now: OffsetDateTime) -> Result<ChatTemplate> {
        let tokenizer = &self.tokenizer;
        let bytes = fs::read(tokenizer).with_context(|| unreadable(tokenizer))?;
        let configs = self.read_configs()?;
        let template = match &self.template {
            Some(path) => Some(fs::read_to_string(path).with_context(|| unreadable(path))?),
            None => read_if_present(&self.folder.join(TEMPLATE_FILE))?
                .or_else(|| configs.iter().find_map(template_of_config)),
        };
        let Some(template) = template else {
            bail!(
                "--tokenizer: {} has no chat_template.jinja and no tokenizer_config.json with a chat_template; name one with --tokenizer FILE.jinja",
                self.folder.display()
            );
        };
        let source = ChatTemplateSource {
            tokenizer: &bytes,
            template: &template,
            special_tokens: special_tokens(&configs),
            now,
        };
        let template = ChatTemplate::new(source);
        template.map_err(|problem| anyhow!("--tokenizer: {}: {problem}", tokenizer.display()))
    }

    /// Reads the configurations that exist.
    fn read_configs(&self) -> Result<Vec<Value>> {
        let mut configs = Vec::new();
        for name in CONFIG_FILES {
            let path = self.folder.join(name);
            if let Some(text) = read_if_present(&path)? {
                let config = serde_json::from_str(&text)
                    .map_err(|problem| anyhow!("--tokenizer: {}: {problem}", path.display()))?;
                configs.push(config);
            }
        }
        Ok(configs)
    }
}

/// Returns the template of a configuration: a text, or the default one of a list.
fn template_of_config(config: &Value) -> Option<String> {
    let template = config.get("chat_template")?;
    let text = template.as_str().or_else(|| {
        let mut templates = template.as_array()?.iter();
        let default = templates.find(|template| template["name"] == DEFAULT_TEMPLATE)?;
        default["template"].as_str()
    });
    text.map(str::to_owned)
}

/// Returns the texts of the special tokens that a configuration names.
fn special_tokens(configs: &[Value]) -> BTreeMap<String, String> {
    let entries = configs.iter().filter_map(Value::as_object).flatten();
    entries
        .filter(|(name, _)| name.ends_with("_token"))
        .filter_map(|(name, token)| {
            let text = token.as_str().or_else(|| token.get("content")?.as_str())?;
            Some((name.clone(), text.to_owned()))
        })
        .collect()
}

fn read_if_present(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| unreadable(path)),
    }
}

fn unreadable(path: &Path) -> String {
    format!("--tokenizer: can't read {}", path.display())
}
