// What scripts/check-html does in the browser. Arguments: the folder of pages, the folder for pictures.
"use strict";
const { chromium } = require("playwright-core");
const path = require("node:path");
const fs = require("node:fs");
const assert = require("node:assert");
const os = require("node:os");

const [pages, pictures] = process.argv.slice(2);
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

/** The least contrast of text to what is behind it, of all elements with text of their own. */
function contrasts() {
  const channel = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const rgb = (s) => (s.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  let least = { ratio: 21, text: "" };
  for (const e of document.body.querySelectorAll("*")) {
    const own = [...e.childNodes].filter((n) => n.nodeType === 3 && n.data.trim());
    if (!own.length || e.offsetParent === null || e.closest("script, svg")) continue;
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < least.ratio) least = { ratio, text: own[0].data.trim() };
  }
  return least;
}

/** Elements that can be pressed and have no name. */
function nameless() {
  return [...document.querySelectorAll("button, a, input, [role=tab], [role=listbox]")]
    .filter((e) => !(e.textContent.trim() || e.getAttribute("aria-label") || e.closest("label"))).map((e) => e.outerHTML);
}

async function safe(page, width) {
  await page.click('[role="tab"] >> nth=1');
  assert.equal(await page.locator(".pane:visible").count(), 1, "one tab at a time");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await page.locator('[role="tab"][aria-selected="true"]').textContent(), await page.locator('[role="tab"] >> nth=0').textContent());
  const rows = page.locator(".pane:visible .known");
  if ((await rows.nth(1).getAttribute("aria-expanded")) !== "true") await rows.nth(1).click();
  assert.equal(await page.locator(".note:visible").count(), 1, "one invariant at a time");
  const invariant = await page.locator(".note:visible .conjuncts").first().textContent();
  assert.ok(invariant.length > 0);
  await rows.nth(1).focus();
  await page.keyboard.press("ArrowDown");
  assert.equal(await rows.nth(2).getAttribute("aria-expanded"), "true", "the keyboard goes on to the next line");
  const link = page.locator(".note:visible .from a").first();
  const target = (await link.getAttribute("href")).slice(1);
  await link.click();
  assert.ok(await page.locator(`[id="${target}"]`).isVisible(), "a transition leads to the line that it comes from");
  await page.locator(".matrix a").first().click();
  assert.equal(await page.locator(".pair[open]").count(), 1, "the matrix leads to what is relied on");
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(".save").first().click()]);
  const text = fs.readFileSync(await download.path(), "utf8");
  assert.ok(JSON.parse(text), "the certificate is JSON");
  assert.ok(await page.locator(".each tbody tr").count() > 10, "obligations are listed");
  assert.equal(await page.locator('.each td:text-is("sat")').count(), 0);
  await page.locator('[role="tab"] >> nth=0').click();
  const third = page.locator(".pane:visible .known").nth(2);
  if ((await third.getAttribute("aria-expanded")) !== "true") await third.click();
  await page.locator(".pair[open] summary").first().click();
  await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
  return `${await page.locator(".known").count()} lines with invariants`;
}

async function unsafe(page, width) {
  const steps = await page.locator(".step").count();
  assert.ok(steps > 4);
  const state = () => page.locator("#cells").textContent();
  const last = await state();
  assert.ok(await page.locator("svg .see").count() > 0, "an arrow from a write to a read");
  assert.ok(await page.locator("svg .lock").count() > 0, "a bar for a lock");
  await page.keyboard.press("Home");
  assert.equal(await page.locator('.step[aria-selected="true"]').getAttribute("data-step"), "0");
  assert.notEqual(await state(), last, "the state is that of the step");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator('.step[aria-selected="true"]').getAttribute("data-step"), "2");
  await page.keyboard.press("ArrowUp");
  await page.click("#on");
  assert.equal(await page.locator('.step[aria-selected="true"]').getAttribute("data-step"), "2");
  const seen = () => page.locator(".step:visible").count();
  const folded = await seen();
  assert.ok(folded < steps, "rounds are folded");
  await page.keyboard.press("f");
  assert.equal(await seen(), steps, "F unfolds");
  await page.keyboard.press("f");
  assert.equal(await seen(), folded, "F folds");
  await page.locator(".folded").first().click();
  assert.ok(await seen() > folded, "a click unfolds");
  await page.locator(".folded").first().click();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  assert.equal(await state(), last);
  await page.evaluate(() => scrollTo(0, 0));
  return `${steps} steps, ${folded} shown`;
}

async function unknown(page) {
  assert.ok(await page.locator("#reasons li").count() > 0 && await page.locator("#hints li").count() > 0, "reasons and what to try");
  return `${await page.locator("#reasons li").count()} reasons`;
}

async function batch(page) {
  const rows = page.locator(".batch tbody tr:visible");
  const all = await rows.count();
  await page.fill("#find", "handle");
  assert.equal(await rows.count(), 2);
  await page.uncheck('[name="verdict"][value="unsafe"]');
  assert.equal(await rows.count(), 1);
  assert.equal(await page.locator("#found").textContent(), `1 of ${all}`);
  await page.check('[name="verdict"][value="unsafe"]');
  await page.fill("#find", "");
  await page.locator(".batch thead button").first().click();
  const names = await page.locator(".batch tbody td:first-child").allTextContents();
  assert.deepEqual(names, [...names].sort(), "sorted by file");
  await page.locator(".batch tbody a").first().click();
  assert.ok(await page.locator("h1").textContent(), "a row leads to its page");
  await page.goBack();
  return `${all} rows`;
}

async function main() {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "check-html-"));
  const looks = { safe, unsafe, unknown, batch };
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [400, 1400]) {
      const options = { executablePath: "/usr/bin/chromium", args, colorScheme, viewport: { width, height: width === 400 ? 800 : 900 }, acceptDownloads: true, reducedMotion: "reduce" };
      const browser = await chromium.launchPersistentContext(path.join(profile, `${colorScheme}-${width}`), options);
      for (const [name, look] of Object.entries(looks)) {
        const page = await browser.newPage();
        const wrong = [];
        page.on("console", (m) => { if (["error", "warning"].includes(m.type())) wrong.push(m.text()); });
        page.on("pageerror", (e) => wrong.push(String(e)));
        page.on("request", (r) => { if (!/^(file|blob|data):/.test(r.url())) wrong.push(`asks for ${r.url()}`); });
        await page.goto("file://" + path.resolve(pages, `${name}.html`));
        const found = await look(page, width);
        assert.deepEqual(wrong, [], `${name}: nothing on the console, nothing from the network`);
        assert.deepEqual(await page.evaluate(nameless), [], `${name}: everything has a name`);
        const { ratio, text } = await page.evaluate(contrasts);
        assert.ok(ratio >= 4.5, `${name}, ${colorScheme}: contrast ${ratio.toFixed(2)} of "${text}"`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${name} at ${width}: ${wide} pixels too wide`);
        await page.screenshot({ path: path.join(pictures, `${name}-${width}-${colorScheme}.png`) });
        console.log(`${name}, ${width} pixels, ${colorScheme}: ${found}, least contrast ${ratio.toFixed(1)}`);
        await page.close();
      }
      await browser.close();
    }
  }
  fs.rmSync(profile, { recursive: true, force: true });
}

main().catch((e) => { console.error(`check-html: ${e.message}`); process.exit(1); });
