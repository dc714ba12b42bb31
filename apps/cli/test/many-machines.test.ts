// @module-tag sampled
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { hasSshd, startSshd } from "../../../packages/core/test/sshd.ts";
import { bin } from "./ikigai.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const once = join(root, "examples/many-machines/once.sh");
const hasParallel = spawnSync("parallel", ["--version"], { encoding: "utf8" }).stdout?.startsWith("GNU parallel");
const hasFlock = spawnSync("flock", ["--version"]).error === undefined;

/** A task that counts how often it has begun and ended, and takes a while. */
const work = "echo begun >> runs.txt; sleep 0.3; echo ended >> runs.txt";

/** A home with `ikigai` and `once.sh` on its PATH, and directories with the task. */
async function workplace(count: number) {
  const names = Array.from({ length: count }, (_, index) => `repository-${index}`);
  const home = await tempDir({
    "bin/": "",
    ...Object.fromEntries(names.map((name) => [`src/${name}/work.sh`, work])),
  });
  symlinkSync(bin, join(home, "bin/ikigai"));
  copyFileSync(once, join(home, "bin/once.sh"));
  chmodSync(join(home, "bin/once.sh"), 0o755);
  const directories = names.map((name) => join(home, "src", name));
  writeFileSync(join(home, "repositories.txt"), `${directories.join("\n")}\n`);
  const env = { HOME: home, PATH: `${join(home, "bin")}:${process.env.PATH}` };
  const runsOf = (directory: string) => readFileSync(join(directory, "runs.txt"), "utf8");
  return { home, env, directories, runsOf };
}

/** `run sh work.sh`, as the offline interpreter understands it. */
const task = ["run sh work.sh", "--model", "offline", "--allow", "bash(sh work.sh)"];

test.skipIf(!hasFlock)(
  "once.sh does a task once, also for two callers at a time, and prints the same result",
  async () => {
    const { env, directories, runsOf } = await workplace(1);
    const [directory = ""] = directories;
    const call = () =>
      new Promise<{ code: number | null; out: string }>((settle) => {
        const child = spawn("once.sh", [directory, ...task], { env, stdio: ["ignore", "pipe", "ignore"] });
        let out = "";
        child.stdout.on("data", (chunk) => {
          out += chunk;
        });
        child.once("close", (code) => settle({ code, out }));
      });
    const [first, second] = await Promise.all([call(), call()]);
    const third = await call();
    expect(first.code).toBe(0);
    expect(JSON.parse(first.out)).toMatchObject({ tool_calls: [{ name: "bash" }] });
    expect([second, third]).toEqual([first, first]);
    expect(runsOf(directory)).toBe("begun\nended\n");
  },
);

test.skipIf(!hasFlock)("once.sh repeats a task that failed, and one of another prompt", async () => {
  const { env, directories, runsOf } = await workplace(1);
  const [directory = ""] = directories;
  const call = (...args: string[]) => spawnSync("once.sh", [directory, ...args], { env, encoding: "utf8" });
  const failing = ["say something that it cannot understand", "--model", "offline"];
  expect(call(...failing).status).toBe(1);
  expect(call(...failing).status).toBe(1);
  expect(call(...task).status).toBe(0);
  expect(call(...task.map((word) => word.replace("run sh", "run  sh"))).status).toBe(0);
  expect(runsOf(directory)).toBe("begun\nended\nbegun\nended\n");
});

test.skipIf(!hasFlock)("once.sh tells the same relative path in two places apart", async () => {
  const { home, env } = await workplace(1);
  const [here = "", there = ""] = ["here", "there"].map((place) => join(home, place));
  for (const cwd of [here, there]) mkdirSync(join(cwd, "repository"), { recursive: true });
  const call = (directory: string, cwd: string) =>
    spawnSync("once.sh", [directory, "run pwd", "--model", "offline", "--allow", "bash(pwd)"], {
      env: { ...env, CDPATH: here },
      cwd,
      encoding: "utf8",
    }).stdout;
  const first = call("repository", here);
  expect(JSON.parse(first).result).toContain(join(here, "repository"));
  expect(JSON.parse(call("repository", there)).result).toContain(join(there, "repository"));
  expect(call("./repository/", here)).toBe(first);
  expect(call(join(here, "repository"), there)).toBe(first);
});

test.skipIf(!hasParallel || !hasSshd || !hasFlock)(
  "20 tasks over SSH survive the death of their scheduler (needs parallel, openssh-server)",
  { tags: ["slow"], timeout: 240_000 },
  async () => {
    const { home, env, directories, runsOf } = await workplace(20);
    const remote = await startSshd();
    onTestFinished(remote.close);
    const words = ["env", `HOME=${home}`, `PATH=${env.PATH}`, "once.sh", "{}", ...task.map((word) => `'${word}'`)];
    const options = ["--joblog", "jobs.log", "--resume-failed", "--results", "results", "--will-cite"];
    const args = [...options, "--sshlogin", `4/${remote.launcher.join(" ")}`, ...words, "::::", "repositories.txt"];
    const start = () => spawn("parallel", args, { cwd: home, env, stdio: "ignore", detached: true });
    const killed = start();
    const ended = () => directories.filter((directory) => readdirSync(directory).includes("runs.txt")).length;
    await vi.waitFor(() => expect(ended()).toBeGreaterThan(5), { timeout: 60_000, interval: 20 });
    killed.kill("SIGKILL");
    const again = start();
    const code = await new Promise((settle) => again.once("close", settle));
    expect(code).toBe(0);
    for (const directory of directories) expect(runsOf(directory)).toBe("begun\nended\n");
    const results = readdirSync(join(home, "results"), { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith("stdout"),
    );
    expect(results).toHaveLength(20);
    for (const path of results)
      expect(JSON.parse(readFileSync(join(home, "results", path), "utf8"))).toMatchObject({
        tool_calls: [{ envelope: { tool_success: true } }],
      });
  },
);
