import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "ikigai-docs-"));
const bin = join(home, "bin");
mkdirSync(bin);
chmodSync(join(root, "apps/cli/dist/ikigai.js"), 0o755);
symlinkSync(join(root, "apps/cli/dist/ikigai.js"), join(bin, "ikigai"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What only a person does: CI starts these two from a fresh clone, and nobody here has a key or an Ollama. */
const byHand = /^(npm (start|test)|export |ollama )/;

const blocks = ["README.md", "docs/writing-a-tool.md", "docs/protocol.md", "apps/cli/README.md"].flatMap((file) =>
  [...readFileSync(join(root, file), "utf8").matchAll(/^```(sh|console)\n(.*?)^```/gms)].map(([, kind, text]) => ({
    file,
    kind,
    text: String(text),
  })),
);

const scripts = blocks.filter(({ kind, text }) => kind === "sh" && !text.startsWith("#!") && !byHand.test(text));
const sessions = blocks.filter(({ kind }) => kind === "console");
const tools = blocks.filter(({ text }) => text.startsWith("#!"));

test.each(scripts)("the commands of $file work: $text", ({ text }) => {
  expect(run(`set -e\n${text}`)).toMatchObject({ status: 0 });
});

test.each(sessions)("the session in $file goes as it says: $text", ({ text }) => {
  for (const part of text.split(/^\$ /m).slice(1)) {
    const [command = "", ...output] = part.split("\n");
    expect(run(command).stdout.trimEnd()).toBe(output.join("\n").trimEnd());
  }
});

test.each(tools)("the tool in $file is one: $text", ({ text }) => {
  const name = /\/([a-z-]+-tool)/.exec(text)?.[1] ?? "unnamed-tool";
  const path = join(home, name);
  execFileSync("sh", ["-c", 'cat > "$0" && chmod +x "$0"', path], { input: text });
  expect(run(`ikigai tool check ${path}`)).toMatchObject({ status: 0 });
});

function run(script: string) {
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home };
  const { status, stdout, stderr } = spawnSync("sh", ["-c", script], { cwd: home, env, encoding: "utf8" });
  return { status, stdout, stderr };
}
