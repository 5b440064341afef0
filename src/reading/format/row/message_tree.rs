//! Messages that name the message before them: chats in which a question can be asked again. The
//! conversation is the path from one message back to the first.

use crate::reading::format::prelude::*;

pub(crate) struct MessageTree<'t> {
    nodes: HashMap<Cow<'t, str>, ParentedMessage<'t>>,
    /// The ids in the order of the log.
    order: Vec<Cow<'t, str>>,
}

struct ParentedMessage<'t> {
    node: JsonNode<'t>,
    /// The id of the message before it. It may name no message of the tree.
    parent: Option<Cow<'t, str>>,
}

impl<'t> MessageTree<'t> {
    /// The tree of an object whose keys are the ids of its messages.
    pub(crate) fn from_object(messages: JsonNode<'t>, parent_key: &str) -> Self {
        let bytes = messages.record_bytes();
        let entries = messages.entries().map(|(key, node)| {
            let id = decode_literal(key.slice(bytes));
            (id, node)
        });
        Self::from_nodes(entries, parent_key)
    }

    /// The tree of messages that hold their ids under a key. Messages without one are left out.
    pub(crate) fn from_list(
        messages: impl Iterator<Item = JsonNode<'t>>,
        id_key: &str,
        parent_key: &str,
    ) -> Self {
        let nodes = messages.filter_map(|node| Some((node.get_text(id_key)?, node)));
        Self::from_nodes(nodes, parent_key)
    }

    fn from_nodes(
        nodes: impl Iterator<Item = (Cow<'t, str>, JsonNode<'t>)>,
        parent_key: &str,
    ) -> Self {
        let mut tree = Self { nodes: HashMap::new(), order: Vec::new() };
        for (id, node) in nodes {
            let parent = node.get_text(parent_key);
            let message = ParentedMessage { node, parent };
            if tree.nodes.insert(id.clone(), message).is_none() {
                tree.order.push(id);
            }
        }
        tree
    }

    /// Returns the id of the last message in the order of the log.
    pub(crate) fn last_id(&self) -> Option<&str> {
        self.order.last().map(Cow::as_ref)
    }

    /// Returns the messages from the first to the one with this id. Fails if no message has the id,
    /// or if messages follow each other in a circle.
    pub(crate) fn path_to(&self, id: &str) -> Result<Vec<JsonNode<'t>>> {
        let mut path = Vec::new();
        let mut next = self.nodes.get(id);
        if next.is_none() {
            return Err(RecordError::new("the last message is none of the messages"));
        }
        while let Some(message) = next {
            if path.len() == self.nodes.len() {
                let reason = "the messages follow each other in a circle";
                return Err(RecordError::at(message.node.span().start, reason));
            }
            path.push(message.node);
            next = message.parent.as_ref().and_then(|id| self.nodes.get(id));
        }
        path.reverse();
        Ok(path)
    }

    /// Returns the messages that are not on a path, in the order of the log.
    pub(crate) fn others(&self, path: &[JsonNode<'t>]) -> impl Iterator<Item = JsonNode<'t>> {
        let on_path: HashSet<usize> = path.iter().map(|node| node.span().start).collect();
        let nodes = self.order.iter().map(|id| self.nodes[id].node);
        nodes.filter(move |node| !on_path.contains(&node.span().start))
    }
}
