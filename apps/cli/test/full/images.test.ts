// @module-tag sampled
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openFull } from "./open-full.ts";

/** One white pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==",
  "base64",
);

test("reports mentioned images that cannot be attached, and sends the others", async () => {
  const cwd = await tempDir({ "bad.png": "no image", "big.jpg": Buffer.alloc(6_000_000), "dir.gif/": "" });
  writeFileSync(join(cwd, "good.png"), png);
  const { terminal, model } = await openFull([{ text: "White." }], { cwd });
  terminal.type("see @good.png @bad.png @big.jpg @gone.webp @dir.gif\r");
  await terminal.waitFor("White.");
  const screen = terminal.screen();
  expect(screen).toContain("bad.png is not attached: it is not a PNG, JPEG, GIF or WebP image.");
  expect(screen).toContain("big.jpg is not attached: it is 6.0 MB, and the limit is 5.0 MB.");
  expect(screen).toContain("gone.webp is not attached: no such file.");
  expect(screen).toContain("dir.gif is not attached: it is not a regular file.");
  expect(JSON.stringify(model.requests[0]?.messages.at(-1)).match(/image_url/g)).toHaveLength(2);
});

test("sends an image mentioned while the model works at its next step", async () => {
  const cwd = await tempDir();
  writeFileSync(join(cwd, "good.png"), png);
  const call = { calls: [{ name: "bash", arguments: { command: "sleep 2" } }] };
  const { terminal, model } = await openFull([call, { text: "White." }], { cwd, args: ["--allow", "bash"] });
  terminal.type("go\r");
  await terminal.waitFor("sleep 2");
  terminal.type("like @good.png \r");
  await terminal.waitFor("White.");
  expect(model.requests).toHaveLength(2);
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain(png.toString("base64"));
});

test("attaches the images in the arguments of a custom command, and not those in its file", async () => {
  const outside = await tempDir({ "private.png": png });
  const home = await tempDir({
    ".ikigai/commands/compare.md": `Compare @${join(outside, "private.png")} with $ARGUMENTS\n`,
  });
  const cwd = await tempDir({ "good.png": png });
  const { terminal, model } = await openFull([{ text: "White." }], { cwd, env: { HOME: home } });
  terminal.type("/compare @good.png \r");
  await terminal.waitFor("White.");
  const said = JSON.stringify(model.requests[0]?.messages.at(-1));
  expect(said).toContain("private.png with @good.png");
  expect(said.match(/"type":"image_url"/g)).toHaveLength(1);
});

test("mentions each of several images that are dropped at once, and leaves other texts as they are", async () => {
  const cwd = await tempDir({ "a.png": png, "it's b.png": png, "c d.png": png, "note.txt": "no image" });
  const [a, b, c, note] = ["a.png", "it's b.png", "c d.png", "note.txt"].map((name) => join(cwd, name));
  const { terminal, model } = await openFull([{ text: "White." }, { text: "Black." }], { cwd });
  const paste = (text: string) => terminal.type(`\u001b[200~${text}\u001b[201~`);
  paste(`${a} '${b?.replace("'", "'\\''")}' ${c?.replace(" ", "\\ ")} `);
  terminal.type("\r");
  await terminal.waitFor("White.");
  const said = JSON.stringify(model.requests[0]?.messages.at(-1));
  expect(said.match(/"type":"image_url"/g)).toHaveLength(3);
  paste(`${note} ${a}`);
  terminal.type("\r");
  await terminal.waitFor("Black.");
  expect(model.requests[1]?.messages.at(-1)?.content).toBe(`${note} ${a}`);
});

test("the completion of a file in a directory ~ of the project does not name one of the user's home", async () => {
  const [cwd, home] = [await tempDir({ "~/shot.png": png }), await tempDir({ "shot.png": "the home's" })];
  const { terminal, model } = await openFull([{ text: "White." }], { cwd, env: { HOME: home } });
  terminal.type("see @sho");
  await terminal.waitFor("~/shot.png");
  terminal.type("\t");
  await terminal.waitFor("› see @./~/shot.png");
  terminal.type("\r");
  await terminal.waitFor("White.");
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(png.toString("base64"));
});
