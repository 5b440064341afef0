// Opens an HTML report in Chromium as a person would: on a wide screen and on a phone, in print,
// searching, sorting, filtering and opening rows. Any error in the console is a failure.
//
//   node check.mjs PAGE.html ROWS [SCREENSHOTS]
//
// ROWS is the number of transcripts that the page must show. SCREENSHOTS is a directory for pictures.
import chromium from "@sparticuz/chromium";
import puppeteer from "puppeteer-core";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [page, wantedRows, screenshots] = process.argv.slice(2);
const count = Number(wantedRows);
const browser = await puppeteer.launch({
  args: chromium.args,
  executablePath: await chromium.executablePath(),
  headless: "shell",
});
const tab = await browser.newPage();
const problems = [];
tab.on("console", (message) => { if (message.type() === "error") problems.push(message.text()); });
tab.on("pageerror", (error) => problems.push(String(error)));
tab.on("request", (request) => { if (!request.url().startsWith("file:")) problems.push(`it loads ${request.url()}`); });
tab.on("dialog", (dialog) => { problems.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });

const shown = () => tab.$eval("#shown", (element) => element.textContent);
const rows = () => tab.$$eval("#rows tbody tr:not(.open)", (found) => found.length);
const column = (index) => tab.$$eval(`#rows tbody tr:not(.open) td:nth-child(${index})`, (cells) => cells.map((cell) => cell.textContent));
const picture = async (name) => {
  if (screenshots) await tab.screenshot({ path: path.join(screenshots, `${name}.png`) });
};
const isSorted = (values, sign) => values.every((value, index) => index === 0 || sign * (value - values[index - 1]) >= 0);
const numbers = (texts) => texts.map((text) => Number(text.replaceAll(",", "")));

await tab.setViewport({ width: 1280, height: 900 });
const started = Date.now();
await tab.goto(pathToFileURL(path.resolve(page)).href);
assert.match(await shown(), new RegExp(`^${count.toLocaleString("en-US")} of ${count.toLocaleString("en-US")} transcripts`));
assert.equal(await rows(), Math.min(count, 100));
console.log(`opened ${count} rows in ${Date.now() - started} ms`);
assert.ok(isSorted(numbers(await column(8)), -1), "the largest savings come first");
await picture("wide");

// Sorting by tokens, both ways.
for (const sign of [-1, 1]) {
  await tab.click("#rows thead th:nth-child(6) button");
  assert.ok(isSorted(numbers(await column(6)), sign), `sorted by tokens, ${sign}`);
}

// A search that nothing matches, and one that the first row matches.
await tab.type("#query", "no thread has this name");
assert.equal(await rows(), 0);
await tab.$eval("#query", (element) => { element.value = ""; element.dispatchEvent(new Event("input")); });
const [name] = await column(1);
await tab.type("#query", name);
assert.ok((await column(1)).includes(name));
await tab.$eval("#query", (element) => { element.value = ""; element.dispatchEvent(new Event("input")); });

// Filters.
for (const status of ["compacted", "unchanged", "failed", "over limit"]) {
  await tab.select("#status", status);
  assert.ok((await column(3)).every((text) => text === status), status);
}
await tab.select("#status", "");

// A row opens and closes.
if (count > 1) await tab.click("#rows tbody td button");
const details = () => tab.$eval("#rows tr.open", (row) => row.textContent);
assert.ok((await details()).length > 0);
for (const href of await tab.$$eval("#rows tr.open a", (links) => links.map((link) => link.href))) {
  assert.ok(existsSync(fileURLToPath(href)), `nothing is at ${href}`);
}
// What changed stands before what did not: the summary, then folds of equal messages.
const hasTexts = await tab.$("#rows tr.open .texts") !== null;
if (hasTexts) {
  await tab.waitForSelector("#rows tr.open .texts .turn");
  const folds = await tab.$$eval("#rows tr.open .texts details.turn", (found) => found.map((fold) => fold.open));
  assert.ok(folds.includes(false), "messages that did not change are folded");
}
await picture("open");

// The address of an open row leads to it, and its neighbour is a click away.
const anchor = await tab.$eval("#rows tr.open .neighbours a", (link) => link.getAttribute("href"));
if (count > 1) {
  const next = await tab.$$("#rows tr.open .neighbours button:not(:disabled)");
  await next.at(-1).click();
  assert.notEqual(await tab.$eval("#rows tr.open .neighbours a", (link) => link.getAttribute("href")), anchor);
}
await tab.goto("about:blank");
await tab.goto(pathToFileURL(path.resolve(page)).href + anchor);
assert.equal(await tab.$eval("#rows tr.open .neighbours a", (link) => link.getAttribute("href")), anchor);
if (hasTexts) await tab.waitForSelector("#rows tr.open .texts .turn");

for (const width of [375, 1280]) {
  await tab.setViewport({ width, height: 800 });
  const overflow = await tab.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(overflow <= 0, `at ${width} px the page is ${overflow} px too wide`);
  await tab.$eval("#rows", (table) => table.scrollIntoView());
  const right = await tab.$$eval("#rows .details, #rows .details > *", (found) =>
    Math.max(...found.map((element) => element.getBoundingClientRect().right)));
  assert.ok(right <= width, `at ${width} px the messages of a transcript end at ${right} px`);
  const cut = await tab.$$eval("#rows tr:not(.open) > *", (cells) =>
    Math.max(...cells.map((cell) => cell.getBoundingClientRect().right)));
  assert.ok(cut <= width, `at ${width} px the table ends at ${cut} px`);
  await picture(`${width}px`);
}
await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
await picture("dark");
await tab.emulateMediaType("print");
await picture("print");
// All rows are printed, not only a page of the table.
await tab.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
assert.equal(await rows(), Math.min(count, 2000));

await browser.close();
assert.deepEqual(problems, []);
console.log("the page works");
