//! The spans of OpenTelemetry and their attributes, in the spellings of OTLP JSON and of exporters
//! that write one span an object.

use crate::reading::format::prelude::*;

/// Keys of OTLP that lead to the spans, or to the records of logs, from the outermost.
const OTLP_LISTS: [&[&str]; 3] = [
    &["resourceSpans", "resource_spans", "resourceLogs"],
    &[
        "scopeSpans",
        "scope_spans",
        "instrumentationLibrarySpans",
        "scopeLogs",
    ],
    &["spans", "logRecords"],
];

/// Returns true if a record is a batch of OTLP, or a span.
pub(in crate::reading::format) fn is_trace_record(record: JsonNode<'_>) -> bool {
    let is_batch = OTLP_LISTS[..2].iter().any(|keys| {
        let mut lists = keys.iter().filter_map(|key| record.get(key));
        lists.any(|list| list.is_kind(JsonKind::Array))
    });
    is_batch || is_span(record)
}

/// Returns true if a node is a span: attributes beside the ids of a trace and a span.
pub(in crate::reading::format) fn is_span(node: JsonNode<'_>) -> bool {
    let has_ids = [["traceId", "spanId"], ["trace_id", "span_id"]]
        .iter()
        .any(|ids| {
            let holder = node.get("context").unwrap_or(node);
            ids.iter().all(|id| node.has_key(id)) || ids.iter().all(|id| holder.has_key(id))
        });
    has_ids && node.has_key("attributes")
}

/// Returns the spans of a record.
pub(in crate::reading::format) fn spans_of(record: JsonNode<'_>) -> Vec<JsonNode<'_>> {
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
pub(in crate::reading::format) fn span_value<'t>(
    span: JsonNode<'t>,
    keys: &[&str],
) -> Option<JsonNode<'t>> {
    let context = span.get("context");
    let holders = [Some(span), context].into_iter().flatten();
    let mut holders = holders.flat_map(|holder| keys.iter().map(move |key| holder.get(key)));
    holders.find_map(|value| value)
}

/// The attributes of a span and of its events by name. Those of the span have precedence.
pub(in crate::reading::format) struct SpanAttributes<'t>(HashMap<Cow<'t, str>, JsonNode<'t>>);

impl<'t> SpanAttributes<'t> {
    pub(in crate::reading::format) fn of_span(span: JsonNode<'t>) -> Self {
        let mut attributes = HashMap::new();
        for event in span.items_of("events") {
            add_attributes(&mut attributes, event);
        }
        add_attributes(&mut attributes, span);
        Self(attributes)
    }

    /// The attributes of a span without those of its events, or of an event.
    pub(in crate::reading::format) fn of_holder(holder: JsonNode<'t>) -> Self {
        let mut attributes = HashMap::new();
        add_attributes(&mut attributes, holder);
        Self(attributes)
    }

    /// Returns all attributes as a JSON object.
    pub(in crate::reading::format) fn to_json(&self) -> String {
        let mut json = vec![b'{'];
        for (number, name) in self.names().into_iter().enumerate() {
            if number > 0 {
                json.extend_from_slice(b", ");
            }
            write_literal(name, &mut json);
            json.extend_from_slice(b": ");
            write_value(self.0[name], &mut json);
        }
        json.push(b'}');
        String::from_utf8_lossy(&json).into_owned()
    }

    /// Returns the value of an attribute as text: a string as it is, anything else as JSON.
    pub(in crate::reading::format) fn text(&self, name: &str) -> Option<Cow<'t, str>> {
        let value = self.0.get(name)?;
        if let Some(text) = value
            .as_text()
            .or_else(|| value.get("stringValue")?.as_text())
        {
            return Some(text);
        }
        let mut json = Vec::new();
        write_value(*value, &mut json);
        Some(Cow::Owned(String::from_utf8_lossy(&json).into_owned()))
    }

    /// Returns the text of the first of these attributes that is not empty.
    pub(in crate::reading::format) fn first_text(&self, names: &[&str]) -> Option<String> {
        let mut texts = names.iter().filter_map(|name| self.text(name));
        texts.find(|text| !text.is_empty()).map(Cow::into_owned)
    }

    /// Returns true if any attribute's name begins so.
    pub(in crate::reading::format) fn any_starts_with(&self, start: &str) -> bool {
        self.0.keys().any(|name| name.starts_with(start))
    }

    /// Returns the names of all attributes, in order.
    pub(in crate::reading::format) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.0.keys().map(Cow::as_ref).collect();
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

/// Writes a value of OTLP (`stringValue`, `arrayValue`, `kvlistValue`, ...) as JSON.
fn write_value(value: JsonNode<'_>, json: &mut Vec<u8>) {
    if let Some(list) = value.get_path(&["arrayValue", "values"]) {
        write_joined(list.items(), (b'[', b']'), json, write_value);
    } else if let Some(list) = value.get_path(&["kvlistValue", "values"]) {
        write_joined(list.items(), (b'{', b'}'), json, |entry, json| {
            let key = entry.get_text("key");
            write_literal(&key.unwrap_or_default(), json);
            json.extend_from_slice(b": ");
            match entry.get("value") {
                Some(value) => write_value(value, json),
                None => json.extend_from_slice(b"null"),
            }
        });
    } else {
        let scalars = ["stringValue", "intValue", "doubleValue", "boolValue"];
        let scalar = scalars.iter().find_map(|key| value.get(key));
        json.extend_from_slice(scalar.unwrap_or(value).bytes());
    }
}

fn write_joined<'t>(
    nodes: impl Iterator<Item = JsonNode<'t>>,
    brackets: (u8, u8),
    json: &mut Vec<u8>,
    write: impl Fn(JsonNode<'t>, &mut Vec<u8>),
) {
    json.push(brackets.0);
    for (number, node) in nodes.enumerate() {
        if number > 0 {
            json.extend_from_slice(b", ");
        }
        write(node, json);
    }
    json.push(brackets.1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_otlp_are_read_as_json() {
        let span = br#"{"traceId": "t", "spanId": "s", "attributes": [
            {"key": "list", "value": {"arrayValue": {"values": [{"kvlistValue": {"values": [{"key": "role", "value": {"stringValue": "user"}}, {"key": "n", "value": {"intValue": "7"}}]}}]}}},
            {"key": "text", "value": {"stringValue": "a"}}], "events": [{"attributes": {"event": "b", "text": "c"}}]}"#;
        let tree = JsonTree::new(span).unwrap();
        assert!(is_trace_record(tree.root()));
        let attributes = SpanAttributes::of_span(tree.root());
        let text = |name: &str| attributes.text(name).unwrap().into_owned();
        assert_eq!(text("list"), r#"[{"role": "user", "n": "7"}]"#);
        assert_eq!(text("text"), "a");
        assert_eq!(text("event"), "b");
        assert_eq!(attributes.names(), ["event", "list", "text"]);
    }

    #[test]
    fn spans_are_found_in_batches_and_lists() {
        for (record, spans) in [
            (
                r#"{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "t", "spanId": "a", "attributes": []}, {"traceId": "t", "spanId": "b", "attributes": []}]}]}]}"#,
                2,
            ),
            (
                r#"[{"context": {"trace_id": "t", "span_id": "s"}, "attributes": {}}]"#,
                1,
            ),
            (r#"{"traceId": "t", "attributes": {}}"#, 0),
        ] {
            let tree = JsonTree::new(record.as_bytes()).unwrap();
            assert_eq!(spans_of(tree.root()).len(), spans, "{record}");
        }
    }
}
