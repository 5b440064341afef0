"""A server on 127.0.0.1 that answers as the model APIs of OpenAI (chat and responses), Anthropic and Gemini do.

Every question gets the next of a list of numbered answers. The bodies of all questions are kept.
"""

import gzip
import http.server
import json
import threading

USAGE = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}


def answer(number):
    """The text of an answer. Each has words of its own."""
    return f"ANSWER-{number}: the log of day {number} is read, and {number * 7} lines differ from the plan."


class ModelServer:
    """The server, running while its `with` block does."""

    def __init__(self):
        self.questions = []
        handler = type("Handler", (ModelHandler,), {"server_state": self})
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()


def events(named, items):
    """Server-sent events, each of them with its name if `named`."""
    lines = []
    for item in items:
        if named:
            lines.append(f"event: {item['type']}\n")
        lines.append(f"data: {json.dumps(item)}\n\n")
    return "".join(lines)


def responses(number, _):
    item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": answer(number), "annotations": []}]}
    usage = {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7,
             "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    done = {"id": f"resp_{number}", "object": "response", "status": "completed", "output": [item], "usage": usage}
    return events(True, [
        {"type": "response.created", "response": {"id": f"resp_{number}"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": done},
    ])


def anthropic(number, question):
    usage = {"input_tokens": 5, "output_tokens": 2}
    message = {"id": f"msg_{number:024d}", "type": "message", "role": "assistant", "model": question.get("model", "m"),
               "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    text = {"type": "text", "text": answer(number)}
    if not question.get("stream"):
        return json.dumps({**message, "content": [text], "stop_reason": "end_turn"})
    return events(True, [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text["text"]}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ])


def chat(number, question):
    common = {"id": f"c{number}", "created": 1, "model": question.get("model", "m")}
    message = {"role": "assistant", "content": answer(number)}
    if not question.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return json.dumps({**common, "object": "chat.completion", "choices": [choice], "usage": USAGE})
    chunk = {**common, "object": "chat.completion.chunk"}
    return events(False, [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": USAGE},
    ]) + "data: [DONE]\n\n"


def gemini(number, _, stream):
    content = {"role": "model", "parts": [{"text": answer(number)}]}
    usage = {"promptTokenCount": 5, "candidatesTokenCount": 2, "totalTokenCount": 7}
    body = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}
    return events(False, [body]) if stream else json.dumps(body)


class ModelHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            data = b""
            while size := int(self.rfile.readline().strip() or b"0", 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "gzip":
            data = gzip.decompress(data)
        return data

    def send(self, text, kind="application/json"):
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.send(json.dumps({"object": "list", "data": [], "models": []}))

    def do_POST(self):
        path, data = self.path.split("?")[0], self.body()
        try:
            question = json.loads(data)
        except ValueError:
            question = {}
        writers = {"/responses": responses, "/messages": anthropic, "/chat/completions": chat}
        writer = next((writer for end, writer in writers.items() if path.endswith(end)), None)
        if writer is None and "enerateContent" not in path:
            return self.send('{"input_tokens": 10, "totalTokens": 10}')
        self.server_state.questions.append(question)
        number = len(self.server_state.questions)
        if writer is None:
            is_stream = "stream" in path
            return self.send(gemini(number, question, is_stream), "text/event-stream" if is_stream else "application/json")
        text = writer(number, question)
        self.send(text, "text/event-stream" if text.startswith(("event:", "data:")) else "application/json")
