import { mkdtempSync, readFileSync } from "node:fs";
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

/** Makes a tool in a new directory. */
async function newTool(command: string, flag: string) {
  const cwd = mkdtempSync(join(developer.home, "new-"));
  return { cwd, ...(await developer.shell(`${command} tool new ts_count --lang typescript${flag}`, { cwd })) };
}

test.runIf(inject("isThorough")).each(["", " --project"])(
  "a new tool in TypeScript works at once: --lang typescript%s",
  slow,
  async (flag) => {
    const { cwd, stdout, stderr } = await newTool("ikigai", flag);
    expect(stderr).not.toMatch(/not built|not in use|the libraries of/i);
    const next = [...stdout.matchAll(/^(?:Call|Check|Test) it: +(.*)$/gm)].map(([, command]) => command).join("\n");
    const { stdout: said } = await developer.shell(next, { cwd });
    expect(said).toContain('{"tool_success":true,"result":{"lines":0,"words":2}}');
    expect(said).toMatch(/^Conforms to the protocol: \d+ checks passed(?:, \d+ skipped)?\.$/m);
    // Its own tests show the checks that do not apply to it as skipped, as `tool check` does.
    const [, skipped] = /^Conforms .*, (\d+) skipped\.$/m.exec(said) ?? [];
    expect(stripVTControlCharacters(said)).toMatch(new RegExp(`Tests .*\\d{2,} passed \\| ${skipped} skipped`));
    // Neither its tests nor its calls change what the user trusts.
    const [, call = ""] = /^Call it: +(.*)$/m.exec(stdout) ?? [];
    expect((await developer.shell(call, { cwd })).stdout).toContain('"words":2');
  },
);

test.runIf(inject("isThorough"))("a project's tool in TypeScript works in a clone of the project", slow, async () => {
  const { cwd, stdout } = await newTool("ikigai", " --project");
  const commit = "git init -q . && git add -A && git -c user.name=A -c user.email=a@example.org commit -qm Begin";
  await developer.shell(`${commit} && git clone -q . clone && cd clone && ikigai trust --yes`, { cwd });
  const [, call = ""] = /^Call it: +(.*)$/m.exec(stdout) ?? [];
  expect((await developer.shell(call, { cwd: join(cwd, "clone") })).stdout).toContain('"words":2');
});

test.runIf(inject("isThorough"))("two tools in TypeScript are usable in one project", slow, async () => {
  const { cwd } = await newTool("ikigai", " --project");
  const { stderr } = await developer.shell("ikigai tool new other --lang typescript --project", { cwd });
  expect(stderr).not.toMatch(/not built|not in use/i);
  const calls = `ikigai tool call ts_count '{"text":"a"}' && ikigai tool call other '{"text":"a"}'`;
  expect((await developer.shell(calls, { cwd })).stdout.match(/"words":1/g)).toHaveLength(2);
});

test.runIf(inject("isThorough"))("from a clone, its libraries are those of the clone", slow, async () => {
  const command = `node ${join(release.repository, "apps/cli/dist/ikigai.js")}`;
  const { cwd, stdout, stderr } = await newTool(command, " --dir .");
  expect(stderr).toContain(`Using the libraries of ${release.repository} instead of the published ones.`);
  expect(stderr).not.toMatch(/not built/i);
  const { packages } = JSON.parse(readFileSync(join(cwd, "ts-count/package-lock.json"), "utf8"));
  for (const name of ["protocol", "testing", "tool-sdk"])
    expect(packages[`node_modules/@ikigai/${name}`].resolved).toMatch(/^file:packages\/ikigai-/);
  const [, call = ""] = /^Call it: +(.*)$/m.exec(stdout) ?? [];
  expect((await developer.shell(call, { cwd })).stdout).toBe('{"lines":0,"words":2}');
  await developer.shell("cd ts-count && npm test", { cwd });
});
