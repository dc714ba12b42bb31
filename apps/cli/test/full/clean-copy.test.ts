// @module-tag sampled
import { hostname } from "node:os";
import { pathToFileURL } from "node:url";
import { codeBlocks, linkLinesIn } from "@ikigai/screen";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { keys, openFull } from "./open-full.ts";

const long = `curl -C - https://example.org/${"a".repeat(60)} ${"--header x ".repeat(12)}| sh`;

test.each([
  { columns: 120, rows: 40, env: {} },
  { columns: 80, rows: 24, env: { NO_COLOR: "1" } },
  { columns: 40, rows: 15, env: {} },
])("a long command is one line of the terminal at $columns columns, also beside others", async (size) => {
  const text = `Run:\n\n\`\`\`sh\nfirst\n${long}\n日本${"語".repeat(70)}\nlast\n\`\`\`\n\nThen stop.`;
  const { terminal } = await openFull([{ text, pieceLength: 9, pieceMs: 2 }], size);
  terminal.type("go\r");
  await terminal.waitFor("Then stop.");
  // The virtual terminal joins the rows that it has wrapped, as copying does.
  const screen = await terminal.waitFor(/Then stop\.\n\n(?:worked .*\n\n)?─/);
  expect(screen).toContain(`\n    first\n    ${long}\n    日本${"語".repeat(70)}\n    last\n`);
  // Wrapping is off again.
  expect(terminal.raw().lastIndexOf("\u001b[?7l")).toBeGreaterThan(terminal.raw().indexOf(long.slice(0, 30)));
});

test("a long line of other code continues below its text, with a sign before it", async () => {
  const line = "  return numbers.reduce((total, one) => total + one, 0); // every total starts at zero";
  const { terminal } = await openFull([{ text: `So:\n\n\`\`\`js\n${line}\n}\n\`\`\`` }], { columns: 80, rows: 24 });
  terminal.type("go\r");
  const screen = await terminal.waitFor(/\n {4}\}\n/);
  expect(screen).toContain(
    "\n      return numbers.reduce((total, one) => total + one, 0); // every total\n  ↳   starts at zero\n    }\n",
  );
});

test("/copy lets the user choose", async () => {
  const text = "So:\n\n```bash\ncd x\nls\n```\n\n1. a\n   ```\n   in a list\n   ```";
  const call = { calls: [{ name: "bash", arguments: { command: "printf 'some\\033[201~ output'" } }] };
  const { terminal } = await openFull([call, { text }], { columns: 80, rows: 24, args: ["--allow", "bash"] });
  const copied = () => {
    const [, last = ""] = [...terminal.raw().matchAll(/\]52;c;([\w+/=]*)/g)].at(-1) ?? [];
    return Buffer.from(last, "base64").toString();
  };
  terminal.type("go\r");
  await terminal.waitFor(/in a list\n\n(?:worked .*\n\n)?─/);
  terminal.type("/copy \r");
  await terminal.waitFor(
    /› whole answer +So:\n {2}code 1 \(bash, 2 lines\) +cd x\n {2}code 2 \(1 line\) +in a list\n {2}last command/,
  );
  terminal.type(keys.down);
  terminal.type("\r");
  await terminal.waitFor("Sent 7 characters to the clipboard.");
  expect(copied()).toBe("cd x\nls");
  for (const [name, expected] of [
    ["answer", text],
    ["2", "in a list"],
    ["command", "printf 'some\\033[201~ output'"],
    ["output", "some output"],
  ] as const) {
    terminal.type(`/copy ${name}`);
    await terminal.waitFor(`› /copy ${name}`);
    terminal.type("\r");
    await expect.poll(copied).toBe(expected);
  }
  terminal.type("/copy 3\r");
  await terminal.waitFor("The last answer has no code block 3.");
  terminal.type("/copy foo\r");
  await terminal.waitFor("Expected answer, the number of a code block, command or output, got foo.");
});

test("/copy says what there is not yet", async () => {
  const { terminal } = await openFull([], { columns: 80, rows: 24 });
  terminal.type("/copy command\r");
  await terminal.waitFor("No command has run yet.\n");
  terminal.type("!true\r");
  await terminal.waitFor("exit 0");
  terminal.type("/copy output\r");
  await terminal.waitFor("No command has run yet, or the last one printed nothing.");
});

test("finds blocks of code with any fence", () => {
  expect(codeBlocks("~~~py\na\n```\n~~~\n````\n```\n````\n```open")).toEqual([
    { language: "py", text: "a\n```" },
    { language: "", text: "```" },
  ]);
});

/** The links of a line: their targets and what they show. */
function linksOf(line: string): [string, string][] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for links
  return [...line.matchAll(/\u001b\]8;;([^\u001b]+)\u001b\\(.*?)\u001b\]8;;\u001b\\/g)].map(
    ([, to = "", shown = ""]) => [to, shown],
  );
}

test("links URLs and files of the project that exist, and nothing else", async () => {
  const cwd = await tempDir({ "src/parser.ts": "x", "a b.ts": "", "top.ts": "" });
  const link = linkLinesIn(cwd);
  const file = (path: string, line = "") => `file://${hostname()}${pathToFileURL(`${cwd}/${path}`).pathname}${line}`;
  expect(linksOf(link("see https://a.org/x_(y)?q=1. (http://b.org) src/parser.ts:42, src/no.ts", 200))).toEqual([
    ["https://a.org/x_(y)?q=1", "https://a.org/x_(y)?q=1"],
    ["http://b.org", "http://b.org"],
    [file("src/parser.ts", "#42"), "src/parser.ts:42"],
  ]);
  expect(linksOf(link("\u001b[36m./src/parser.ts\u001b[39m top.ts:7 ../x/y /etc/passwd src/", 200))).toEqual([
    [file("src/parser.ts"), "./src/parser.ts"],
    [file("top.ts", "#7"), "top.ts:7"],
  ]);
  // A URL at the end of a full row may go on in the next one.
  const url = "https://a.org/abcdef";
  expect(linksOf(link(url, url.length))).toEqual([]);
  expect(linksOf(link(url, url.length + 1))).toHaveLength(1);
  expect(linksOf(link(`\u001b[4m${url}\u001b[24m`, url.length))).toEqual([]);
});

test("what stays on the screen has links, and a link never hides where it leads", async () => {
  const cwd = await tempDir({ "src/parser.ts": "x" });
  const { terminal } = await openFull([{ text: "See [docs](https://evil.example/x) and `src/parser.ts:42`." }], {
    cwd,
  });
  terminal.type("go\r");
  await terminal.waitFor(/parser\.ts:42\.\n\n(?:worked .*\n\n)?─/);
  const links = linksOf(terminal.raw());
  expect(links).toContainEqual(["https://evil.example/x", "https://evil.example/x"]);
  expect(links.map(([, shown]) => shown)).toContain("src/parser.ts:42");
  const home = await tempDir({ ".ikigai/config.json": '{"screen":{"links":false}}' });
  const { terminal: without } = await openFull([{ text: "See https://a.org/ now." }], { env: { HOME: home } });
  without.type("go\r");
  await without.waitFor(/now\.\n\n(?:worked .*\n\n)?─/);
  expect(linksOf(without.raw())).toEqual([]);
});
