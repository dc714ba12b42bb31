import { writeFileSync } from "node:fs";
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
    stdin: "look at @a.png @bad.png\nexit\nno more",
  });
  expect(stdout).toContain("bad.png is not attached");
  expect(requests).toHaveLength(1);
  expect(JSON.stringify(requests[0]?.messages.at(-1))).toContain(image.toString("base64"));
});
