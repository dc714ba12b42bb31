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
import { shippedTools } from "./shipped-tools.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const cli = join(root, "apps/cli");
const program = fileURLToPath(new URL("../dist/ikigai.js", import.meta.url));
const coreTools = readdirSync(join(cli, "libexec/ikigai")).filter((name) => name.endsWith("-tool"));

const pages = [
  ...[
    "README.md",
    "docs/writing-a-tool.md",
    "docs/plain-tools.md",
    "docs/registry.md",
    "docs/protocol.md",
    "docs/protocol-answers.md",
    "docs/protocol-host.md",
    "docs/protocol-processes.md",
    "docs/editors.md",
    "docs/hooks.md",
    "docs/mcp.md",
    "apps/cli/README.md",
  ],
  ...shippedTools.map((folder) => `packages/${folder}/README.md`),
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

/** The same line of both pages, in the form that a user would paste into a shell. */
test.each(["README.md", "CONTRIBUTING.md"])("%s: the alias of a clone runs ikigai in another directory", (page) => {
  const [alias = ""] = /alias ikigai="[^"]*"/.exec(readFileSync(join(root, page), "utf8")) ?? [];
  const script = `cd "$1"\n${alias}\ncd "$2"\nikigai tool call file_read '{"file_path": "here.txt"}'`;
  const home = mkdtempSync(join(tmpdir(), "ikigai-docs-"));
  writeFileSync(join(home, "here.txt"), "found\n");
  const env = { PATH: process.env.PATH, HOME: home };
  const end = spawnSync("sh", ["-c", script, "sh", root, home], { env, encoding: "utf8" });
  rmSync(home, { recursive: true });
  expect(end).toMatchObject({ status: 0, stderr: "" });
  expect(JSON.parse(end.stdout).result.output).toBe("found\n");
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  // npm adds the words after -- to the end of the script.
  expect(scripts.start).toMatch(/ node apps\/cli\/dist\/ikigai\.js$/);
});

/** Runs the blocks of each page in order, in the page's own home. */
describe.each(pages)("%s", (page) => {
  const home = mkdtempSync(join(tmpdir(), "ikigai-docs-"));
  const bin = join(home, "bin");
  mkdirSync(bin);
  chmodSync(program, 0o755);
  symlinkSync(program, join(bin, "ikigai"));
  for (const tool of coreTools) symlinkSync(join(cli, "libexec/ikigai", tool), join(bin, tool));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const run = (script: string) => {
    const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home, NODE_EXTRA_CA_CERTS: "" };
    const { status, stdout, stderr } = spawnSync("sh", ["-c", script], { cwd: home, env, encoding: "utf8" });
    return { status, stdout, stderr };
  };
  const succeed = (script: string) => {
    const { status, stdout, stderr } = run(script);
    expect(status, stdout + stderr).toBe(0);
  };

  const blocks = blocksOf(page);
  // No blocks would mean that the pattern no longer matches.
  test("has blocks", () => expect(blocks).not.toEqual([]));

  test.each(blocks)("$kind: $text", ({ kind, text }) => {
    if (kind === "sh") succeed(`set -e\n${text}`);
    if (kind === "console") {
      for (const part of text.split(/^\$ /m).slice(1)) {
        const [command = "", ...output] = part.split("\n");
        const { stdout, stderr } = run(command);
        expect(stdout.trimEnd(), stderr).toBe(output.join("\n").trimEnd());
      }
    }
    if (kind === "tool") {
      const path = join(home, /\/([a-z-]+-tool)/.exec(text)?.[1] ?? "unnamed-tool");
      writeFileSync(path, text, { mode: 0o755 });
      succeed(`ikigai tool check ${path}`);
    }
  });
});
