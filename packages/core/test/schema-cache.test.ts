// @module-tag sampled
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { schema, tool, world } from "./world.ts";

/** A tool that records each schema request. */
function counting(name: string): string {
  return tool(schema(name)).replace("#!/bin/sh\n", '#!/bin/sh\necho asked >> "$0.log"\n');
}

function timesAsked(root: string, name = "a"): number {
  return readFileSync(join(root, `system/${name}-tool.log`), "utf8").split("\n").length - 1;
}

test("does not ask an unchanged tool again", async () => {
  const { root, home, discover } = await world({ "system/a-tool": counting("a") });
  const first = await discover();
  const again = await discover();
  expect(timesAsked(root)).toBe(1);
  expect(again.tools).toEqual(first.tools);
  expect(statSync(join(home, "cache/schemas.jsonl")).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, "cache")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(home, "cache"))).toEqual(["schemas.jsonl"]);
});

test("asks again after any change to the file, and with `fresh`", async () => {
  const { root, discover } = await world({ "system/a-tool": counting("a") });
  const path = join(root, "system/a-tool");
  const changes = [
    () => writeFileSync(path, `${counting("a")}# more\n`),
    // Same size, same mtime: ctime shows the change.
    () => {
      const { atime, mtime } = statSync(path);
      writeFileSync(path, readFileSync(path, "utf8").replace("# more", "# less"));
      utimesSync(path, atime, mtime);
    },
    () => chmodSync(path, 0o700),
  ];
  await discover();
  for (const [index, change] of changes.entries()) {
    change();
    await discover();
    await discover();
    expect(timesAsked(root)).toBe(index + 2);
  }
  await discover({ fresh: true });
  expect(timesAsked(root)).toBe(changes.length + 2);
});

test("asks again if the cache has another version", async () => {
  const { root, home, discover } = await world({ "system/a-tool": counting("a") });
  await discover();
  const path = join(home, "cache/schemas.jsonl");
  writeFileSync(path, readFileSync(path, "utf8").replace(/"version":\d+/, '"version":0'));
  expect((await discover()).tools).toMatchObject([{ name: "a" }]);
  expect(timesAsked(root)).toBe(2);
});

test("asks a failed tool again", async () => {
  const { root, discover } = await world({
    "system/a-tool": '#!/bin/sh\necho asked >> "$0.log"\n[ -f "$0.ready" ] && cat "$0.ready"\n',
  });
  expect((await discover()).failed).toMatchObject([{ name: "a", reason: "crash" }]);
  writeFileSync(join(root, "system/a-tool.ready"), schema("a"));
  expect((await discover()).tools).toMatchObject([{ name: "a" }]);
  expect(timesAsked(root)).toBe(2);
});

test("keeps tools apart that are one file under several names", async () => {
  const { root, discover } = await world({
    multi: `#!/bin/sh\nname=$(basename "$0" -tool)\nprintf '{"name":"%s","description":"%s","parameters":{}}' $name $name\n`,
  });
  chmodSync(join(root, "multi"), 0o755);
  for (const name of ["a", "b"]) symlinkSync("../multi", join(root, `system/${name}-tool`));
  for (const _ of ["asked", "remembered"]) {
    const { tools } = await discover();
    expect(tools.map((found) => found.schema.description)).toEqual(["a", "b"]);
    expect(new Set(tools.map(({ identity }) => identity.realPath))).toEqual(new Set([join(root, "multi")]));
  }
});

test("reads a schema that was kept only when it is asked for, and keeps it when others are learned", async () => {
  const declared = schema("a", { title: "A", outputSchema: { type: "object" }, annotations: { readOnlyHint: true } });
  const { root, discover } = await world({ "system/a-tool": tool(declared) });
  const [first] = (await discover()).tools;
  writeFileSync(join(root, "system/b-tool"), counting("b"), { mode: 0o755 });
  await discover();
  const [again, b] = (await discover()).tools;
  expect(again).toEqual(first);
  expect(JSON.parse(JSON.stringify(again))).toEqual(JSON.parse(JSON.stringify(first)));
  expect(b?.schema.description).toBe(JSON.parse(schema("b")).description);
});

test("ignores a cache that was cut off", async () => {
  const { root, home, discover } = await world({ "system/a-tool": counting("a") });
  await discover();
  const path = join(home, "cache/schemas.jsonl");
  writeFileSync(path, readFileSync(path).subarray(0, -10));
  expect((await discover()).tools[0]?.schema.parameters).toMatchObject({ type: "object" });
  expect(timesAsked(root)).toBe(2);
});

test.each([
  "",
  "{",
  "[]",
  '{"version":1}',
  '{"version":1,"tools":{"PATH":{}}}',
  '{"version":1,"tools":{"PATH":{"identity":{},"schema":{},"warnings":[]}}}',
])("ignores a damaged cache: %s", async (text) => {
  const { root, home, discover } = await world({ "system/a-tool": counting("a") });
  mkdirSync(join(home, "cache"));
  writeFileSync(join(home, "cache/schemas.jsonl"), text.replace("PATH", join(root, "system/a-tool")));
  expect((await discover()).tools).toMatchObject([{ name: "a" }]);
  await discover();
  expect(timesAsked(root)).toBe(1);
});

test("works with a home that is a file, and with one that is not writable", async () => {
  const { root, home, discover } = await world({ "system/a-tool": counting("a") });
  rmSync(home, { recursive: true });
  writeFileSync(home, "");
  expect((await discover()).tools).toMatchObject([{ name: "a" }]);
  expect((await discover()).tools).toMatchObject([{ name: "a" }]);
  expect(timesAsked(root)).toBe(2);
});

test("stays intact under concurrent writes", async () => {
  const names = Array.from({ length: 6 }, (_, index) => `t${index}`);
  const { root, home, discover } = await world(
    Object.fromEntries(names.map((name) => [`system/${name}-tool`, counting(name)])),
  );
  await Promise.all(Array.from({ length: 6 }, () => discover({ fresh: true })));
  const [index = ""] = readFileSync(join(home, "cache/schemas.jsonl"), "utf8").split("\n");
  expect(Object.keys(JSON.parse(index).files)).toHaveLength(names.length);
  const before = timesAsked(root, "t0");
  await discover();
  expect(timesAsked(root, "t0")).toBe(before);
});

test("finds two hundred unchanged tools without starting a process", { tags: ["slow"] }, async () => {
  const names = Array.from({ length: 200 }, (_, index) => `t${index}`);
  const { home, discover } = await world(
    Object.fromEntries(names.map((name) => [`system/${name}-tool`, counting(name)])),
  );
  const first = await discover();
  expect(first.tools).toHaveLength(200);
  const written = statSync(join(home, "cache/schemas.jsonl")).mtimeMs;
  const times: number[] = [];
  for (let run = 0; run < 20; run++) {
    const before = process.cpuUsage();
    await discover();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  expect(statSync(join(home, "cache/schemas.jsonl")).mtimeMs).toBe(written);
  // Measured: 2 ms of processor time, independent of load; the limit allows for slow machines.
  expect(times.sort((a, b) => a - b)[10]).toBeLessThan(60);
});
