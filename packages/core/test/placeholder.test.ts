import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { build } from "esbuild";
import { expect, test } from "vitest";

/** A project, and hosts that hold places in it: a function that runs code in one. */
async function stage() {
  const dir = await tempDir({ "project/": "", "temporary/": "", file: "" });
  const module = join(dir, "placeholder.mjs");
  const source = join(import.meta.dirname, "../src/leftovers/host-sandbox.ts");
  await build({ entryPoints: [source], bundle: true, platform: "node", format: "esm", outfile: module });
  const program = (home: string, code: string): string[] => {
    const start = `
      import { readdirSync, readFileSync, writeFileSync } from "node:fs";
      import { holdPlace } from ${JSON.stringify(module)};
      const hold = (name, content) => holdPlace({ path: ${JSON.stringify(`${dir}/project/`)} + name, content }, ${JSON.stringify(join(dir, home))});`;
    return ["--input-type=module", "-e", `${start}\n${code}`];
  };
  const run = (home: string, code: string, TMPDIR = join(dir, "temporary")) =>
    spawnSync(process.execPath, program(home, code), { cwd: dir, env: { ...process.env, TMPDIR }, encoding: "utf8" });
  const start = (home: string, code: string) => {
    const { stdin } = spawn(process.execPath, program(home, code), { cwd: dir, stdio: ["pipe", "ignore", "ignore"] });
    return { end: () => stdin?.end() };
  };
  return { dir, run, start, left: (path = "project") => readdirSync(join(dir, path)) };
}

/** A directory that cannot be created. */
const nowhere = "file/home";

test("removes a host's placeholders when it ends, but no file that has been written to", async () => {
  const { dir, run, left } = await stage();
  run(
    "home",
    'for (const name of ["config", "untouched"]) hold(name, ""); hold("hooks"); writeFileSync("project/config", "mine");',
  );
  expect(left()).toEqual(["config"]);
  expect(readFileSync(join(dir, "project/config"), "utf8")).toBe("mine");
});

test("removes them also if the home cannot be written, and leaves no record", async () => {
  const { run, left } = await stage();
  const { stdout } = run(nowhere, 'hold("config", ""); hold("hooks"); console.log(readdirSync("project").join());');
  expect([stdout, left(), left("temporary")]).toEqual(["config,hooks\n", [], []]);
});

test.each(["home", nowhere])(
  "those of a host that is killed go with it, unless they have changed (%s)",
  async (home) => {
    const { run, left } = await stage();
    run(
      home,
      `hold("hooks"); hold("config", ""); hold("mine", ""); hold("full");
    writeFileSync("project/mine", "mine"); writeFileSync("project/full/mine", "");
    process.kill(process.pid, "SIGKILL");`,
    );
    await expect.poll(() => left().sort()).toEqual(["full", "mine"]);
    await expect.poll(() => left("temporary").flatMap((name) => left(`temporary/${name}`))).toEqual([]);
  },
);

test("a host that is killed leaves those that another one holds", async () => {
  const { run, start, left } = await stage();
  const holding = start("home", 'hold("hooks"); process.stdin.resume();');
  await expect.poll(() => left()).toEqual(["hooks"]);
  run("home", 'hold("hooks"); hold("own"); process.kill(process.pid, "SIGKILL");');
  await expect.poll(() => left()).toEqual(["hooks"]);
  holding.end();
  await expect.poll(() => left()).toEqual([]);
});

test("removes those of a host that was killed with its watchdog and could not write its home", async () => {
  const { run, left } = await stage();
  run(
    nowhere,
    `hold("hooks");
    for (const pid of readFileSync("/proc/self/task/" + process.pid + "/children", "utf8").trim().split(" ")) process.kill(Number(pid), "SIGKILL");
    process.kill(process.pid, "SIGKILL");`,
  );
  expect(left()).toEqual(["hooks"]);
  // One that can, too.
  run("home", 'hold("hooks");');
  expect([left(), left("temporary")]).toEqual([[], []]);
});

test("creates none that it cannot record", async () => {
  const { dir, run, left } = await stage();
  const { stderr } = run(nowhere, 'hold("hooks");', "/dev/null/tmp");
  expect(stderr).toContain(
    `Error: ${dir}/project/hooks cannot be protected, because its placeholder cannot be recorded: ${dir}/file is not a directory`,
  );
  expect(left()).toEqual([]);
});

test("neither records nor believes records where others can write", async () => {
  const { dir, run, left } = await stage();
  const shared = join(dir, "temporary", `ikigai-placeholders-${process.geteuid?.()}`);
  // Another user says that the user's own directory is a placeholder of a host that was killed.
  const record = join(shared, createHash("sha256").update(join(dir, "project/mine")).digest("hex").slice(0, 32));
  mkdirSync(record, { recursive: true });
  writeFileSync(join(record, "999999999"), join(dir, "project/mine"));
  mkdirSync(join(dir, "project/mine"));
  chmodSync(shared, 0o777);
  expect(run("home", 'hold("mine");')).toMatchObject({ status: 0, stderr: "" });
  expect(left()).toEqual(["mine"]);
  expect(run(nowhere, 'hold("hooks");').stderr).toContain("its placeholder cannot be recorded");
  expect(left()).toEqual(["mine"]);
});
