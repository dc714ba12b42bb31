// @module-tag sampled
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { hookWorld, writeScript } from "./hook-world.ts";

const examples = fileURLToPath(new URL("../../../examples/hooks", import.meta.url));
const isMissing = (program: string) => spawnSync(program, ["--version"]).error !== undefined;

/** A user with one of the examples as a hook, and with programs that stand in for others. */
async function withExample(
  name: string,
  place: string,
  { files = {}, programs = {} }: { files?: Record<string, string>; programs?: Record<string, string> } = {},
) {
  const bin = await tempDir();
  for (const [program, script] of Object.entries(programs)) writeScript(join(bin, program), script);
  const world = await hookWorld(files, bin);
  const directory = join(world.home, ".ikigai/hooks", place);
  mkdirSync(directory, { recursive: true });
  cpSync(join(examples, name), join(directory, name));
  chmodSync(join(directory, name), 0o755);
  return world;
}

test("the README names every example", () => {
  const text = readFileSync(join(examples, "README.md"), "utf8");
  for (const name of readdirSync(examples)) if (name !== "README.md") expect(text).toContain(`| \`${name}\` |`);
});

test.skipIf(isMissing("jq"))(
  "guard refuses what cannot be undone, asks about publishing, and allows the rest",
  async () => {
    const { ask, project } = await withExample("guard", "before-call/bash");
    expect(await ask("run git push --force")).toMatchObject({
      error: expect.stringContaining("This rewrites history"),
    });
    expect(await ask("run npm publish")).toMatchObject({
      error: expect.stringContaining("asks about it: it publishes something"),
    });
    expect(await ask("run npm publish --dry-run && npm publish")).toMatchObject({
      error: expect.stringContaining("it publishes something"),
    });
    // Nothing is run even if the guard lets it through.
    const refusal = async (command: string) => (await ask(`run false && ${command}`)).error ?? "";
    for (const command of ["git push -uf origin main", "cd x && git push origin main -f; ls"])
      expect(await refusal(command)).toContain("This rewrites history");
    expect(await refusal("git reset --hard origin/main")).toContain("This throws away commits");
    for (const command of [
      "rm -rf /",
      "rm -rf ~/x",
      "rm -rf /work",
      `rm -rf ${project}/../x`,
      "rm -rf /tmp/x /",
      "rm -fr /",
      'rm -rf "/work"',
    ])
      expect(await refusal(command)).toContain("This removes more than the project.");
    expect(await ask("run echo hi")).toMatchObject({ result: { output: "hi" } });
  },
);

test.skipIf(isMissing("jq"))("guard allows what its messages recommend, and what they are not about", async () => {
  const { ask, project } = await withExample("guard", "before-call/bash");
  const commands = [
    "git push --force-with-lease origin mine",
    "git push --follow-tags",
    "git push; tail -f /dev/null --version",
    `mkdir x && rm -rf ${project}/x /tmp/no-such-file-of-ikigai`,
    "npm publish --dry-run",
  ];
  for (const command of commands) {
    const { error = "" } = await ask(`run false && ${command}`);
    expect(error, command).not.toContain("hook");
  }
});

test.skipIf(isMissing("jq"))("secrets-in-diff refuses a commit with a key", async () => {
  const { ask, project } = await withExample("secrets-in-diff", "before-call/bash", { files: { "a.txt": "plain\n" } });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: project, stdio: "pipe" });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
  writeFileSync(join(project, "a.txt"), "changed\n");
  expect(await ask("run git commit --dry-run -a")).toMatchObject({ tool_success: true });
  writeFileSync(join(project, "a.txt"), `key = AKIA${"A".repeat(16)}\n`);
  expect(await ask("run git commit --dry-run -a")).toMatchObject({
    error: expect.stringContaining("what looks like a key"),
  });
  expect(await ask("run echo hi")).toMatchObject({ tool_success: true });
});

test.skipIf(isMissing("jq"))("format-after-edit formats with what the project uses, and nothing else", async () => {
  const files = { "main.go": "package alpha\n", "a.py": "x = alpha\n", "go.mod": "module x\n" };
  const programs = { gofmt: 'echo "// formatted" >> "$2"', ruff: 'echo "# formatted" >> "$3"' };
  const { ask, project } = await withExample("format-after-edit", "after-call/file_*", { files, programs });
  expect(await ask("replace alpha with beta in main.go")).toMatchObject({ tool_success: true });
  await ask("replace alpha with beta in a.py");
  expect(readFileSync(join(project, "main.go"), "utf8")).toBe("package beta\n// formatted\n");
  expect(await ask("read main.go")).toMatchObject({ tool_success: true });
  expect(await ask("replace nothing-like-it with x in main.go")).toMatchObject({
    result: { error: expect.anything() },
  });
  expect(readFileSync(join(project, "main.go"), "utf8")).toBe("package beta\n// formatted\n");
  expect(readFileSync(join(project, "a.py"), "utf8")).toBe("x = beta\n");
});

test.skipIf(isMissing("jq"))("check-after-edit gives the model what the checkers find", async () => {
  const files = { "a.ts": "let a = alpha\n", "tsconfig.json": "{}\n", "b.py": "alpha\n", "c.go": "package alpha\n" };
  const programs = {
    tsc: "echo 'a.ts(1,5): error TS2322: wrong'; exit 2",
    ruff: "echo 'b.py:1:1: F821 undefined'; exit 1",
    gofmt: 'shift 2; echo "$1"',
  };
  const { ask } = await withExample("check-after-edit", "after-call/file_*", { files, programs });
  const found = async (file: string) => (await ask(`replace alpha with beta in ${file}`)).hook_context;
  expect(await found("a.ts")).toContain("error TS2322: wrong");
  expect(await found("b.py")).toContain("F821 undefined");
  expect(await found("c.go")).toContain("not formatted: c.go");
  expect((await ask("read c.go")).hook_context).toBeUndefined();
});

test.skipIf(isMissing("jq"))("notify sends a desktop message", async () => {
  const { run, home } = await withExample("notify", "stop", {
    programs: { "notify-send": 'echo "$1: $2" > "$HOME/sent"' },
  });
  await run("-p", "run echo hi", "--allow", "bash", "--model", "offline");
  expect(readFileSync(join(home, "sent"), "utf8")).toBe("ikigai: ikigai has finished\n");
});
