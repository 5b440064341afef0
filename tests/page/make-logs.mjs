// Writes logs into the working directory: one whose texts and name try to be markup, and one of
// 100,000 short transcripts.
import fs from "node:fs";

const evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'`\u202e<!--\t\n";
const hostile = [0, 1, 2].map((number) => JSON.stringify({
  id: evil + number,
  messages: [
    { role: "user", content: evil.repeat(20) },
    { role: "assistant", content: evil, tool_calls: [{ id: "c", type: "function", function: { name: evil, arguments: "{}" } }] },
    { role: "tool", tool_call_id: "c", content: evil.repeat(3) },
    { role: "user", content: "next" },
    { role: "assistant", content: "ok" },
  ],
}));
fs.writeFileSync("<img src=x onerror=alert(2)>.jsonl", `${hostile.join("\n")}\n{bad\n`);

const many = fs.createWriteStream("many.jsonl");
for (let number = 0; number < 100000; number += 1) {
  const messages = [{ role: "user", content: "word ".repeat(number % 97) }, { role: "assistant", content: "ok" }];
  many.write(`${JSON.stringify({ id: `t${number}`, messages })}\n`);
}
many.end();
