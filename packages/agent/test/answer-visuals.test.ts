// Promise 8 of SECURITY.md.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toKept } from "@ikigai/models";
import { readKept, withBytes } from "@ikigai/session";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { exportHtml, exportMarkdown } from "../src/export.ts";
import { type Agent, agent, readSessionMessages, resultsIn } from "./agent-setup.ts";
import { modelServer } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const jpeg = Buffer.from("ffd8ffe00004aaaaffffc0000b080010002001", "hex");
const sha256 = createHash("sha256").update(png).digest("hex");

/** Answers with the JSON text of a file in the project. */
const show = `cat > /dev/null; cat "$IKIGAI_PROJECT_DIR/answer.json"`;
const calls = { calls: [{ id: "c1", name: "show", arguments: "{}" }] };

const table = { type: "table", columns: ["a", "b"], rows: [["x", 1], [null]], alt: "A table" };
const diff = { type: "diff", path: "a.ts", text: "@@ -1 +1 @@\n-old <b>\n+new\n", alt: "A diff" };
const bars = { type: "chart", kind: "bar", labels: ["x"], series: [{ name: "n", values: [1e308] }], alt: "A chart" };
const image = (path: string, alt = "An image") => ({ type: "image", path, alt });

/** Calls the tool, which gives this answer; returns the result, and what the model got. */
async function showing(one: Agent, answer: object | string, options: { secrets?: string[] } = {}) {
  writeFileSync(join(one.project, "answer.json"), typeof answer === "string" ? answer : JSON.stringify(answer));
  const server = await modelServer(calls, { text: "Seen." });
  const { events } = await one.say(await modelOf(providers[0], server.url), "go", {
    settingsFor: () => ({ home: one.home }),
    ...options,
  });
  const [result] = resultsIn(events);
  if (!result) throw new Error("no result");
  return { ...result, sent: JSON.stringify(server.requests[1]?.body) };
}

/** Why an image of an answer is not drawn; undefined if it is. */
async function refusal(one: Agent, path: string): Promise<string | undefined> {
  const { envelope } = await showing(one, { visual: [image(path)] });
  return envelope.tool_success ? envelope.visual_ignored?.[0]?.reason : "failed";
}

test("the model gets the texts instead of the visuals, and the rest of the answer to the letter", async () => {
  const one = await agent({ show }, { "a.png": png });
  const visual = JSON.stringify([table, diff, bars, image("a.png")]);
  const { json, visuals, sent } = await showing(
    one,
    `{ "id": 12345678901234567890, "vis\\u0075al": ${visual}, "x":1e400 }`,
  );
  expect(json).toBe(
    '{"tool_success":true,"result":{ "id": 12345678901234567890, "vis\\u0075al":["A table","A diff","A chart","An image"], "x":1e400 }}',
  );
  expect(visuals).toMatchObject([
    table,
    diff,
    bars,
    { ...image(join(one.project, "a.png")), sha256, width: 1, height: 1 },
  ]);
  for (const hidden of [png.toString("base64"), "columns", "new\\\\n"]) expect(sent).not.toContain(hidden);
});

test("the log has the path and the SHA-256 of an image, and a resumed session the visuals", async () => {
  const one = await agent({ show }, { "a.png": png });
  await showing(one, { visual: [table, image("a.png")] });
  const logged = one.log().find(({ type }) => type === "tool_result");
  const path = join(one.project, "a.png");
  const kept = { ...image(path), mediaType: "image/png", sha256, width: 1, height: 1 };
  expect(logged).toMatchObject({ visuals: [table, kept] });
  expect(JSON.stringify(logged)).not.toContain(png.toString("base64"));
  const messages = readSessionMessages(one);
  expect(messages).toEqual(one.conversation.messages);
  expect(messages.find(({ role }) => role === "tool")).toMatchObject({ visuals: [table, kept] });
});

test("says why a visual is not drawn, and keeps its text", async () => {
  const one = await agent({ show });
  const nine = Array.from({ length: 9 }, () => table);
  const { envelope, visuals } = await showing(one, {
    visual: [{ ...table, rows: 5 }, { type: "video", alt: "A film" }, ...nine],
  });
  expect(envelope).toMatchObject({
    result: { visual: ["A table", "A film", ...nine.slice(3).map(({ alt }) => alt)] },
    visual_ignored: [
      { index: 0, reason: 'its "rows" are not a list' },
      { index: 1, reason: 'its "type" is not table, diff, chart or image' },
      { index: 8, reason: "an answer may have 8 visuals; it has 11" },
    ],
  });
  expect(visuals).toHaveLength(9);
});

test("a field of that name with something else in it is the tool's own", async () => {
  const one = await agent({ show });
  for (const visual of ["no", [], [1, { type: "x" }], { type: "table", alt: "x" }]) {
    const { json, visuals } = await showing(one, { visual });
    expect([json, visuals]).toEqual([JSON.stringify({ tool_success: true, result: { visual } }), undefined]);
  }
});

test("takes images in the project and the temporary directory only, without following them out", async () => {
  const one = await agent({ show }, { "a.png": png });
  const elsewhere = await tempDir();
  const temporary = mkdtempSync(join(tmpdir(), "visual-"));
  onTestFinished(() => rmSync(temporary, { recursive: true }));
  writeFileSync(join(temporary, "t.png"), png);
  expect(await refusal(one, join(temporary, "t.png"))).toBeUndefined();
  symlinkSync("/etc/hostname", join(one.project, "out.png"));
  spawnSync("mkfifo", [join(one.project, "pipe.png")]);
  writeFileSync(join(one.project, "huge.png"), png);
  truncateSync(join(one.project, "huge.png"), 5 * 1_048_576 + 1);
  expect(await refusal(one, "huge.png")).toBe("it is larger than 5 MiB");
  truncateSync(join(one.project, "huge.png"), 5 * 1_048_576);
  expect(await refusal(one, "huge.png")).toBeUndefined();
  expect(await refusal(one, "pipe.png")).toBe("it is not a regular file");
  expect(await refusal(one, ".")).toBe("it is not a regular file");
  expect(await refusal(one, "none.png")).toBe("it cannot be read");
  const outside = "it is outside the project, the tool's data directory and the temporary directory";
  for (const path of ["out.png", "/etc/hostname", "/dev/zero", "/proc/self/environ"])
    expect(await refusal(one, path)).toBe(outside);
  writeFileSync(join(elsewhere, "a.txt"), "text");
  expect(await refusal(one, join(elsewhere, "a.txt"))).toBe("it is not a PNG, JPEG, GIF or WebP image");
});

test("a call in the sandbox does not show files of the machine's temporary directory", async () => {
  const { placesOf, readNamedFile } = await import("../src/turn/answer-files.ts");
  const project = await tempDir();
  const temporary = mkdtempSync(join(tmpdir(), "visual-"));
  onTestFinished(() => rmSync(temporary, { recursive: true }));
  writeFileSync(join(temporary, "t.png"), png);
  const tool = { name: "show", scope: "user", schema: {} } as unknown as Parameters<typeof placesOf>[0];
  const place = { cwd: project, projectDir: project, sandbox: { hidden: [] } } as unknown as Parameters<
    typeof placesOf
  >[1];
  const read = readNamedFile(join(temporary, "t.png"), placesOf(tool, place, { withTemporary: true }), 100);
  expect(read).toEqual(expect.stringMatching(/^it (cannot be read|is outside)/));
});

function header(bytes: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  change(copy);
  return copy;
}

test.each([
  ["a PNG of 100000 pixels", header(png, (copy) => copy.writeUInt32BE(100_000, 16)), /^it has 100000 x 1 pixels/],
  ["a PNG of 4097 pixels", header(png, (copy) => copy.writeUInt32BE(4_097, 20)), /^it has 1 x 4097 pixels/],
  ["a PNG of 4096 pixels", header(png, (copy) => copy.writeUInt32BE(4_096, 20)), undefined],
  ["a PNG of no pixels", header(png, (copy) => copy.writeUInt32BE(0, 20)), /^its header has no size/],
  ["a cut PNG", png.subarray(0, 18), /^its header has no size/],
  ["a GIF", Buffer.from("GIF89a\x01\x00\x02\x00", "latin1"), undefined],
  ["a GIF of 65535 pixels", Buffer.from("GIF89a\xff\xff\x02\x00", "latin1"), /^it has 65535 x 2/],
  ["a JPEG", jpeg, undefined],
  ["a JPEG of 65535 pixels", Buffer.from("ffd8ffc0000b08ffff002001", "hex"), /^it has 32 x 65535/],
  [
    "a JPEG with a length of 0, again and again",
    Buffer.concat([Buffer.from("ffd8ff", "hex"), Buffer.alloc(9)]),
    /^its header has no size/,
  ],
  [
    "a lossless WebP",
    Buffer.from("RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\xff\xff\x00\x00\0\0", "latin1"),
    /^it has 16384 x 4/,
  ],
  [
    "a large WebP",
    Buffer.from("RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\xff\xff\xff\x01\x00\x00", "latin1"),
    /^it has 16777216 x 2/,
  ],
  ["a script", Buffer.from("#!/bin/sh\n"), /^it is not a PNG/],
])("reads the size of %s from its header", async (_, bytes, expected) => {
  const one = await agent({ show }, { "a.png": bytes });
  const reason = await refusal(one, "a.png");
  if (expected) expect(reason).toMatch(expected);
  else expect(reason).toBeUndefined();
});

test("removes keys from what is drawn and logged", async () => {
  const secret = "sk-very-secret-key";
  const one = await agent({ show });
  const secretTable = { type: "table", columns: [secret], rows: [[`x ${secret}`]], alt: `See ${secret}` };
  const { visuals, json } = await showing(one, { visual: [secretTable] }, { secrets: [secret] });
  expect(JSON.stringify([visuals, json, one.log()])).not.toContain(secret);
  expect(visuals).toEqual([
    { ...secretTable, columns: ["[key removed]"], rows: [["x [key removed]"]], alt: "See [key removed]" },
  ]);
});

test("exports what was drawn, and nothing runs or is loaded", async () => {
  const one = await agent({ show }, { "a.png": png });
  const evil = `<script>x</script>"'<img src=https://evil.test/x>`;
  const lines = {
    ...bars,
    kind: "line",
    labels: [evil, "y"],
    series: [
      { name: evil, values: [-1, 2] },
      { name: "b", values: [0, 0] },
    ],
  };
  const evilTable = { ...table, columns: [evil], rows: [[evil], [2]], alt: evil };
  await showing(one, {
    visual: [evilTable, diff, bars, lines, image("a.png", evil), { ...image("/etc/hostname"), alt: "gone" }],
  });
  const html = await exportHtml(one.conversation);
  const [page = "", script = ""] = html.split("<script>");
  const hash = createHash("sha256")
    .update(script.replace(/<\/script>[\s\S]*/, ""))
    .digest("base64");
  expect(page).toContain(
    `content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
  );
  expect(html).toContain('<td class="number">2</td>');
  expect(html).toContain('<span class="row removed">-old &lt;b&gt;\n</span><span class="row added">+new\n</span>');
  expect(html).toMatch(/<rect x="200.0" y="3" width="430.0"/);
  expect(html).toMatch(/<polyline points="200.0,218.0 630.0,18.0"/);
  expect(html.match(/<img /g)).toHaveLength(1);
  const alt = ' alt="&lt;script&gt;x&lt;/script&gt;&quot;&#39;&lt;img src=https://evil.test/x&gt;"';
  expect(html).toContain(`<img${alt} `);
  expect(html).toContain(`src="data:image/png;base64,${png.toString("base64")}"`);
  expect(html).toContain("gone (not drawn: it is outside");
  expect(page.replace(alt, "").replace(/src="data:image\/png;base64,[\w+/=]+"/, "")).not.toMatch(
    /<[^>]* (?:src=|href="(?!#)|on\w+=)|NaN|Infinity|undefined/,
  );
  const markdown = exportMarkdown(one.conversation);
  expect(markdown).toContain("```diff\n@@ -1 +1 @@\n-old <b>\n+new\n```");
  expect(markdown).toContain("> A chart");
  // A file that has changed since is not in the page.
  writeFileSync(join(one.project, "a.png"), Buffer.concat([png, Buffer.of(0)]));
  expect(await exportHtml(one.conversation)).not.toContain("<img");
  expect(readFileSync(join(one.project, "a.png"))).toHaveLength(png.length + 1);
});

test("what was read is drawn, although the file has been replaced since", async () => {
  const one = await agent({ show }, { "a.png": png });
  const { visuals = [] } = await showing(one, { visual: [image("a.png")] });
  writeFileSync(join(one.project, "a.png"), jpeg);
  expect(visuals.map(withBytes)).toMatchObject([{ bytes: png }]);
  const [kept] = readKept(visuals.map(toKept)).map(withBytes);
  expect(kept).toMatchObject({ type: "image", sha256 });
  expect(kept).not.toHaveProperty("bytes");
  rmSync(join(one.project, "a.png"));
  spawnSync("mkfifo", [join(one.project, "a.png")]);
  expect(readKept(visuals.map(toKept)).map(withBytes)[0]).not.toHaveProperty("bytes");
});
