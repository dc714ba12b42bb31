import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const cli = join(root, "apps/cli");
const coreTools = readdirSync(join(cli, "libexec/ikigai")).filter((name) => name.endsWith("-tool"));

const pages = [
  ...["README.md", "docs/writing-a-tool.md", "docs/protocol.md", "apps/cli/README.md"],
  ...coreTools.map((name) => `packages/${name}/README.md`),
];

/** Not run here: CI runs these two from a fresh clone, and tests have neither a key nor Ollama. */
const byHand = /^(npm (start|test)|export |ollama )/;

/**
 * The blocks to run: "sh" must succeed, "console" must print the shown output, and a script is a tool. packages/registry-tests
 * runs those marked "sh registry".
 */
function blocksOf(page: string) {
  const found = [...readFileSync(join(root, page), "utf8").matchAll(/^```(sh|console)\n(.*?)^```/gms)];
  const blocks = found.map(([, kind, text = ""]) => ({ kind: text.startsWith("#!") ? "tool" : kind, text }));
  return blocks.filter(({ text }) => !byHand.test(text));
}

/** Runs the blocks of each page in order, in the page's own home. */
describe.each(pages)("%s", (page) => {
  const home = mkdtempSync(join(tmpdir(), "ikigai-docs-"));
  const bin = join(home, "bin");
  mkdirSync(bin);
  chmodSync(join(cli, "dist/ikigai.js"), 0o755);
  symlinkSync(join(cli, "dist/ikigai.js"), join(bin, "ikigai"));
  for (const tool of coreTools) symlinkSync(join(cli, "libexec/ikigai", tool), join(bin, tool));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const run = (script: string) => {
    const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home, NODE_EXTRA_CA_CERTS: "" };
    const { status, stdout, stderr } = spawnSync("sh", ["-c", script], { cwd: home, env, encoding: "utf8" });
    return { status, stdout, stderr };
  };

  const blocks = blocksOf(page);
  // No blocks would mean that the pattern no longer matches.
  test("has blocks", () => expect(blocks).not.toEqual([]));

  test.each(blocks)("$kind: $text", ({ kind, text }) => {
    if (kind === "sh") expect(run(`set -e\n${text}`)).toMatchObject({ status: 0 });
    if (kind === "console") {
      for (const part of text.split(/^\$ /m).slice(1)) {
        const [command = "", ...output] = part.split("\n");
        expect(run(command).stdout.trimEnd()).toBe(output.join("\n").trimEnd());
      }
    }
    if (kind === "tool") {
      const path = join(home, /\/([a-z-]+-tool)/.exec(text)?.[1] ?? "unnamed-tool");
      writeFileSync(path, text, { mode: 0o755 });
      expect(run(`ikigai tool check ${path}`)).toMatchObject({ status: 0 });
    }
  });
});
