//! The spans of OpenTelemetry and their attributes, in the spellings of OTLP JSON and of exporters
//! that write one span an object.

use crate::reading::format::prelude::*;

/// Keys of OTLP that lead to the spans, or to the records of logs, from the outermost.
const OTLP_LISTS: [&[&str]; 3] = [
    &["resourceSpans", "resource_spans", "resourceLogs"],
    &["scopeSpans", "scope_spans", "instrumentationLibrarySpans", "scopeLogs"],
    &["spans", "logRecords"],
];

/// Returns true if a record is a batch of OTLP, or a span.
pub(crate) fn is_trace_record(record: JsonNode<'_>) -> bool {
    let is_batch = OTLP_LISTS[..2].iter().any(|keys| {
        let mut lists = keys.iter().filter_map(|key| record.get(key));
        lists.any(|list| list.is_kind(JsonKind::Array))
    });
    is_batch || is_span(record)
}

/// Returns true if a node is a span: attributes beside the ids of a trace and a span.
fn is_span(node: JsonNode<'_>) -> bool {
    let has_ids = [["traceId", "spanId"], ["trace_id", "span_id"]].iter().any(|ids| {
        let holder = node.get("context").unwrap_or(node);
        ids.iter().all(|id| node.has_key(id)) || ids.iter().all(|id| holder.has_key(id))
    });
    has_ids && node.has_key("attributes")
}

pub(crate) fn spans_of(record: JsonNode<'_>) -> Vec<JsonNode<'_>> {
    if record.is_kind(JsonKind::Array) {
        return record.items().flat_map(spans_of).collect();
    }
    if is_span(record) {
        return vec![record];
    }
    let lists = OTLP_LISTS.iter().flat_map(|keys| keys.iter());
    let lists = lists.filter_map(|key| record.get_kind(key, JsonKind::Array));
    lists.flat_map(JsonNode::items).flat_map(spans_of).collect()
}

/// Returns the value of the first of these keys of a span, or of its context.
pub(crate) fn span_value<'t>(span: JsonNode<'t>, keys: &[&str]) -> Option<JsonNode<'t>> {
    let context = span.get("context");
    let holders = [Some(span), context].into_iter().flatten();
    let mut holders = holders.flat_map(|holder| keys.iter().map(move |key| holder.get(key)));
    holders.find_map(|value| value)
}

pub(crate) struct SpanAttributes<'t> {
    values: HashMap<Cow<'t, str>, JsonNode<'t>>,
    /// The place of what they hold: the id of the trace, as they hold JSON within strings.
    pub(crate) place: EventPlace,
}

impl<'t> SpanAttributes<'t> {
    /// The attributes of spans and events. Those of the last have precedence.
    pub(crate) fn of(holders: impl IntoIterator<Item = JsonNode<'t>>) -> Self {
        let mut attributes = Self { values: HashMap::new(), place: EventPlace::default() };
        for holder in holders {
            add_attributes(&mut attributes.values, holder);
            let id = span_value(holder, &["traceId", "trace_id"]);
            attributes.place = id.unwrap_or(holder).place();
        }
        attributes
    }

    /// Returns all attributes as a JSON object.
    pub(crate) fn to_json(&self) -> String {
        let names = self.names().into_iter();
        let json = object_json(names.map(|name| (name.into(), value_json(self.values[name]))));
        String::from_utf8_lossy(&json).into_owned()
    }

    /// Returns the value of an attribute as text: a string as it is, anything else as JSON.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'t, str>> {
        let value = self.values.get(name)?;
        if let Some(text) = value.as_text().or_else(|| value.get("stringValue")?.as_text()) {
            return Some(text);
        }
        let json = value_json(*value);
        Some(Cow::Owned(String::from_utf8_lossy(&json).into_owned()))
    }

    /// Returns the text of the first of these attributes that is not empty.
    pub(crate) fn first_text(&self, names: &[&str]) -> Option<String> {
        let mut texts = names.iter().filter_map(|name| self.text(name));
        texts.find(|text| !text.is_empty()).map(Cow::into_owned)
    }

    /// Returns true if any attribute's name begins so.
    pub(crate) fn any_starts_with(&self, start: &str) -> bool {
        self.values.keys().any(|name| name.starts_with(start))
    }

    /// Returns the names of all attributes, in order.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.values.keys().map(Cow::as_ref).collect();
        names.sort_unstable();
        names
    }
}

/// Adds the attributes of a span or an event: an object, or a list of keys and values.
fn add_attributes<'t>(attributes: &mut HashMap<Cow<'t, str>, JsonNode<'t>>, holder: JsonNode<'t>) {
    let Some(list) = holder.get("attributes") else {
        return;
    };
    let bytes = holder.record_bytes();
    for (key, value) in list.entries() {
        attributes.insert(decode_literal(key.slice(bytes)), value);
    }
    for entry in list.items() {
        let key = entry.get_text("key");
        if let (Some(key), Some(value)) = (key, entry.get("value")) {
            attributes.insert(key, value);
        }
    }
}

/// Returns a value of OTLP (`stringValue`, `arrayValue`, `kvlistValue`, ...) as JSON.
fn value_json(value: JsonNode<'_>) -> Vec<u8> {
    if let Some(list) = value.get_path(&["arrayValue", "values"]) {
        let items: Vec<Vec<u8>> = list.items().map(value_json).collect();
        return join_blocks(&items);
    }
    let Some(list) = value.get_path(&["kvlistValue", "values"]) else {
        let mut scalars = at("stringValue|intValue|doubleValue|boolValue").nodes(value);
        return scalars.next().unwrap_or(value).bytes().to_vec();
    };
    object_json(list.items().map(|entry| {
        let value = entry.get("value").map_or_else(|| b"null".to_vec(), value_json);
        (entry.get_text("key").unwrap_or_default(), value)
    }))
}

/// Returns an object of these entries.
fn object_json<'t>(entries: impl Iterator<Item = (Cow<'t, str>, Vec<u8>)>) -> Vec<u8> {
    let entries = entries.map(|(key, value)| fill_json("$: $", &[&encode_literal(&key), &value]));
    let entries: Vec<Vec<u8>> = entries.collect();
    fill_json("{$}", &[&entries.join(b", ".as_slice())])
}
