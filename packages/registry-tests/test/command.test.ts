import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { beforeAll, describe, expect, test } from "vitest";
import { shippedToolNames } from "../../../apps/cli/test/shipped-tools.ts";
import { openTerminal } from "../../../apps/cli/test/terminal.ts";
import { installMs, type Machine, newMachine } from "./machine.ts";
import { released } from "./released.ts";
import { version } from "./repository.ts";

const { registry, pnpm } = await released();

/** Matches a whole line anywhere on the screen. */
const prompt = /^[›>]\s*$/m;

const installers = [
  { name: "npm", install: "npm install --global @ikigai/cli", list: "npm ls --global --all --parseable" },
  { name: "pnpm", install: "pnpm add --global @ikigai/cli", list: "pnpm ls --global --depth=9 --parseable" },
];

describe.each(installers)("installed with $name on a machine that has nothing else", ({ name, install, list }) => {
  let user: Machine;
  let said: string;

  beforeAll(async () => {
    user = await newMachine([`registry=${registry}`], { programs: name === "pnpm" ? [pnpm] : [] });
    const { stdout, stderr } = await user.shell(install);
    said = stdout + stderr;
  }, installMs);

  test("the installation prints no warning and installs nothing else", async () => {
    expect(said).not.toMatch(/warn|deprecated|EBADENGINE|approve-builds/i);
    const { stdout } = await user.shell(list);
    const packages = stdout.split("\n").filter((line) => /node_modules/.test(line));
    expect(packages).toEqual([expect.stringMatching(/@ikigai\/cli$/)]);
  });

  test("prints its version, and finds its tools, which are executable", async () => {
    expect((await user.shell("ikigai --version")).stdout).toContain(version);
    const list = JSON.parse((await user.shell("ikigai tool list --json")).stdout);
    expect(list).toMatchObject(shippedToolNames.map((tool) => ({ name: tool, scope: "system", status: "loaded" })));
    for (const { path } of list) expect(lstatSync(path).mode & 0o111, path).not.toBe(0);
    for (const { path } of list)
      expect(realpathSync(path), "inside of what was installed").toContain(realpathSync(user.home));
  });

  // pnpm does not link man pages.
  if (name === "npm")
    test("installs its man page", () => {
      expect(readFileSync(join(user.home, "prefix/share/man/man1/ikigai.1"), "utf8")).toMatch(/^\.TH IKIGAI 1/m);
    });

  test("runs a task without a terminal", async () => {
    const cwd = await tempDir();
    const { stdout } = await user.shell('ikigai --model offline -p "run echo hello from $PWD" --allow bash', { cwd });
    expect(stdout).toBe(`hello from ${cwd}\n`);
    expect(readdirSync(join(user.home, ".ikigai/sessions"))).toHaveLength(1);
  });

  test("opens the REPL in a terminal", async () => {
    const cwd = await tempDir({ "notes.txt": "first line\nsecond line\n" });
    const terminal = await openTerminal([], { cwd, env: user.env, command: ["sh", "-c", "exec ikigai"] });
    await terminal.waitFor(prompt);
    terminal.type("read notes.txt\r");
    await terminal.waitFor("second line");
    await terminal.waitFor(prompt);
    terminal.type("/quit\r");
    expect(await terminal.exitCode).toBe(0);
  });
});
