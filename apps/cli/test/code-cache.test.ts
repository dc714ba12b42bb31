// @module-tag sampled
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin, cleanEnv } from "./ikigai.ts";

/** A copy of the command without compiled code, and what runs it. */
async function installed() {
  const root = await tempDir();
  cpSync(dirname(bin), join(root, "dist"), { recursive: true });
  const env = await cleanEnv();
  const cache = join(root, "code-cache", `${process.version}-${process.arch}`);
  const run = (extra: object = {}, launcher: readonly string[] = []) => {
    const words = [...launcher, process.execPath, join(root, "dist/ikigai.js"), "help", "files"];
    const ended = spawnSync("env", words, { encoding: "utf8", env: { ...env, ...extra } });
    expect(ended).toMatchObject({ status: 0, stderr: "" });
    return ended.stdout;
  };
  const files = () => readdirSync(cache).map((name) => join(cache, name));
  return { root, cache, run, files };
}

test("keeps the compiled code of the files that were loaded, and uses it", async () => {
  const { root, run, files } = await installed();
  const text = run();
  const names = files().map((path) => path.slice(path.lastIndexOf("/") + 1));
  expect(names.length).toBeGreaterThan(3);
  for (const name of names) expect(existsSync(join(root, "dist", name)), name).toBe(true);
  const before = files().map((path) => statSync(path).ino);
  expect(run()).toBe(text);
  expect(files().map((path) => statSync(path).ino)).toEqual(before);
});

test("replaces damaged cache files, and ignores those of another source", async () => {
  const { root, run, files } = await installed();
  const text = run();
  const kept = files();
  const good = kept.map((path) => readFileSync(path));
  const damages: ((content: Buffer) => Buffer)[] = [
    () => Buffer.alloc(0),
    (content) => content.subarray(0, 20),
    (content) => content.subarray(0, content.length - 8),
    (content) => Buffer.from(content).fill(0xff, content.length >> 1, (content.length >> 1) + 1),
    (content) => Buffer.alloc(content.length),
  ];
  for (const damage of damages) {
    for (const [index, path] of kept.entries()) writeFileSync(path, damage(good[index] as Buffer));
    expect(run()).toBe(text);
    for (const path of kept) expect(readFileSync(path).length).toBeGreaterThan(32);
  }
  const cli = kept.find((path) => /\/cli-[^/]+$/.test(path)) ?? "";
  const source = join(root, "dist", cli.slice(cli.lastIndexOf("/") + 1));
  writeFileSync(source, `throw new Error("changed");${readFileSync(source, "utf8")}`);
  const changed = spawnSync(process.execPath, [join(root, "dist/ikigai.js"), "help"], { encoding: "utf8" });
  expect(changed.stderr).toContain("Cannot load the program (changed)");
});

test("runs without a cache, and without a message, in a read-only package or with NODE_DISABLE_COMPILE_CACHE", async () => {
  const { root, cache, run } = await installed();
  const text = run({ NODE_DISABLE_COMPILE_CACHE: "1" });
  expect(existsSync(join(root, "code-cache"))).toBe(false);
  writeFileSync(join(root, "code-cache"), "in the way");
  expect(run()).toBe(text);
  rmSync(join(root, "code-cache"));
  expect(run({}, ["sh", "-c", 'ulimit -f 4; exec "$@"', "sh"])).toBe(text);
  const left = readdirSync(cache);
  expect(left.filter((name) => /\.\d+$/.test(name))).toEqual([]);
});
