// Promise 8 of SECURITY.md.
// @module-tag sampled
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateSync } from "node:zlib";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { chromium, openPage } from "../browser.ts";
import { png } from "../showing-home.ts";
import { keys, openFull } from "./open-full.ts";

const source = `// Adds numbers.
export function total(numbers: number[]): number {
  let all = 1;
  for (const one of numbers) all += one;
  return all;
}
`;

/** A tool that answers with a chart, an image that the model sees, and its argument. */
const plotTool = `#!/usr/bin/env node
if (process.argv[2] === "--schema") {
  console.log('{"name":"plot","description":"Plot","parameters":{"type":"object","properties":{}}}');
  process.exit();
}
console.log(JSON.stringify({
  output: "plotted\\n" + "a long line ".repeat(40),
  images: [{ path: process.cwd() + "/shot.png", mime_type: "image/png" }],
  visual: [
    { type: "chart", kind: "bar", labels: ["a", "b"], series: [{ name: "s", values: [3, 5] }], alt: "Two bars" },
    { type: "table", columns: ["file", "lines"], rows: [["sum.ts", 6]], alt: "One file" },
  ],
}));
`;

const evil = `</pre></details><script>document.title = "pwned"</script><img src=x onerror="document.title='pwned'">`;
const answer = `Fixed: it **starts at 0**. ${evil} ![t](http://127.0.0.1:9/pixel) [x](javascript:alert(1))

\`\`\`ts
const answer = 42; // why
\`\`\`

| file | tests |
| --- | ---: |
| sum.ts | 12 |

# Large
## Smaller
### Small

- [x] fixed
- [ ] tested

See https://example.com/a_b_c, $E = mc^2$ and the note[^1].

[^1]: It began at 1.
`;

const edit = { file_path: "sum.ts", old_string: "let all = 1;", new_string: "let all = 0;" };
const steps = [
  { reasoning: "It begins at 1.", text: "I look.", calls: [{ name: "file_read", arguments: { file_path: "sum.ts" } }] },
  { calls: [{ name: "file_edit", arguments: edit }] },
  { calls: [{ name: "file_write", arguments: { file_path: "new.ts", content: "export const one = 1;\n" } }] },
  { calls: [{ name: "bash", arguments: { command: `printf '%s\\n' '${evil.replaceAll("'", '"')}' needle; exit 3` } }] },
  { calls: [{ name: "plot", arguments: {} }] },
  { text: answer },
];

/** Exports a session with everything a page can have; returns its path. */
async function exported(): Promise<string> {
  const cwd = await tempDir({ "sum.ts": source });
  const home = await tempDir({
    ".ikigai/tools/plot-tool": { content: plotTool, mode: 0o755 },
    ".ikigai/config.json": { content: '{"permission":{"mode":"allow"}}', mode: 0o600 },
  });
  writeFileSync(join(cwd, "shot.png"), png(40, 20, [], deflateSync(Buffer.alloc(20 * (1 + 3 * 40)))));
  const { terminal } = await openFull(steps, { cwd, env: { HOME: home } });
  terminal.type(`Why is the total wrong? ${evil} @shot.png \r`);
  await terminal.waitFor("sum.ts │");
  terminal.type("!echo by hand\r");
  await terminal.waitFor("by hand\n");
  terminal.type("/export page.html\r");
  await terminal.waitFor("Exported to page.html");
  terminal.type(keys.ctrlD);
  return join(cwd, "page.html");
}

/** The text nodes whose colour has less than 4.5:1 on what is behind it. */
const tooFaint = `(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour) => {
    const [r, g, b] = rgb(colour).map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const { backgroundColor } = getComputedStyle(one);
      if (rgb(backgroundColor)[3] > 0) return backgroundColor;
    }
    return "white";
  };
  const faint = [];
  for (const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walker.nextNode(); ) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === "" || element.closest("script,svg rect")) continue;
    const style = getComputedStyle(element);
    const [a, b] = [luminance(element.closest("svg") ? style.fill : style.color), luminance(groundOf(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) faint.push(element.className + ": " + walker.currentNode.data.trim().slice(0, 30) + " " + contrast.toFixed(2));
  }
  return faint;
})()`;

const openFolds = "[...document.querySelectorAll('details[open]')].map((one) => one.querySelector('b')?.textContent)";

describe.skipIf(!chromium)("an exported page in Chromium (needs chromium)", () => {
  let made: Promise<string> | undefined;
  /** Exports once, in the first test that needs it. */
  const exportOnce = () => {
    made ??= exported();
    return made;
  };
  const open = async (size?: { readonly width: number; readonly height: number }) => {
    return openPage(pathToFileURL(await exportOnce()).href, size);
  };

  /** Keeps a picture to look at, if a directory is named for it. */
  const keep = (name: string, picture: Buffer) => {
    const directory = process.env.IKIGAI_SCREENSHOTS;
    if (directory === undefined) return;
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `${name}.png`), picture);
  };

  test("has calls folded, changes in colour, and images in place", async () => {
    const page = await open();
    expect(await page.evaluate(openFolds)).toEqual(["file_edit", "file_write"]);
    const names = "[...document.querySelectorAll('details.call b')].map((one) => one.textContent)";
    expect(await page.evaluate(names)).toEqual(["file_read", "file_edit", "file_write", "bash", "plot", "bash"]);
    const facts = "[...document.querySelectorAll('details.call .who')].map((one) => one.textContent.split(' · ')[0])";
    expect((await page.evaluate<string[]>(facts)).slice(1, 4)).toEqual(["+1 −1", "+1 −0", "exit 3"]);
    const rows =
      "[...document.querySelector('.change').querySelectorAll('.row')].map((one) => one.textContent.trimEnd())";
    expect(await page.evaluate(rows)).toContain("3-   let all = 1;");
    const marked = "[...document.querySelectorAll('.change mark')].map((one) => one.textContent)";
    expect(await page.evaluate(marked)).toEqual(["1", "0"]);
    const keyword = "document.querySelector('.removed .code-keyword').textContent";
    expect(await page.evaluate(keyword)).toBe("let");
    const grounds =
      "['.added', '.removed'].map((one) => getComputedStyle(document.querySelector(one)).backgroundColor)";
    expect(new Set(await page.evaluate<string[]>(grounds)).size).toBe(2);
    await page.evaluate("Promise.all([...document.images].map((one) => one.decode()))");
    const images = "[...document.images].map((one) => [one.naturalWidth, one.naturalHeight])";
    expect(await page.evaluate(images)).toEqual([
      [40, 20],
      [40, 20],
    ]);
    expect(await page.evaluate("document.querySelectorAll('svg rect').length")).toBe(2);
    keep("light", await page.screenshot());
  });

  test("runs none of the session, loads nothing, and reports nothing", async () => {
    const page = await open();
    expect(await page.evaluate("document.title")).toContain("Why is the total wrong?");
    expect(await page.evaluate("document.querySelector('main').innerText")).toContain(evil);
    expect(await page.evaluate("document.scripts.length")).toBe(1);
    expect(await page.evaluate("[...document.links].filter((one) => one.protocol === 'javascript:').length")).toBe(0);
    expect(page.requested.filter((one) => !one.startsWith("data:"))).toEqual([pathToFileURL(await exportOnce()).href]);
    expect(page.problems).toEqual([]);
    // The policy stops what gets into the page anyway.
    const path = await exportOnce();
    const html = readFileSync(path, "utf8");
    const broken = html.replace("<main>", `<main>${evil}<img src="http://127.0.0.1:9/pixel">`);
    writeFileSync(`${path}-broken.html`, broken);
    const other = await openPage(`${pathToFileURL(path).href}-broken.html`);
    expect(await other.evaluate("document.title")).toContain("Why is the total wrong?");
    expect(other.problems.filter((one) => one.includes("Content Security Policy")).length).toBeGreaterThanOrEqual(3);
  });

  test("shows headings, tasks, links, formulas and notes as the terminal does", async () => {
    const page = await open();
    const sizes =
      "['h1', 'h2', 'h3', 'p'].map((one) => parseFloat(getComputedStyle(document.querySelector('.answer ' + one)).fontSize))";
    const [large = 0, smaller = 0, small = 0, text = 0] = await page.evaluate<number[]>(sizes);
    expect([large > smaller, smaller > small, small > text]).toEqual([true, true, true]);
    const tasks = "[...document.querySelectorAll('li.task')].map((one) => one.textContent)";
    expect(await page.evaluate(tasks)).toEqual(["☑ fixed", "☐ tested"]);
    expect(await page.evaluate("document.querySelector('.answer a[href*=\"example\"]').href")).toBe(
      "https://example.com/a_b_c",
    );
    expect(await page.evaluate("document.querySelector('.formula').textContent")).toBe("E = mc²");
    const notes = "[...document.querySelectorAll('sup')].map((one) => one.parentElement.textContent)";
    expect(await page.evaluate(notes)).toEqual([
      "See https://example.com/a_b_c, E = mc² and the note[1].",
      "[1] It began at 1.",
    ]);
    expect(page.problems).toEqual([]);
  });

  test("is searched, unfolded and printed", async () => {
    const page = await open({ width: 1000, height: 500 });
    await page.press("/");
    await page.send("Input.insertText", { text: "NEEDLE" });
    const count = "document.querySelector('output').textContent";
    expect(await page.evaluate(count)).toMatch(/^1 of 2$/);
    await page.press("Enter");
    expect(await page.evaluate(count)).toMatch(/^2 of 2$/);
    expect(await page.evaluate(openFolds)).toContain("bash");
    const isSeen = `(() => {
      const [range] = CSS.highlights.get("hit");
      const { top, bottom } = range.getBoundingClientRect();
      return [range.toString().toLowerCase(), top >= 0 && bottom <= innerHeight && top < bottom];
    })()`;
    expect(await page.evaluate(isSeen)).toEqual(["needle", true]);
    keep("search", await page.screenshot());
    await page.press("Enter", 8);
    expect(await page.evaluate(count)).toMatch(/^1 of 2$/);
    // Across the pieces of coloured code; what was unfolded for another place is folded again.
    await page.evaluate("document.querySelector('input').select()");
    await page.send("Input.insertText", { text: "const answer = 42; // why" });
    expect(await page.evaluate(count)).toBe("1 of 1");
    expect(await page.evaluate(openFolds)).toEqual(["file_edit", "file_write"]);
    await page.send("Input.insertText", { text: "?!" });
    expect(await page.evaluate(count)).toBe("no match");
    await page.press("Escape");
    expect(await page.evaluate(count)).toBe("");
    await page.evaluate("document.querySelector('button').click()");
    expect(await page.evaluate("document.querySelectorAll('details:not([open])').length")).toBe(0);
    await page.evaluate("document.querySelector('button').click()");
    expect(await page.evaluate(openFolds)).toEqual([]);
    await page.send("Page.printToPDF");
    expect(await page.evaluate("document.querySelectorAll('details:not([open])').length")).toBe(0);
    expect(page.problems).toEqual([]);
  });

  test.each(["light", "dark"])("is readable in %s colours", async (value) => {
    const page = await open();
    await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
    await page.evaluate("document.querySelector('button').click()");
    expect(await page.evaluate(tooFaint)).toEqual([]);
    const ground = "getComputedStyle(document.body).backgroundColor";
    expect(await page.evaluate(ground)).toBe(value === "light" ? "rgb(255, 255, 255)" : "rgb(15, 19, 24)");
    keep(value, await page.screenshot());
  });

  test.each([320, 360, 768])("fits a screen of %s pixels", async (width) => {
    const page = await open({ width, height: 640 });
    await page.evaluate("document.querySelector('button').click()");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    keep(`width-${width}`, await page.screenshot());
  });
});
