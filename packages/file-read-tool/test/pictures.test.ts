import { truncateSync } from "node:fs";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, read } from "./run.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const gif = Buffer.from("GIF89a\x02\x00\x03\x00\x00\x00\x00;", "latin1");
const jpeg = Buffer.from("\xff\xd8\xff\xe0 and more", "latin1");

test.each([
  ["shot.png", png, "PNG image, 1 × 1, 70 bytes", "image/png"],
  ["named-otherwise.txt", png, "PNG image, 1 × 1, 70 bytes", "image/png"],
  ["a.gif", gif, "GIF image, 2 × 3, 14 bytes", "image/gif"],
])("answers with the picture %s, by its content", async (name, content, sentence, mime_type) => {
  const cwd = await tempDir({ [name]: content });
  const images = [{ path: `${cwd}/${name}`, mime_type }];
  expect(await read({ file_path: name, offset: 2, limit: 1 }, { cwd })).toEqual(answer(sentence, 0, { images }));
});

test.each([
  ["broken.jpg", jpeg],
  ["text.txt", Buffer.from("GIF89a is a format.")],
  ["riff.txt", Buffer.from("RIFF0000WEBP and more")],
])("reads %s as text: it only begins like a picture", async (name, content) => {
  const cwd = await tempDir({ [name]: content });
  expect(await read({ file_path: name }, { cwd })).toMatchObject(answer(new TextDecoder().decode(content), 1));
});

test.each([
  ["magick", "To make it smaller: magick 'my shot.png' -resize '1568x1568>' -quality 85 /tmp/smaller.jpg"],
  ["none", "No program to make it smaller is on the PATH (magick, convert, ffmpeg, sips)."],
])("says how to make a picture smaller that is too large: %s", async (program, hint) => {
  const root = await tempDir({
    "proj/my shot.png": png,
    "bin/node": { link: process.execPath },
    [`bin/${program}`]: { content: "#!/bin/sh\n", mode: 0o755 },
  });
  const limit = 5 * 1_048_576;
  const cwd = `${root}/proj`;
  const env = { PATH: `${root}/bin` };
  truncateSync(`${cwd}/my shot.png`, limit);
  expect((await read({ file_path: "my shot.png" }, { cwd, env })).result).toHaveProperty("images");
  truncateSync(`${cwd}/my shot.png`, limit + 1);
  expect((await read({ file_path: "my shot.png" }, { cwd, env })).result).toEqual({
    error: "The image has 5.2 MB; at most 5 MiB can be shown: my shot.png",
    error_code: "IMAGE_TOO_LARGE",
    hint,
  });
});
