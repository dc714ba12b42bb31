import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { findHooks } from "../src/hooks.ts";
import { revokeTrust, trust, trustStatus } from "../src/index.ts";
import { trustFiles } from "../src/trust.ts";
import { schema, tool, world } from "./world.ts";

const isRoot = process.getuid?.() === 0;

const damages: readonly [string, (file: string) => void, RegExp][] = [
  ["is cut off", (file) => truncateSync(file, 40), /is damaged: .* at byte \d+\. Fix it, or remove it .*: rm \//],
  ["is empty", (file) => truncateSync(file), /is damaged: it is empty\. /],
  ["has another form", (file) => writeFileSync(file, '{"projects":[]}'), /is damaged: it does not have the form/],
  ["has a damaged entry", (file) => writeFileSync(file, '{"projects":{"/a":{"b":1}}}'), /is damaged: /],
  [
    "is writable by anyone",
    (file) => chmodSync(file, 0o602),
    /can be written by others \(mode 602\)\. .* chmod go-w \//,
  ],
  ["is writable by its group", (file) => chmodSync(file, 0o620), /can be written by others \(mode 620\)\. /],
  ["is a directory", asDirectory, /is not a regular file\. Move it away\.$/],
];

function asDirectory(file: string): void {
  rmSync(file);
  mkdirSync(file);
}

/** Two trusted projects. */
async function stage() {
  const { home, projectDir, discover } = await world({ "project/.ikigai/tools/a-tool": tool(schema("a")) });
  const other = { home, projectDir: await tempDir({ ".ikigai/tools/b-tool": tool(schema("b")) }) };
  const place = { home, projectDir };
  await trust(place);
  await trust(other);
  return { place, other, discover, file: join(home, "trust.json") };
}

test.each(damages)(
  "trusts nothing from a file that %s, says why, and does not overwrite it",
  async (_, spoil, problem) => {
    const { place, discover, file } = await stage();
    spoil(file);
    const state = () => [lstatSync(file).mode, lstatSync(file).isFile() && readFileSync(file, "utf8")];
    const before = state();
    const refused = { status: "untrusted", problem: expect.stringMatching(problem) };
    expect(await trustStatus(place)).toMatchObject(refused);
    expect(await discover()).toMatchObject({ trust: "untrusted", trustProblem: expect.stringMatching(problem) });
    expect(await trust(place)).toMatchObject(refused);
    expect(await trustFiles({ ...place, isOurs: () => true })).toMatchObject(refused);
    await expect(revokeTrust(place)).rejects.toMatchObject({ name: "TrustStoreProblem", code: "trust_unreadable" });
    expect(state()).toEqual(before);
  },
);

test("says what is where the lock of the decisions should be", async () => {
  const { place, file } = await stage();
  mkdirSync(`${file}.lock`);
  const message = expect.stringContaining("Move it away.");
  await expect(revokeTrust(place)).rejects.toMatchObject({ name: "TrustStoreProblem", code: "trust_locked", message });
});

test("trusts again what was approved once no other user can write the file", async () => {
  const { place, other, file } = await stage();
  chmodSync(file, 0o666);
  const seen = await trustStatus(place);
  chmodSync(file, 0o600);
  expect(seen.status).toBe("untrusted");
  for (const one of [place, other]) expect((await trustStatus(one)).status).toBe("trusted");
});

test("a file that is spoiled after the user has looked is not overwritten", async () => {
  const { place, file } = await stage();
  writeFileSync(join(place.projectDir, ".ikigai/new"), "");
  const seen = await trustStatus(place);
  writeFileSync(file, "{");
  await expect(trust({ ...place, seen })).rejects.toThrow("is damaged");
  expect(readFileSync(file, "utf8")).toBe("{");
});

test("a project without files has no problem", async () => {
  const { place, file } = await stage();
  writeFileSync(file, "{");
  expect(await trustStatus({ ...place, projectDir: await tempDir() })).not.toHaveProperty("problem");
});

test("hooks that were approved are still known, and say why they cannot be run", async () => {
  const { place, file } = await stage();
  mkdirSync(join(place.projectDir, ".ikigai/hooks/before-call"), { recursive: true });
  writeFileSync(join(place.projectDir, ".ikigai/hooks/before-call/guard"), "#!/bin/sh\n", { mode: 0o755 });
  await trust(place);
  const finder = findHooks(place);
  expect((await finder.find("before-call")).hooks).toHaveLength(1);
  writeFileSync(file, "{");
  expect(await finder.find("before-call")).toMatchObject({
    hooks: [{ name: "before-call/guard", problem: expect.stringContaining("is damaged") }],
    trustProblem: expect.stringContaining("is damaged"),
  });
});

test.runIf(isRoot)("trusts nothing from another user's file (needs root)", async () => {
  const { place, file } = await stage();
  chownSync(file, 65_534, 65_534);
  const problem = `${file} belongs to another user (uid 65534). Move it away.`;
  expect(await trust(place)).toMatchObject({ status: "untrusted", problem });
});
