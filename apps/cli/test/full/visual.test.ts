// Promise 8 of SECURITY.md.
// @module-tag sampled
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { evil } from "../evil-texts.ts";
import type { Step } from "../model-server.ts";
import { chunk, look, lookHome, png } from "../showing-home.ts";
import type { Terminal, TerminalOptions } from "../terminal.ts";
import { openFull } from "./open-full.ts";

const query = "\u001b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u001b\\\u001b[c";
/** As kitty 0.35 answers it. */
const kittyAnswer = "\u001b_Gi=31;OK\u001b\\\u001b[?62;52;c";
/** As xterm answers it. */
const xtermAnswer = "\u001b[?64;1;2;6;9;15;18;21;22c";
const image = { type: "image", path: "a.png", alt: "A grey box" };
const esc = "\u001b";
const kittyImage = new RegExp(`${esc}_G[^${esc}]*${esc}\\\\`, "g");

const itermImage = new RegExp(
  `${esc}]1337;File=inline=1;size=(\\d+);height=\\d+;preserveAspectRatio=1:([\\w+/=]*)\u0007`,
  "g",
);

interface LookOptions extends TerminalOptions {
  readonly steps?: readonly Step[];
  /** What the terminal answers to the question for images. */
  readonly answer?: string;
}

/** Opens a terminal, has the tool show something, and returns the terminal after the model's last words. */
async function looking(visual: readonly unknown[], { steps, answer, env, ...options }: LookOptions = {}) {
  const cwd = options.cwd ?? (await tempDir());
  writeFileSync(join(cwd, "a.png"), png(80, 64));
  const HOME = env?.HOME ?? (await lookHome());
  const { terminal, model } = await openFull(steps ?? [look(visual), { text: "Seen." }], {
    args: ["--allow", "look"],
    ...options,
    ...(answer !== undefined && answering(answer)),
    cwd,
    env: { ...env, HOME },
  });
  expect(terminal.raw()).not.toContain("\u001b_G");
  terminal.type("go\r");
  await terminal.waitFor("Seen.");
  await terminal.waitFor(/\n {2}Looked\./);
  return { terminal, model, cwd, home: HOME };
}

const answering = (answer: string) => ({ answers: { question: query, answer } });

/** The pieces of the images that were drawn by kitty's protocol. */
function drawnByKitty(terminal: Terminal): { control: string; data: string }[] {
  return (terminal.raw().match(kittyImage) ?? []).flatMap((sequence) => {
    const [control = "", data = ""] = sequence.slice(3, -2).split(";");
    return control.includes("a=q") ? [] : [{ control, data }];
  });
}

test("draws tables, diffs and charts below the result, with their texts as titles", async () => {
  const { terminal } = await looking([
    { type: "table", columns: ["file", "%"], rows: [["a.ts", 90.5], ["日本.ts", null], [true]], alt: "Coverage" },
    { type: "diff", path: "a.ts", text: "--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n", alt: "One change" },
    { type: "chart", kind: "bar", labels: ["a", "b"], series: [{ name: "n", values: [4, 1] }], alt: "Two bars" },
  ]);
  const screen = terminal.screen();
  expect(screen).toContain(`  Looked.`);
  expect(screen).toContain(`  Coverage\n  file        %\n  ─────────────\n  a.ts     90.5\n  日本.ts\n  true`);
  expect(screen).toContain(`  One change\n  a.ts\n  1   same\n  2 - old\n  2 + new\n`);
  expect(screen).toMatch(/ {2}Two bars\n {2}a {2}█{80,} {2}4\n {2}b {2}█{20,}[▏▎▍▌▋▊▉]? + 1\n/);
});

test("kitty gets a PNG in pieces of 4096 bytes, and the model its text instead of base64", async () => {
  const cwd = await tempDir();
  const noise = randomBytes(12_000);
  const rows = Array.from({ length: 40 }, (_, row) =>
    Buffer.concat([Buffer.of(0), noise.subarray(row * 300, row * 300 + 300)]),
  );
  const secret = chunk("tEXt", Buffer.from("Comment\0hello \u001b]52;c;ZXZpbA==\u0007"));
  writeFileSync(join(cwd, "noise.png"), png(100, 40, [secret], deflateSync(Buffer.concat(rows))));
  const { terminal, model } = await looking([{ ...image, path: "noise.png" }], { cwd, answer: kittyAnswer });
  const pieces = drawnByKitty(terminal);
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces[0]?.control).toMatch(/^a=T,f=100,q=2,C=1,r=\d+,m=1$/);
  expect(pieces.slice(1, -1).map(({ control, data }) => [control, data.length])).toEqual(
    pieces.slice(1, -1).map(() => ["m=1", 4096]),
  );
  expect(pieces.at(-1)?.control).toBe("m=0");
  const drawn = Buffer.from(pieces.map(({ data }) => data).join(""), "base64");
  const kept = png(100, 40, [], deflateSync(Buffer.concat(rows)));
  expect(drawn.equals(kept)).toBe(true);
  expect(inflateSync(drawn.subarray(41, -16)).equals(Buffer.concat(rows))).toBe(true);
  expect(terminal.screen()).toContain("A grey box");
  const sent = JSON.stringify(model.requests[1]?.messages);
  expect(sent).not.toContain(drawn.toString("base64").slice(0, 40));
  expect(JSON.parse(String(model.requests[1]?.messages.at(-1)?.content))).toEqual({
    tool_success: true,
    result: { output: "Looked.", visual: ["A grey box"] },
  });
});

test("asks once, at the first image, and draws the second one at once", async () => {
  const steps = [look([{ ...image, alt: "One" }]), look([{ ...image, alt: "Two" }]), { text: "Seen." }];
  const { terminal } = await looking([], { steps, answer: kittyAnswer });
  expect(terminal.raw().split(query)).toHaveLength(2);
  expect(drawnByKitty(terminal)).toHaveLength(2);
  terminal.type("more text");
  await terminal.waitFor("› more text");
});

test.each([
  ["a terminal that does not answer", {}],
  ["a terminal without images", { answer: xtermAnswer }],
  ["an answer that refuses", { answer: `\u001b_Gi=31;EINVAL:no\u001b\\${xtermAnswer}` }],
])("%s gets the text and the path", async (_, options) => {
  const { terminal } = await looking([image], options);
  expect(terminal.raw()).toContain(query);
  expect(terminal.screen()).toMatch(/ {2}A grey box\n {2}image: .*a\.png \(80 x 64\)\n/);
  expect(drawnByKitty(terminal)).toEqual([]);
  // A late answer is not typed text.
  terminal.type(`${kittyAnswer}hi`);
  await terminal.waitFor(/› hi\n/);
});

test.each([
  ["tmux", { TMUX: "/tmp/tmux-0/default,1,0" }],
  ["screen", { TERM: "screen-256color" }],
  ["the Linux console", { TERM: "linux" }],
])("%s is not asked, and gets the text and the path", async (_, env) => {
  const { terminal } = await looking([image], { env });
  expect(terminal.screen()).toContain("A grey box\n  image: ");
  for (const start of [`${esc}_`, `${esc}]1337`]) expect(terminal.raw()).not.toContain(start);
});

test("iTerm2 gets the file of every format, without a question", async () => {
  const cwd = await tempDir();
  const gif = Buffer.from("GIF89a\x01\x00\x01\x00\x00\x00\x00;", "latin1");
  writeFileSync(join(cwd, "a.gif"), gif);
  const { terminal } = await looking([image, { ...image, path: "a.gif" }], { cwd, env: { TERM_PROGRAM: "iTerm.app" } });
  expect(terminal.raw()).not.toContain(query);
  const images = [...terminal.raw().matchAll(itermImage)];
  expect(images.map(([, size, data = ""]) => [Number(size), Buffer.from(data, "base64")])).toEqual([
    [png(80, 64).length, png(80, 64)],
    [gif.length, gif],
  ]);
});

test("kitty gets the text of an image that is not a PNG", async () => {
  const cwd = await tempDir();
  writeFileSync(join(cwd, "a.gif"), Buffer.from("GIF89a\x01\x00\x01\x00\x00\x00\x00;", "latin1"));
  const { terminal } = await looking([{ ...image, path: "a.gif" }], { cwd, answer: kittyAnswer });
  expect(terminal.screen()).toMatch(/A grey box\n {2}image: .*a\.gif \(1 x 1\)/);
  expect(drawnByKitty(terminal)).toEqual([]);
});

test("the image has rows of its own, and nothing is written over it", async () => {
  const { terminal } = await looking([image], { answer: kittyAnswer, rows: 24 });
  // 80 x 64 pixels are 10 x 4 cells: 4 rows.
  expect(terminal.raw()).toContain(`${esc}7${esc}[3A\r${esc}[2C${esc}_Ga=T,f=100,q=2,C=1,r=4,m=0;`);
  expect(terminal.screen()).toMatch(/A grey box\n\n\n\n\n\n *◆ Seen\./);
});

test("a tool shows something during its call", async () => {
  const chart = {
    type: "chart",
    kind: "line",
    labels: ["a", "b"],
    series: [{ name: "n", values: [1, 2] }],
    alt: "Rising",
  };
  const { terminal, model } = await looking([], {
    steps: [look([], [chart, image]), { text: "Seen." }],
    answer: kittyAnswer,
  });
  expect(drawnByKitty(terminal)).toHaveLength(1);
  expect(terminal.screen()).toMatch(
    /● look[\s\S]*Rising\n {2}2 │ +╭─+\n[\s\S]*1 │─+╯\n[\s\S]*A grey box\n[\s\S]*Looked\./,
  );
  const { result } = JSON.parse(String(model.requests[1]?.messages.at(-1)?.content));
  expect(result).toEqual({
    output: "Looked.",
    visual: [],
    methods: "show",
    replies: [
      { id: 0, result: { shown: true } },
      { id: 1, result: { shown: true } },
    ],
  });
});

test("a resumed session draws it again, but not a file that has changed", async () => {
  const chart = { type: "chart", kind: "bar", labels: ["a"], series: [{ name: "n", values: [1] }], alt: "A bar" };
  const { home, cwd, terminal } = await looking([], {
    steps: [look([image], [chart]), { text: "Seen." }],
    answer: kittyAnswer,
  });
  terminal.type("/quit\r");
  await terminal.exitCode;
  const again = async () => {
    const { terminal: resumed } = await openFull([], {
      ...{ cwd, env: { HOME: home }, args: ["--continue"] },
      ...answering(kittyAnswer),
    });
    await resumed.waitFor("Seen.");
    await resumed.waitFor(/\n {2}Looked\./);
    return resumed;
  };
  const same = await again();
  expect(drawnByKitty(same)).toHaveLength(1);
  expect(same.screen()).toMatch(/A bar\n {2}a {2}█+ {2}1\n/);
  same.type("/quit\r");
  await same.exitCode;
  const [log = ""] = readdirSync(join(home, ".ikigai/sessions")).filter((name) => name.endsWith(".jsonl"));
  expect(log).not.toBe("");
  writeFileSync(join(cwd, "a.png"), png(80, 65));
  const { terminal: changed } = await openFull([], { cwd, env: { HOME: home }, args: ["--continue"] });
  await changed.waitFor("Seen.");
  await changed.waitFor(/\n {2}Looked\./);
  expect(changed.raw()).not.toContain(query);
  expect(changed.screen()).toMatch(/A grey box\n {2}image: .*a\.png/);
});

test("a log that others have changed is drawn safely, also in the list of calls", async () => {
  const { home, cwd, terminal } = await looking([image], { answer: kittyAnswer });
  terminal.type("/quit\r");
  await terminal.exitCode;
  const dir = join(home, ".ikigai/sessions");
  const log = join(dir, readdirSync(dir).find((name) => name.endsWith(".jsonl")) ?? "");
  const hostile = [
    { ...image, alt: evil, path: `/tmp/${evil}`, mediaType: evil, sha256: evil, width: 1, height: 1 },
    { ...image, path: "/dev/zero", mediaType: "image/png", sha256: "", width: 1, height: 1 },
    { type: "table", columns: 5, rows: "x", alt: evil },
    { type: "refused", alt: 7, reason: evil },
    { type: evil, alt: { deep: [evil] } },
  ];
  const lines = readFileSync(log, "utf8").split("\n");
  const changed = lines.map((line) =>
    line.includes('"type":"tool_result"') ? JSON.stringify({ ...JSON.parse(line), visuals: hostile }) : line,
  );
  writeFileSync(log, changed.join("\n"));
  const { terminal: resumed } = await openFull([], { cwd, env: { HOME: home }, args: ["--continue"] });
  await resumed.waitFor(/\n {2}Looked\./);
  await resumed.waitFor("␛]52;c;");
  resumed.type("\u000f");
  await resumed.waitFor("q closes");
  for (const start of [`${esc}_`, `${esc}]52`, `${esc}P`, `${esc}]1337`, "\u202e"]) {
    expect(resumed.raw()).not.toContain(start);
  }
});
