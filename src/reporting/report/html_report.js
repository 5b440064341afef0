"use strict";
// The rows of the page: each line of the data is a JSON list of a transcript's figures, a tab, a
// JSON object with its reasons, and perhaps a tab and its compressed texts. The last two are read
// when the row is opened.
const ROWS_PER_PAGE = 100;
const PRINTED_ROWS = 2000;
// So many changed messages of a transcript are shown at once, the others when they are opened.
const OPEN_CHANGES = 5;
const STATUSES = ["compacted", "unchanged", "failed", "over limit"];
const COLUMNS = [
  { title: "transcript", value: (row) => row.thread || row.file },
  { title: "file", value: (row) => row.file, minor: true },
  { title: "status", value: (row) => row.status },
  { title: "messages", value: (row) => row.before.messages, number: true, minor: true },
  { title: "after", value: (row) => row.after.messages, number: true, minor: true },
  { title: "tokens", value: (row) => row.before.tokens, number: true },
  { title: "after", value: (row) => row.after.tokens, number: true, minor: true },
  { title: "saved", value: (row) => row.before.tokens - row.after.tokens, number: true },
];

const lines = document.getElementById("transcripts").textContent.split("\n").filter((line) => line !== "");
const table = document.getElementById("rows");
const archive = table.dataset.archive;

function readRow(line, index) {
  const [thread, file, place, status, format, messagesBefore, messagesAfter, tokensBefore, tokensAfter, stages, history, trigger] =
    JSON.parse(line.slice(0, line.indexOf("\t")));
  return {
    index, thread, file, place, format, stages, history, trigger,
    anchor: `#${encodeURIComponent(`${file}:${place}`)}`,
    status: STATUSES[status],
    before: { messages: messagesBefore, tokens: tokensBefore },
    after: { messages: messagesAfter, tokens: tokensAfter },
    searched: `${thread || ""} ${file} ${format || ""}`.toLowerCase(),
  };
}

const rows = lines.map(readRow);
const view = { query: "", status: "", stage: "", column: 7, ascending: false, page: 0, open: -1, prints: false };

function make(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
}

function number(value) {
  return value.toLocaleString("en-US");
}

function shownRows() {
  const column = COLUMNS[view.column];
  const sign = view.ascending ? 1 : -1;
  const wanted = rows.filter((row) =>
    row.searched.includes(view.query)
    && (view.status === "" || row.status === view.status)
    && (view.stage === "" || row.stages.includes(view.stage)));
  return wanted.sort((a, b) => {
    const [left, right] = [column.value(a), column.value(b)];
    return (left < right ? -sign : left > right ? sign : 0) || a.index - b.index;
  });
}

function renderHead() {
  const cells = COLUMNS.map((column, index) => {
    const sorted = index === view.column;
    const arrow = sorted ? (view.ascending ? " ▲" : " ▼") : "";
    const button = make("button", { type: "button", textContent: column.title + arrow });
    button.addEventListener("click", () => {
      view.ascending = sorted ? !view.ascending : !column.number;
      view.column = index;
      view.page = 0;
      render();
    });
    const cell = make("th", { className: cellClass(column), scope: "col" }, button);
    cell.setAttribute("aria-sort", sorted ? (view.ascending ? "ascending" : "descending") : "none");
    return cell;
  });
  return make("thead", {}, make("tr", {}, ...cells));
}

function cellClass(column) {
  return [column.number ? "number" : "", column.minor ? "minor" : ""].join(" ").trim();
}

function renderRow(row) {
  const cells = COLUMNS.map((column, index) => {
    const value = column.value(row);
    const cell = make("td", { className: cellClass(column) });
    if (index === 0) {
      const button = make("button", { type: "button", textContent: value });
      button.setAttribute("aria-expanded", String(view.open === row.index));
      button.addEventListener("click", () => openRow(view.open === row.index ? null : row));
      cell.append(button);
    } else {
      cell.textContent = column.number ? number(value) : column.title === "file" ? `${value}:${row.place}` : value;
    }
    if (column.title === "status") cell.classList.add("status", row.status.split(" ")[0]);
    return cell;
  });
  return make("tr", {}, ...cells);
}

function renderDetails(row, shown) {
  const [, reasonsText, packed] = lines[row.index].split("\t");
  const details = JSON.parse(reasonsText);
  const parts = [renderNeighbours(row, shown)];
  if (details.error) parts.push(make("p", { className: "failed", textContent: details.error }));
  parts.push(...details.warnings.map((text) => make("p", { textContent: `warning: ${text}` })));
  const reasons = details.reasons.map(([stage, text]) =>
    make("li", {}, make("strong", { textContent: `${stage}: ` }), text));
  if (reasons.length > 0) parts.push(make("ul", {}, ...reasons));
  if (row.history) parts.push(...renderLink("what was removed", row.history));
  for (const file of details.evicted ?? []) parts.push(...renderLink("evicted", file));
  if (packed !== undefined) {
    const texts = make("div", { className: "texts" });
    unpack(packed).then((unpacked) => texts.append(...renderTexts(unpacked)));
    parts.push(texts);
  }
  const cell = make("td", { colSpan: COLUMNS.length }, make("div", { className: "details" }, ...parts));
  return make("tr", { className: "open" }, cell);
}

// The place of a transcript as a link to it, and the transcripts before and after it in the table.
function renderNeighbours(row, shown) {
  const link = make("a", { href: row.anchor, textContent: `${row.file}:${row.place}` });
  const at = shown.indexOf(row);
  const neighbour = (name, other) => {
    const button = make("button", { type: "button", textContent: name, disabled: other === undefined });
    button.addEventListener("click", () => openRow(other));
    return button;
  };
  return make("p", { className: "neighbours" }, link, row.format ? `, ${row.format}` : "",
    neighbour("previous", shown[at - 1]), neighbour("next", shown[at + 1]));
}

async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

// A link to a file of the archive, if the page stands where it can be reached.
function renderLink(what, file) {
  if (archive === undefined) return [];
  const href = archive + file.split("/").map(encodeURIComponent).join("/");
  return [make("p", {}, make("a", { href, textContent: `${what}: ${file}` }))];
}

// The summary comes first, and messages that did not change are folded, so that what a compaction
// did stands on top.
function renderTexts(texts) {
  const parts = [];
  if (texts.summary) {
    const count = texts.messages.filter((message) => message.fate === "summarized").length;
    parts.push(make("div", { className: "turn" },
      make("header", { textContent: `the summary, in place of ${number(count)} messages` }),
      make("pre", { className: "summary", textContent: texts.summary.text })));
  }
  const runs = [];
  texts.messages.forEach((message, index) => {
    const entry = { ...message, index };
    const last = runs.at(-1);
    const joins = last !== undefined && isPlain(message) && last[0].fate === message.fate;
    if (joins) last.push(entry);
    else runs.push([entry]);
  });
  let changes = 0;
  for (const run of runs) {
    const isOpen = !isPlain(run[0]) && changes < OPEN_CHANGES;
    if (isOpen) changes += 1;
    parts.push(renderRun(run, isOpen));
  }
  return parts;
}

function isPlain(message) {
  return message.fate === "kept" || message.fate === "summarized";
}

// A run of messages with one fate, which are written when it is opened.
function renderRun(run, isOpen) {
  const [first, last] = [run[0], run.at(-1)];
  const tokens = run.reduce((sum, message) => sum + message.tokens, 0);
  const names = run.length === 1 ? `message ${first.index}, ${first.role}` : `messages ${first.index} to ${last.index}`;
  const fold = make("details", { className: "turn" },
    make("summary", { textContent: `${names}: ${first.fate}, ${number(tokens)} tokens` }));
  const fill = () => {
    if (fold.childElementCount === 1) fold.append(...run.map((message) => renderTurn(message, run.length > 1)));
  };
  fold.addEventListener("toggle", fill);
  if (isOpen) {
    fill();
    fold.open = true;
  }
  return fold;
}

function renderTurn(message, hasHeader) {
  const header = `${message.index} ${message.role}, ${number(message.tokens)} tokens`;
  const [before, after] = message.after === undefined
    ? [make("pre", { className: message.fate === "summarized" ? "gone" : "", textContent: message.text }), null]
    : markChange(message.text, message.after);
  const sides = after === null ? before
    : make("div", { className: "sides" }, renderSide("before", before), renderSide("after", after));
  return make("div", { className: "message" },
    hasHeader ? make("header", { textContent: header }) : null, sides);
}

// Marks what differs between the common beginning and the common end of two texts.
function markChange(before, after) {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  // A mark does not part a word.
  while (start > 0 && /[^\s]/u.test(before[start - 1])) start -= 1;
  while (end > 0 && /[^\s]/u.test(before[before.length - end])) end -= 1;
  const side = (name, text) => make("pre", {}, text.slice(0, start),
    make(name, { textContent: text.slice(start, text.length - end) }), text.slice(text.length - end));
  return [side("del", before), side("ins", after)];
}

// On a phone the two sides stand below each other, each with its name.
function renderSide(name, text) {
  return make("div", { className: `side ${name}` }, make("small", { textContent: name }), text);
}

// The lengths of all transcripts as bars, each twice as long as the one before, in the colours of
// what became of them, and the trigger if it is one number for all.
function renderLengths() {
  const bins = new Map();
  const read = rows.filter((row) => row.before.tokens > 0);
  for (const row of read) {
    const bin = Math.floor(Math.log2(row.before.tokens));
    const counts = bins.get(bin) ?? Object.fromEntries(STATUSES.map((status) => [status, 0]));
    counts[row.status] += 1;
    bins.set(bin, counts);
  }
  if (bins.size < 2) return;
  const [least, most] = [Math.min(...bins.keys()), Math.max(...bins.keys())];
  const sum = (bin) => Object.values(bins.get(bin) ?? {}).reduce((all, count) => all + count, 0);
  const highest = Math.max(...[...bins.keys()].map(sum));
  const triggers = new Set(read.map((row) => row.trigger));
  const trigger = triggers.size === 1 ? [...triggers][0] : null;
  const bars = [];
  for (let bin = least; bin <= most; bin += 1) {
    const parts = STATUSES.map((status) => {
      const count = (bins.get(bin) ?? {})[status] ?? 0;
      const part = make("i", { className: status.split(" ")[0], title: `${number(count)} ${status}` });
      part.style.height = `${(count / highest) * 100}%`;
      return part;
    });
    const offset = trigger === null ? -1 : Math.log2(trigger) - bin;
    const mark = offset >= 0 && offset < 1 ? make("b", {}) : null;
    if (mark !== null) mark.style.left = `${offset * 100}%`;
    bars.push(make("div", { className: "bin" },
      make("div", { className: "stack" }, ...parts.reverse()), mark,
      make("span", { textContent: short(2 ** bin) }), make("span", { textContent: number(sum(bin)) })));
  }
  const note = trigger === null ? "" : `; the line marks the trigger, ${number(trigger)} tokens`;
  document.getElementById("lengths").append(
    make("figcaption", { textContent: `Transcripts by their tokens before, from each number to its double${note}` }),
    renderLegend(read), make("div", { className: "bins" }, ...bars));
}

// The colours of the statuses that occur.
function renderLegend(read) {
  const seen = STATUSES.filter((status) => read.some((row) => row.status === status));
  const keys = seen.map((status) => make("span", {}, make("i", { className: status.split(" ")[0] }), status));
  return make("div", { className: "legend" }, ...keys);
}

function short(value) {
  return value < 1024 ? String(value) : value < 1024 ** 2 ? `${value / 1024}k` : `${value / 1024 ** 2}M`;
}

// Opens a row, on the page of the table that holds it; null closes what is open.
function openRow(row) {
  view.open = row === null ? -1 : row.index;
  if (row !== null) {
    const at = shownRows().indexOf(row);
    if (at >= 0) view.page = Math.floor(at / ROWS_PER_PAGE);
  }
  history.replaceState(null, "", row === null ? location.pathname : row.anchor);
  render();
  if (row !== null) table.querySelector(".open")?.previousElementSibling.scrollIntoView();
}

function openLinked() {
  const row = rows.find((other) => other.anchor === location.hash);
  if (row !== undefined) openRow(row);
}

function render() {
  const shown = shownRows();
  const pages = Math.max(1, Math.ceil(shown.length / ROWS_PER_PAGE));
  view.page = Math.min(view.page, pages - 1);
  const first = view.prints ? 0 : view.page * ROWS_PER_PAGE;
  const body = make("tbody");
  for (const row of shown.slice(first, first + (view.prints ? PRINTED_ROWS : ROWS_PER_PAGE))) {
    body.append(renderRow(row));
    if (row.index === view.open) body.append(renderDetails(row, shown));
  }
  table.replaceChildren(renderHead(), body);
  document.getElementById("shown").textContent =
    `${number(shown.length)} of ${number(rows.length)} transcripts, page ${view.page + 1} of ${pages}`;
  document.getElementById("back").disabled = view.page === 0;
  document.getElementById("next").disabled = view.page === pages - 1;
}

function listen(id, event, change) {
  const element = document.getElementById(id);
  element.addEventListener(event, () => {
    change(element.value);
    render();
  });
}

function select(key) {
  return (value) => {
    view[key] = value;
    view.page = 0;
  };
}

listen("query", "input", (value) => select("query")(value.trim().toLowerCase()));
listen("status", "change", select("status"));
listen("stage", "change", select("stage"));
listen("back", "click", () => { view.page -= 1; });
listen("next", "click", () => { view.page += 1; });
for (const [event, prints] of [["beforeprint", true], ["afterprint", false]]) {
  window.addEventListener(event, () => {
    view.prints = prints;
    if (rows.length > ROWS_PER_PAGE) render();
  });
}
window.addEventListener("hashchange", openLinked);
if (rows.length === 1) view.open = 0;
renderLengths();
render();
openLinked();
