// @module-tag sampled
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openEditor } from "./acp-editor.ts";
import { ikigai } from "./ikigai.ts";
import { type ModelServer, startModel } from "./model-server.ts";

const image = Buffer.from("\x89PNG\r\n\x1a\n and more", "latin1");
const model = ["--model", "openai-compatible/m"];

const imagesSent = ({ requests }: ModelServer) =>
  JSON.stringify(requests[0]?.messages.at(-1)).match(/"type":"image_url"/g)?.length ?? 0;

/** A project with symlinks to an image outside of it, and that image. */
async function clone() {
  const outside = await tempDir({ "private.png": image, "photos/me.png": image });
  const cwd = await tempDir({ "real.png": image });
  symlinkSync(join(outside, "private.png"), join(cwd, "design.png"));
  symlinkSync(join(outside, "photos"), join(cwd, "art"));
  symlinkSync("real.png", join(cwd, "inside.png"));
  return { outside, cwd };
}

test("attaches no image that a symlink of the project keeps elsewhere, and names its path", async () => {
  const { outside, cwd } = await clone();
  const alias = join(await tempDir(), "alias");
  symlinkSync(cwd, alias);
  for (const mention of ["design.png", "art/me.png", join(cwd, "design.png"), join(alias, "art/../design.png")]) {
    const server = await startModel([{ text: "Seen." }]);
    const { stderr } = await ikigai(["-p", `look at @${mention}`, ...model], { env: server.env, cwd });
    const real = join(outside, mention.endsWith("me.png") ? "photos/me.png" : "private.png");
    const problem = `${mention} is not attached: it leads out of the project, to ${real}. To attach it, mention this path.\n`;
    expect([stderr, imagesSent(server)]).toEqual([problem, 0]);
  }
});

test("attaches an image outside of the project that is mentioned by its path, and a symlink within", async () => {
  const { outside, cwd } = await clone();
  const up = join("..", basename(outside), "private.png");
  for (const mention of [join(outside, "private.png"), up, "inside.png", join(cwd, "inside.png")]) {
    const server = await startModel([{ text: "Seen." }]);
    const { stderr } = await ikigai(["-p", `look at @${mention}`, ...model], { env: server.env, cwd });
    expect([stderr, imagesSent(server)]).toEqual(["", 1]);
  }
});

test("attaches an image whose mention has the punctuation of a sentence around it", async () => {
  const HOME = await tempDir({ "out.png": image });
  const cwd = await tempDir({ "shot.png": image, "odd.png).png": image });
  const sentences = [
    "@shot.png?",
    "@shot.png, please",
    "(@shot.png)",
    "@shot.png:",
    "'@shot.png'",
    '("@shot.png").',
    "@shot.png's size",
  ];
  for (const words of [...sentences, "@~/out.png", '@"~/out.png"', "@~/out.png!", "@odd.png).png"]) {
    const server = await startModel([{ text: "Seen." }]);
    const { stderr } = await ikigai(["-p", `what is in ${words}`, ...model], { env: { ...server.env, HOME }, cwd });
    expect([words, stderr, imagesSent(server)]).toEqual([words, "", 1]);
  }
});

test("says that a mentioned image is missing, without the punctuation behind it", async () => {
  const cwd = await tempDir({ "odd.png?": "a file of this name", "shot.png": image });
  for (const [words, stderr] of [
    ["(@gone.png)?", "gone.png is not attached: no such file.\n"],
    ["@~/gone.png,", "~/gone.png is not attached: no such file.\n"],
    ["@odd.png?", ""],
    ["@shot.png.bak me@shot.png @shot.pngs", ""],
  ]) {
    const server = await startModel([{ text: "Seen." }]);
    const end = await ikigai(["-p", `what is ${words}`, ...model], { env: server.env, cwd });
    expect([words, end.stderr, imagesSent(server)]).toEqual([words, stderr, 0]);
  }
});

/** A home whose custom command mentions an image, and a project with another. */
async function withCommand() {
  const { outside, cwd } = await clone();
  const home = await tempDir();
  mkdirSync(join(home, ".ikigai/commands"), { recursive: true });
  const text = `Compare @${join(outside, "private.png")} with $ARGUMENTS\n`;
  writeFileSync(join(home, ".ikigai/commands/compare.md"), text);
  return { home, cwd };
}

test("-p and line mode attach the images in the arguments of a custom command, and not those in its file", async () => {
  for (const run of [{ args: ["-p", "/compare @real.png"] }, { args: [], typed: "/compare @real.png\nexit\n" }]) {
    const { home, cwd } = await withCommand();
    const server = await startModel([{ text: "Seen." }]);
    await ikigai([...run.args, ...model], { ...run, env: { ...server.env, HOME: home }, cwd });
    expect(JSON.stringify(server.requests[0]?.messages.at(-1))).toContain("private.png with @real.png");
    expect(imagesSent(server)).toBe(1);
  }
});

test("an editor attaches the images in the arguments of a custom command, and not those in its file", async () => {
  const { home, cwd } = await withCommand();
  const server = await startModel([{ text: "Seen." }]);
  const { editor, prompt } = await openEditor(cwd, { args: model, home, env: server.env });
  await editor.ask("session/prompt", prompt("/compare @real.png"));
  expect(JSON.stringify(server.requests[0]?.messages.at(-1))).toContain("private.png with @real.png");
  expect(imagesSent(server)).toBe(1);
});
