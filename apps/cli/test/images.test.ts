// @module-tag sampled
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";

const image = Buffer.from("\x89PNG\r\n\x1a\n and more", "latin1");

async function project(): Promise<string> {
  const cwd = await tempDir({ "bad.png": "no image" });
  for (const name of ["a.png", "b.png"]) writeFileSync(join(cwd, name), image);
  return cwd;
}

test("-p attaches the images that the prompt mentions, but none from piped input", async () => {
  const { env, requests } = await startModel([{ text: "Seen." }]);
  const { stdout, stderr } = await ikigai(["-p", "look at @a.png and @bad.png", "--model", "openai-compatible/m"], {
    env,
    cwd: await project(),
    stdin: "see @b.png",
  });
  expect({ stdout, stderr }).toEqual({
    stdout: "Seen.\n",
    stderr: "bad.png is not attached: it is not a PNG, JPEG, GIF or WebP image.\n",
  });
  const said = JSON.stringify(requests[0]?.messages.at(-1));
  expect(said.match(/"type":"image_url"/g)).toHaveLength(1);
  expect(said).toContain("see @b.png");
});

test("line mode attaches them too, and exit is not a message", async () => {
  const { env, requests } = await startModel([{ text: "Seen." }]);
  const { stdout } = await ikigai(["--model", "openai-compatible/m"], {
    env,
    cwd: await project(),
    typed: "look at @a.png @bad.png\nexit\nno more",
  });
  expect(stdout).toContain("bad.png is not attached");
  expect(requests).toHaveLength(1);
  expect(JSON.stringify(requests[0]?.messages.at(-1))).toContain(image.toString("base64"));
});

/** Answers with the given JSON text. */
function shows(answer: object): string {
  const schema = '{"name":"show","description":"Show","parameters":{"type":"object","properties":{}}}';
  return `#!/bin/sh\nif [ "$1" = --schema ]; then echo '${schema}'; exit; fi\ncat > /dev/null\necho '${JSON.stringify(answer)}'\n`;
}

test("shows the images of an answer as one line, and why others are ignored", async () => {
  const paths = ["a.png", "b.png", "bad.png", "\u001b[2Jx.png"];
  const images = paths.map((path) => ({ path, mime_type: "image/png" }));
  const { env, requests } = await startModel([{ calls: [{ name: "show", arguments: {} }] }, { text: "Seen." }]);
  const HOME = await tempDir({ ".ikigai/tools/show-tool": shows({ images }) });
  const { stdout } = await ikigai(["--model", "openai-compatible/m", "--allow", "show"], {
    env: { ...env, HOME },
    cwd: await project(),
    typed: "show me\n",
  });
  expect(stdout).toContain("\n  2 images: a.png, b.png\n  not shown to the model: bad.png: it is not a PNG, JPEG,");
  expect(stdout).not.toContain("mime_type");
  expect(stdout).not.toContain("\u001b[2J");
  expect(JSON.stringify(requests[1]?.messages).match(/"type":"image_url"/g)).toHaveLength(2);
});

test("a replay answers with the recorded result of a call that had images", async () => {
  const { env } = await startModel([{ calls: [{ name: "show", arguments: {} }] }, { text: "Seen." }]);
  const HOME = await tempDir({
    ".ikigai/tools/show-tool": shows({ images: [{ path: "a.png", mime_type: "image/png" }] }),
  });
  const cwd = await project();
  const more = { env: { ...env, HOME }, cwd };
  await ikigai(["-p", "show me", "--model", "openai-compatible/m", "--allow", "show"], more);
  const [session = ""] = readdirSync(join(HOME, ".ikigai/sessions")).filter((name) => name.endsWith(".jsonl"));
  rmSync(join(cwd, "a.png"));
  const { stdout, exitCode } = await ikigai(["-p", "--replay", session.replace(".jsonl", "")], more);
  expect({ stdout, exitCode }).toEqual({ stdout: "Seen.\n", exitCode: 0 });
  const resumed = await ikigai(["-p", "again", "--model", "openai-compatible/m", "--continue"], more);
  expect(resumed).toMatchObject({ exitCode: 0, stdout: "Done.\n" });
});
