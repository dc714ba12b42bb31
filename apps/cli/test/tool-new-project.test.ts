import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

/** An npm that installs 2,100 files and builds a small tool; no registry is needed. */
const npm = `#!/bin/sh
case $1 in
install) mkdir node_modules && cd node_modules && seq 2100 | xargs touch ;;
run) mkdir dist && tool=dist/$(basename "$PWD")-tool && cp "$IKIGAI_TEST_TOOL" "$tool" && chmod +x "$tool" ;;
esac
`;

/** A node that packs no libraries. */
const node = `#!/bin/sh
case $1 in
*/pack-libraries.mjs) exit ;;
esac
exec '${process.execPath}' "$@"
`;

/** A tool that answers with the name of its file. */
const tool = `#!/bin/sh
name=$(basename "$0" -tool)
[ "$1" = --schema ] && printf '{"name":"%s","description":"Say it","parameters":{"type":"object","properties":{}}}' "$name" && exit
cat > /dev/null
printf '{"name":"%s"}' "$name"
`;

/** Runs ikigai in a project, with programs that stand in for npm and node. */
async function project(files: Readonly<Record<string, string>> = {}) {
  const cwd = await tempDir(files);
  const programs = await tempDir({
    npm: { content: npm, mode: 0o755 },
    node: { content: node, mode: 0o755 },
    tool: { content: tool, mode: 0o644 },
  });
  const env = { HOME: await tempDir(), PATH: `${programs}:${process.env.PATH}`, IKIGAI_TEST_TOOL: `${programs}/tool` };
  return { cwd, run: (...args: string[]) => ikigai(args, { cwd, env }) };
}

const options = ["--lang", "typescript", "--project"];

test("three tools in TypeScript are usable in one project", { timeout: 60_000 }, async () => {
  const { cwd, run } = await project();
  for (const name of ["one", "two", "three"]) {
    const { exitCode, stdout, stderr } = await run("tool", "new", name, ...options);
    expect(stderr).not.toMatch(/not (in use|built)/i);
    expect(exitCode).toBe(0);
    // It leaves the folder as it was, so the tool remains trusted.
    expect(stdout).toMatch(/^Test it: +cd \S+ && npm ci .* && npm test && rm -r node_modules$/m);
    expect(readdirSync(join(cwd, ".ikigai/tools", name))).not.toContain("node_modules");
  }
  for (const name of ["one", "two", "three"])
    expect((await run("tool", "call", name, "{}")).stdout).toBe(`{"tool_success":true,"result":{"name":"${name}"}}\n`);
  expect(readFileSync(join(cwd, ".ikigai/tools/one/README.md"), "utf8")).toContain("remove `node_modules` first");
});

test("says why a project cannot be trusted, and what to do", { timeout: 60_000 }, async () => {
  const many = Object.fromEntries(
    Array.from({ length: 4_001 }, (_, index) => [`.ikigai/tools/old/node_modules/${index}`, ""]),
  );
  const { run } = await project(many);
  const reason =
    "It has more than 4000 files, 4000 of the first 4000 in .ikigai/tools/old/node_modules, which a built tool does not need: remove it.";
  const { stderr } = await run("tool", "new", "one", ...options);
  expect(stderr).toContain(`Not in use: the project cannot be trusted. ${reason} Then run: ikigai trust\n`);
  expect((await run("trust", "--yes")).stdout).toContain(`Cannot trust it: ${reason}`);
});
