import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, expect, inject, test } from "vitest";
import { newDeveloper } from "./developer.ts";
import { installMs, type Machine } from "./machine.ts";
import { released } from "./released.ts";

const release = await released();

/** Time limit for installing an author's dependencies and running all checks, in milliseconds. */
const slow = { timeout: 400_000 };

let developer: Machine;

beforeAll(async () => {
  if (!inject("isThorough")) return;
  developer = await newDeveloper(release, []);
  await developer.shell("npm install --global @ikigai/cli");
}, installMs);

test.runIf(inject("isThorough")).each(["", " --project"])(
  "a new tool in TypeScript works at once: --lang typescript%s",
  slow,
  async (flag) => {
    const cwd = join(developer.home, `new${flag.trim()}`);
    mkdirSync(cwd);
    const { stdout, stderr } = await developer.shell(`ikigai tool new ts_count --lang typescript${flag}`, { cwd });
    expect(stderr).not.toMatch(/not built|not in use/i);
    const next = [...stdout.matchAll(/^(?:Call|Check|Test) it: +(.*)$/gm)].map(([, command]) => command).join("\n");
    const { stdout: said } = await developer.shell(next, { cwd });
    expect(said).toContain('{"tool_success":true,"result":{"lines":0,"words":2}}');
    expect(said).toMatch(/^Conforms to the protocol: \d+ checks passed(?:, \d+ skipped)?\.$/m);
    // Its own tests show the checks that do not apply to it as skipped, as `tool check` does.
    const [, skipped] = /^Conforms .*, (\d+) skipped\.$/m.exec(said) ?? [];
    expect(stripVTControlCharacters(said)).toMatch(new RegExp(`Tests .*\\d{2,} passed \\| ${skipped} skipped`));
  },
);
