// Promise 2 of SECURITY.md.
// @module-tag sampled
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { bin, cleanEnv } from "./ikigai.ts";

const built = dirname(dirname(bin));

/** Copies the built command into a project. */
async function installed(at: string): Promise<{ root: string; project: string; place: string }> {
  const root = await tempDir({ "home/": "", "project/": "" });
  const project = join(root, "project");
  const place = join(project, at);
  for (const part of ["dist", "libexec", "package.json"])
    cpSync(join(built, part), join(place, part), { recursive: true });
  return { root, project, place };
}

/** All that a package manager would link; the second is the first with hard links. */
async function linkedHard(first: string, second: string): Promise<{ root: string; project: string; program: string }> {
  const { root, project, place } = await installed(first);
  mkdirSync(dirname(join(project, second)), { recursive: true });
  spawnSync("cp", ["-rl", place, join(project, second)]);
  return { root, project, program: join(place, "dist/ikigai.js") };
}

/** Runs a command in the sandbox of the ikigai at this path. */
async function run(program: string, root: string, command: string) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, "tool", "call", "bash", JSON.stringify({ command }), "--sandbox"],
    { cwd: join(root, "project"), env: await cleanEnv(join(root, "home")), encoding: "utf8" },
  );
  return { status, stderr, result: stdout && JSON.parse(stdout).result };
}

test
  .skipIf(!hasBubblewrap)
  .each(["node_modules/.pnpm/@ikigai+cli@1.0.0/node_modules/@ikigai/cli", "node_modules/@ikigai/cli"])(
  "an ikigai elsewhere cannot be changed through its hard links in %s (needs bwrap)",
  async (copy) => {
    const { root, project, program } = await linkedHard("../global/node_modules/@ikigai/cli", copy);
    const before = readFileSync(program, "utf8");
    for (const attempt of [
      `echo x >> ${copy}/dist/ikigai.js`,
      `echo x >> ${copy}/libexec/ikigai/grep-tool`,
      "mv node_modules old",
    ]) {
      const { result } = await run(program, root, attempt);
      expect({ attempt, exit: result?.exit_code }).toEqual({ attempt, exit: expect.toSatisfy((code) => code > 0) });
    }
    expect(readFileSync(program, "utf8")).toBe(before);
    expect((await run(program, root, "touch node_modules/new")).result).toMatchObject({ exit_code: 0 });
    expect(existsSync(join(project, "node_modules/new"))).toBe(true);
  },
);

describe.skipIf(!hasBubblewrap)("an ikigai in the project (needs bwrap)", () => {
  test("that is installed cannot be changed by its tools, nor can its launcher", async () => {
    const { root, project, place } = await installed("node_modules/@ikigai/cli");
    mkdirSync(join(project, "node_modules/.bin"));
    symlinkSync("../@ikigai/cli/dist/ikigai.js", join(project, "node_modules/.bin/ikigai"));
    const before = readFileSync(join(place, "dist/ikigai.js"), "utf8");
    const attempts = [
      "echo x >> node_modules/@ikigai/cli/dist/ikigai.js",
      "echo x >> node_modules/@ikigai/cli/libexec/ikigai/grep-tool",
      "echo x > node_modules/@ikigai/cli/dist/package.json",
      "rm node_modules/.bin/ikigai",
      "echo x > node_modules/.bin/node",
      "mv node_modules old",
      "mv node_modules/@ikigai old",
      "rm -rf node_modules/@ikigai",
    ];
    for (const attempt of attempts) {
      const { result } = await run(join(project, "node_modules/.bin/ikigai"), root, attempt);
      expect({ attempt, code: result?.exit_code !== 0 }).toEqual({ attempt, code: true });
    }
    expect(readFileSync(join(place, "dist/ikigai.js"), "utf8")).toBe(before);
    const { result } = await run(
      join(project, "node_modules/.bin/ikigai"),
      root,
      "mkdir node_modules/other && touch made",
    );
    expect(result).toMatchObject({ exit_code: 0 });
  });

  test("that is installed by pnpm cannot be replaced", { tags: ["slow"] }, async () => {
    const { root, project } = await installed("node_modules/.pnpm/@ikigai+cli@1.0.0/node_modules/@ikigai/cli");
    mkdirSync(join(project, "node_modules/@ikigai"));
    symlinkSync("../.pnpm/@ikigai+cli@1.0.0/node_modules/@ikigai/cli", join(project, "node_modules/@ikigai/cli"));
    const program = join(project, "node_modules/@ikigai/cli/dist/ikigai.js");
    for (const attempt of [
      "rm node_modules/@ikigai/cli",
      "mv node_modules/@ikigai old",
      "echo x >> node_modules/@ikigai/cli/dist/ikigai.js",
      "mv node_modules/.pnpm old",
    ]) {
      const { result } = await run(program, root, attempt);
      expect({ attempt, code: result?.exit_code !== 0 }).toEqual({ attempt, code: true });
    }
    expect((await run(program, root, "mkdir node_modules/.pnpm/other")).result).toMatchObject({ exit_code: 0 });
  });

  test("that is a source tree can be changed, except its build output", async () => {
    const { root, project, place } = await installed("apps/cli");
    mkdirSync(join(place, "src"));
    writeFileSync(join(place, "src/main.ts"), "");
    const program = join(place, "dist/ikigai.js");
    for (const file of ["dist/ikigai.js", "libexec/ikigai/bash-tool", "package.json"]) {
      const { result } = await run(program, root, `echo x >> apps/cli/${file}`);
      expect({ file, code: result?.exit_code !== 0 }).toEqual({ file, code: true });
    }
    expect((await run(program, root, "echo x >> apps/cli/src/main.ts && rm -rf node_modules")).result).toMatchObject({
      exit_code: 0,
    });
    expect(existsSync(join(project, "apps/cli/src/main.ts"))).toBe(true);
  });

  test("that is a source tree keeps its compiled code, which runs at the next start, from its tools", async () => {
    const { root, place } = await installed("apps/cli");
    const program = join(place, "dist/ikigai.js");
    for (const attempt of [
      "touch apps/cli/code-cache/x",
      "mv apps/cli/code-cache old",
      "mkdir -p apps/cli/code-cache/v1",
    ])
      expect({ attempt, code: (await run(program, root, attempt)).result?.exit_code !== 0 }).toEqual({
        attempt,
        code: true,
      });
  });

  test("that is started by a link in its root is refused", async () => {
    const { root, project, place } = await installed("tools/ikigai");
    symlinkSync(join(place, "dist/ikigai.js"), join(project, "ik"));
    const { status, stderr } = await run(join(project, "ik"), root, "true");
    expect(stderr).toContain("was started through a symbolic link in");
    expect(status).not.toBe(0);
  });
});
