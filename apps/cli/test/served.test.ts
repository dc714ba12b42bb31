// @module-tag sampled
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning, tempDir } from "@ikigai/testing";
import { expect, test, vi } from "vitest";
import { ikigai } from "./ikigai.ts";

const onLinux = test.runIf(process.platform === "linux");

/** Runs these lines; returns what the commands printed about processes. */
async function processesIn(
  lines: string[],
  { env = {}, config = {} }: { env?: NodeJS.ProcessEnv; config?: object } = {},
) {
  const cwd = await tempDir({ "a.txt": "one\n" });
  const home = await tempDir();
  writeFileSync(join(home, "config.json"), JSON.stringify(config), { mode: 0o600 });
  const { stdout, stderr } = await ikigai(["--model", "offline", "--allow", "bash"], {
    cwd,
    env: { IKIGAI_HOME: home, IKIGAI_NO_SERVE: undefined, ...env },
    typed: `${lines.join("\n")}\n`,
  });
  expect(stderr).toBe("");
  return { stdout, processes: [...stdout.matchAll(/^Processes: (.*)$/gm)].map(([, text]) => text) };
}

onLinux("keeps a process for the next calls, until /refresh", async () => {
  const lines = ["/tool bash", "run echo $PPID", "/tool bash", "/refresh", "run echo $PPID"];
  const { stdout, processes } = await processesIn(lines);
  const [first, second] = stdout.match(/^\d+$/gm) ?? [];
  expect(Number(first)).toBeGreaterThan(0);
  expect(second).not.toBe(first);
  const running = expect.stringMatching(/^kept for the next calls; [12] running now$/);
  expect(processes).toEqual(["kept for the next calls; none is running now", running]);
});

onLinux("runs one process per call where the user says so", async () => {
  const lines = ["read a.txt", "/tool file_read"];
  const off = await processesIn(lines, { env: { IKIGAI_NO_SERVE: "1" } });
  expect(off.stdout).toMatch(/^one$/m);
  expect(off.processes).toEqual(["one per call, because IKIGAI_NO_SERVE is set"]);
  const configured = await processesIn(lines, { config: { tools: { file_read: { serve: false } } } });
  expect(configured.stdout).toMatch(/^one$/m);
  expect(configured.processes).toEqual(["one per call, because tools.file_read.serve is false in your configuration"]);
});

onLinux("leaves no process behind", async () => {
  const cwd = await tempDir();
  const args = ["-p", "run echo $PPID > pid; sleep 0", "--model", "offline", "--allow", "bash"];
  await ikigai(args, { cwd, env: { IKIGAI_NO_SERVE: undefined } });
  const pid = Number(readFileSync(join(cwd, "pid"), "utf8"));
  expect(pid).toBeGreaterThan(0);
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 50_000);
});
