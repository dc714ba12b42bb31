// @module-tag tables
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { discover, type SandboxSettings } from "@ikigai/core";
import type { Message } from "@ikigai/models";
import { isJsonObject, type JsonValue } from "@ikigai/protocol";
import { forkConversation } from "@ikigai/session";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { exportHtml, exportMarkdown } from "../src/export.ts";
import { type Agent, agent, readSessionMessages, resultsIn } from "./agent-setup.ts";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { modelServer, status } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const pixel = png.toString("base64");
const jpeg = Buffer.from("\xff\xd8\xff\xe0 and more", "latin1");

/** Answers with the JSON text of a file in the project. */
const show = `cat > /dev/null; cat "$IKIGAI_PROJECT_DIR/answer.json"`;
const calls = { calls: [{ id: "c1", name: "show", arguments: "{}" }] };

function shot(path: string, mime_type = "image/png") {
  return { path, mime_type };
}

/** Calls the tool, which gives this answer, and returns the envelope and what the model got. */
async function showing(one: Agent, answer: object | string, options: { sandbox?: SandboxSettings } = {}) {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  writeFileSync(join(one.project, "answer.json"), text);
  const server = await modelServer(calls, { text: "Seen." });
  const [anthropic] = providers;
  const { events } = await one.say(await modelOf(anthropic, server.url), "go", {
    permission: { ...one.permission, sandboxOf: () => options.sandbox && "on" },
    settingsFor: () => ({ home: one.home, ...options }),
    sandboxFor: () => options.sandbox,
  });
  const [result] = resultsIn(events);
  if (!result) throw new Error("no result");
  const sent = JSON.stringify(server.requests[1]?.body);
  return { ...result, images: sent.split(pixel).length - 1 };
}

/** Why each image of an answer is ignored, by path. */
async function reasons(one: Agent, images: readonly unknown[], options = {}) {
  const { envelope } = await showing(one, { images }, options);
  const ignored = envelope.tool_success ? (envelope.images_ignored ?? []) : [];
  return ignored.map(({ path, reason }) => [path, reason]);
}

const outside = "it is outside the project, the tool's data directory and the session's temporary directory";

function find(value: JsonValue | undefined, isWanted: (value: JsonValue) => boolean): JsonValue[] {
  if (value === undefined) return [];
  const inside = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return [...(isWanted(value) ? [value] : []), ...inside.flatMap((one) => find(one, isWanted))];
}

test.each(providers)("shows $name a picture that file_read was allowed to read", async (provider) => {
  const elsewhere = await tempDir({ "shot.png": png });
  const one = await agent({}, { "near.png": png });
  const path = fileURLToPath(new URL("../../file-read-tool/dist", import.meta.url));
  const directories = [{ path, scope: "system" as const }];
  const registry = await discover({ directories, home: one.home, projectDir: one.project });
  for (const [index, file] of [`${elsewhere}/shot.png`, "near.png"].entries()) {
    const read = { id: "c1", name: "file_read", arguments: JSON.stringify({ file_path: file }) };
    const server = await modelServer({ calls: [read] }, { text: "A dot." });
    await one.say(await modelOf(provider, server.url), "look at it", { currentRegistry: async () => registry });
    expect(JSON.stringify(server.requests[1]?.body).split(pixel)).toHaveLength(index + 2);
  }
});

test.each(providers)("shows $name the images of an answer, also after the session is resumed", async (provider) => {
  const one = await agent({ show }, { "a.png": png });
  writeFileSync(join(one.project, "answer.json"), JSON.stringify({ output: "ok", images: [shot("a.png")] }));
  const server = await modelServer(
    { calls: [calls.calls[0], { id: "c2", name: "show", arguments: "{}" }].flatMap((call) => call ?? []) },
    { text: "A dot." },
  );
  await one.say(await modelOf(provider, server.url), "go");
  const body = server.requests[1]?.body as unknown as JsonValue;
  expect(JSON.stringify(body).split(pixel)).toHaveLength(3);
  const where = {
    anthropic: { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } },
    openai: { type: "input_image", image_url: `data:image/png;base64,${pixel}` },
    google: { inlineData: { mimeType: "image/png", data: pixel } },
    "openai-compatible": { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } },
  }[provider.name];
  const isImage = (value: JsonValue) =>
    isJsonObject(value) && JSON.stringify({ ...value, ...where }) === JSON.stringify(value);
  expect(find(body, isImage)).toHaveLength(2);
  // As text it would be thousands of tokens.
  const texts = find(body, (value) => typeof value === "string" && value.includes(pixel)).map(String);
  expect(texts.filter((text) => text.replace("data:image/png;base64,", "") !== pixel)).toEqual([]);
  expect(one.log().find(({ type }) => type === "tool_result")).toMatchObject({
    images: [{ mediaType: "image/png", path: expect.stringMatching(/\.files\/[0-9a-f]{16}\.png$/) }],
  });
  rmSync(join(one.project, "a.png"));
  // The log has parallel results in the order they came.
  const sorted = (messages: readonly Message[]) => messages.map((message) => JSON.stringify(message)).sort();
  expect(sorted(readSessionMessages(one))).toEqual(sorted(one.conversation.messages));
});

const pdf = Buffer.from("%PDF-1.4\n% a page\n");
const document = pdf.toString("base64");

test.each(providers)("sends $name a PDF that file_read names, or only its text", async (provider) => {
  const one = await agent({ show }, { "a.pdf": pdf });
  const answer = { output: "--- Page 1\na page", documents: [shot("a.pdf", "application/pdf")] };
  writeFileSync(join(one.project, "answer.json"), JSON.stringify(answer));
  const server = await modelServer(calls, { text: "A page." });
  await one.say(await modelOf(provider, server.url), "go");
  const body = server.requests[1]?.body as unknown as JsonValue;
  const where = {
    anthropic: { type: "document", source: { type: "base64", media_type: "application/pdf", data: document } },
    openai: { type: "input_file", file_data: `data:application/pdf;base64,${document}` },
    google: { inlineData: { mimeType: "application/pdf", data: document } },
    "openai-compatible": undefined,
  }[provider.name];
  const isDocument = (value: JsonValue) =>
    isJsonObject(value) && JSON.stringify({ ...value, ...where }) === JSON.stringify(value);
  const sent = JSON.stringify(body);
  expect(sent).toContain("--- Page 1");
  expect(sent.split(document)).toHaveLength(where ? 2 : 1);
  if (where) expect(find(body, isDocument)).toHaveLength(1);
  expect(sent.includes('\\"documents_left_out\\":1}')).toBe(where === undefined);
  expect(one.log().find(({ type }) => type === "tool_result")).toMatchObject({
    images: [{ mediaType: "application/pdf", path: expect.stringMatching(/\.files\/[0-9a-f]{16}\.pdf$/) }],
  });
  expect(readSessionMessages(one)).toEqual(one.conversation.messages);
  expect(exportMarkdown(one.conversation)).toContain("\n(1 document)\n");
});

test("ignores documents that are too many or no PDF, and sends the text alone to a server that rejects them", async () => {
  const one = await agent({ show }, { "a.pdf": pdf, "b.pdf": png });
  const named = ["b.pdf", ...Array(4).fill("a.pdf")].map((path) => shot(path, "application/pdf"));
  writeFileSync(join(one.project, "answer.json"), JSON.stringify({ output: "text", documents: named }));
  const refusal = status(400, { type: "error", error: { type: "invalid_request_error", message: "no PDF" } });
  const server = await modelServer(calls, refusal, { text: "A page." });
  const { end } = await one.say(await modelOf(providers[0], server.url), "go");
  expect(end).toMatchObject({ reason: "done", text: "A page." });
  expect(JSON.stringify(server.requests[1]?.body).split(document)).toHaveLength(4);
  const sent = JSON.stringify(server.requests[2]?.body);
  expect(sent).not.toContain(document);
  expect(sent).toContain('\\"documents_left_out\\":3}');
  expect(sent).toContain("it is not a PDF document");
  expect(sent).toContain("an answer may have 4 documents; it has 5");
  expect(readSessionMessages(one)).toEqual(one.conversation.messages);
});

test("sends the images of several results to a chat API in one user message after them", async () => {
  const one = await agent({ show }, { "a.png": png });
  writeFileSync(join(one.project, "answer.json"), JSON.stringify({ images: [shot("a.png")] }));
  const both = ["c1", "c2"].map((id) => ({ id, name: "show", arguments: "{}" }));
  const server = await modelServer({ calls: both }, { text: "Dots." });
  await one.say(await modelOf(providers[3], server.url), "go");
  const messages = (server.requests[1]?.body.messages ?? []) as unknown as { role: string; content: unknown }[];
  expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "tool", "user"]);
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } };
  const line = { type: "text", text: "The image of the result of show:" };
  expect(messages.at(-1)?.content).toEqual([line, image, line, image]);
});

test("asks a server that only has the chat API with the images in a user message", async () => {
  const one = await agent({ show }, { "a.png": png });
  writeFileSync(join(one.project, "answer.json"), JSON.stringify({ images: [shot("a.png")] }));
  const missing = status(404, { error: { message: "no such route" } });
  const server = await modelServer(missing, calls, { text: "A dot." });
  await one.say(await modelOf(providers[1], server.url), "go");
  const messages = (server.requests[2]?.body.messages ?? []) as unknown as { role: string; content: unknown }[];
  expect(messages.at(-1)).toMatchObject({ role: "user", content: [{ type: "text" }, { type: "image_url" }] });
  expect(JSON.stringify(messages.at(-2))).not.toContain(pixel);
});

test("accepts images in the project and in the tool's data directory", async () => {
  const script = `cp a.png "$IKIGAI_DATA_DIR/b.png"; cat > /dev/null; printf '{"images":[{"path":"a.png","mime_type":"image/png"},{"path":"%s/b.png","mime_type":"image/png"}]}' "$IKIGAI_DATA_DIR"`;
  const one = await agent({ show: script }, { "a.png": png });
  const { images, envelope } = await showing(one, "");
  expect([images, envelope]).toMatchObject([2, { tool_success: true }]);
  expect(envelope).not.toHaveProperty("images_ignored");
});

test("ignores images from elsewhere, through symlinks, and of another type, and says why", async () => {
  const other = await agent({}, { "a.png": png });
  const one = await agent({ show }, { "a.png": png, "b.txt": "no image", "c.jpg": jpeg });
  symlinkSync(join(other.project, "a.png"), join(one.project, "link.png"));
  symlinkSync(other.project, join(one.project, "folder"));
  mkdirSync(join(one.home, "data/other"), { recursive: true });
  writeFileSync(join(one.home, "data/other/a.png"), png);
  writeFileSync(join(one.project, "big.png"), png);
  truncateSync(join(one.project, "big.png"), 5 * 1_048_576 + 1);
  const far = [
    join(other.project, "a.png"),
    "link.png",
    "folder/a.png",
    join(one.home, "data/other/a.png"),
    "/nowhere.png",
  ];
  expect(
    await reasons(
      one,
      far.map((path) => shot(path)),
    ),
  ).toEqual(far.map((path) => [path, outside]));
  const odd = [shot("b.txt"), shot("c.jpg"), shot("."), shot("none.png"), shot("big.png"), { path: "a.png" }];
  expect(await reasons(one, odd)).toEqual([
    ["b.txt", "it is not a PNG, JPEG, GIF or WebP image"],
    ["c.jpg", "it is image/jpeg"],
    [".", "it is not a regular file"],
    ["none.png", "it cannot be read"],
    ["big.png", "it is larger than 5 MiB"],
    ["a.png", "it needs a path and a mime_type"],
  ]);
});

test.skipIf(!hasBubblewrap)(
  "accepts images in the temporary directory of the sandbox, but none that it hides (needs bwrap)",
  async () => {
    const script = `cp a.png /tmp/b.png; ln -s /etc /tmp/etc; ${show}`;
    const files = { "a.png": png, "hidden/a.png": png };
    const one = await agent({ show: script }, files);
    const settings = { home: one.home, userHome: await tempDir(), network: false, writable: [], readable: [] };
    const sandbox = { ...settings, hidden: [join(one.project, "hidden")] };
    const images = ["/tmp/b.png", "a.png", "/tmp/etc/passwd", "/tmp/../etc/passwd", "hidden/a.png"].map((path) =>
      shot(path),
    );
    const { images: seen, envelope } = await showing(one, { images }, { sandbox });
    expect(seen).toBe(2);
    expect(envelope).toMatchObject({
      images_ignored: images.slice(2).map(({ path }) => ({ path, reason: outside })),
    });
  },
);

test("accepts 8 images of 5 MiB, and ignores the ninth", async () => {
  const one = await agent({ show }, { "a.png": png });
  truncateSync(join(one.project, "a.png"), 5 * 1_048_576);
  expect(await reasons(one, Array(8).fill(shot("a.png")))).toEqual([]);
  const nine = await agent({ show }, { "a.png": png });
  const { images, envelope } = await showing(nine, { images: Array(10).fill(shot("a.png")) });
  expect(images).toBe(8);
  expect(envelope).toMatchObject({
    images_ignored: [{ path: "a.png", reason: "an answer may have 8 images; it has 10" }],
  });
});

test("keeps the text of an answer, and a field images that is the tool's own", async () => {
  const one = await agent({ show }, {});
  const { json } = await showing(
    one,
    '{"big": 12345678901234567890, "images": [{"path":"x","mime_type":"image/png"}]}',
  );
  expect(json).toBe(
    '{"tool_success":true,"result":{"big": 12345678901234567890, "images": [{"path":"x","mime_type":"image/png"}]},"images_ignored":[{"path":"x","reason":"it cannot be read"}]}',
  );
  for (const images of [["a.png"], "a.png", [{ url: "x" }], []]) {
    expect((await showing(await agent({ show }, {}), { images })).envelope).toEqual({
      tool_success: true,
      result: { images },
    });
  }
});

test("asks a model that rejects images without them from then on, also after a resume", async () => {
  const one = await agent({ show }, { "a.png": png });
  writeFileSync(join(one.project, "answer.json"), JSON.stringify({ images: [shot("a.png")] }));
  const refusal = status(400, { type: "error", error: { type: "invalid_request_error", message: "no images" } });
  const server = await modelServer(calls, refusal, { text: "I see nothing." });
  const { end } = await one.say(await modelOf(providers[0], server.url), "go");
  expect(end).toMatchObject({ reason: "done", text: "I see nothing." });
  const sent = JSON.stringify(server.requests[2]?.body);
  expect(sent).not.toContain(pixel);
  expect(sent).toContain('\\"images_left_out\\":1}');
  expect(readSessionMessages(one)).toEqual(one.conversation.messages);
});

test("a fork has its own copy, an export counts the images, and says which are missing", async () => {
  const one = await agent({ show }, { "a.png": png });
  await showing(one, { output: "ok", images: [shot("a.png")] });
  const copy = forkConversation({ home: one.home, cwd: one.project, id: one.conversation.id });
  rmSync(String(one.conversation.log.path).replace(/\.jsonl$/, ".files"), { recursive: true });
  expect(copy.conversation.messages).toEqual(one.conversation.messages);
  expect(readFileSync(String(copy.conversation.log.path), "utf8")).toContain(`${copy.conversation.id}.files`);
  expect(exportMarkdown(one.conversation)).toContain("ok\n```\n\n(1 image)\n");
  expect(await exportHtml(one.conversation)).toContain("Image 1 is missing: its file cannot be read.");
  const [, , result] = readSessionMessages(one);
  expect(result).toMatchObject({ role: "tool", id: "c1", name: "show", json: expect.stringContaining("a.png") });
  expect(result).not.toHaveProperty("images");
  copy.conversation.log.close();
});
