"use strict";
// The rows of the page: each line of the data is a JSON list of a transcript's figures, a tab, and
// a JSON object with its reasons and texts, which is parsed when the row is opened.
const ROWS_PER_PAGE = 100;
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
  const end = line.indexOf("\t");
  const [thread, file, place, status, format, messagesBefore, messagesAfter, tokensBefore, tokensAfter, stages, history] =
    JSON.parse(line.slice(0, end));
  return {
    index, end, thread, file, place, format, stages, history,
    status: STATUSES[status],
    before: { messages: messagesBefore, tokens: tokensBefore },
    after: { messages: messagesAfter, tokens: tokensAfter },
    searched: `${thread || ""} ${file} ${format || ""}`.toLowerCase(),
  };
}

const rows = lines.map(readRow);
const view = { query: "", status: "", stage: "", column: 7, ascending: false, page: 0, open: -1 };

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
      button.addEventListener("click", () => {
        view.open = view.open === row.index ? -1 : row.index;
        render();
      });
      cell.append(button);
    } else {
      cell.textContent = column.number ? number(value) : column.title === "file" ? `${value}:${row.place}` : value;
    }
    if (column.title === "status") cell.classList.add("status", row.status.split(" ")[0]);
    return cell;
  });
  return make("tr", {}, ...cells);
}

function renderDetails(row) {
  const details = JSON.parse(lines[row.index].slice(row.end + 1));
  const parts = [make("p", { textContent: `${row.file}:${row.place}${row.format ? `, ${row.format}` : ""}` })];
  if (details.error) parts.push(make("p", { className: "failed", textContent: details.error }));
  parts.push(...details.warnings.map((text) => make("p", { textContent: `warning: ${text}` })));
  const reasons = details.reasons.map(([stage, text]) =>
    make("li", {}, make("strong", { textContent: `${stage}: ` }), text));
  if (reasons.length > 0) parts.push(make("ul", {}, ...reasons));
  if (row.history) parts.push(...renderLink("what was removed", row.history));
  for (const file of details.evicted ?? []) parts.push(...renderLink("evicted", file));
  if (details.texts) parts.push(...renderTexts(details.texts));
  const cell = make("td", { colSpan: COLUMNS.length }, make("div", { className: "details" }, ...parts));
  return make("tr", { className: "open" }, cell);
}

// A link to a file of the archive, if the page stands where it can be reached.
function renderLink(what, file) {
  if (archive === undefined) return [];
  const href = archive + file.split("/").map(encodeURIComponent).join("/");
  return [make("p", {}, make("a", { href, textContent: `${what}: ${file}` }))];
}

function renderTexts(texts) {
  const turns = texts.messages.map((message, index) => {
    const isGone = message.fate === "summarized";
    const after = isGone ? "" : message.after === undefined ? message.text : message.after;
    const header = `${index} ${message.role}, ${number(message.tokens)} tokens, ${message.fate}`;
    const before = make("pre", { className: isGone ? "gone" : "", textContent: message.text });
    const isSame = after === message.text;
    const sides = make("div", { className: isSame ? "sides same" : "sides" },
      renderSide("before", before), renderSide("after", make("pre", { textContent: after })));
    return make("div", { className: "turn" }, make("header", { textContent: header }), sides);
  });
  if (texts.summary) {
    const text = make("pre", { className: "summary", textContent: texts.summary.text });
    const sides = make("div", { className: "sides" }, make("div"), renderSide("after", text));
    const turn = make("div", { className: "turn" }, make("header", { textContent: "the summary" }), sides);
    turns.splice(texts.summary.before, 0, turn);
  }
  const titles = make("div", { className: "sides titles" },
    make("strong", { textContent: "before" }), make("strong", { textContent: "after" }));
  return [titles, ...turns];
}

// On a phone the two sides stand below each other, each with its name.
function renderSide(name, text) {
  return make("div", { className: text.textContent === "" ? `side ${name} none` : `side ${name}` },
    make("small", { textContent: name }), text);
}

function render() {
  const shown = shownRows();
  const pages = Math.max(1, Math.ceil(shown.length / ROWS_PER_PAGE));
  view.page = Math.min(view.page, pages - 1);
  const first = view.page * ROWS_PER_PAGE;
  const body = make("tbody");
  for (const row of shown.slice(first, first + ROWS_PER_PAGE)) {
    body.append(renderRow(row));
    if (row.index === view.open) body.append(renderDetails(row));
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
if (rows.length === 1) view.open = 0;
render();
