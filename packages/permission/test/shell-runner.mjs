// A small process that runs generated commands: forking the test's own process, a hundred times larger, takes twenty times as long.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";

/** Where stubs write how they were called; no generated command uses it. */
const logDescriptor = 9;

const { path, argv0, options, stubs, cwd } = JSON.parse(process.argv[2]);
const ignored = Array(logDescriptor).fill("ignore");

/**
 * The user that runs generated commands: a redirection whose target was torn apart may name a file anywhere, which only root
 * could create there. This user must be able to enter the directory.
 */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Runs a command in an empty directory; returns what its stubs wrote. */
function run(command) {
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(cwd);
  chmodSync(cwd, 0o777);
  const { output } = spawnSync(path, [...options, "-c", command], {
    ...nobody,
    argv0,
    cwd,
    env: { PATH: stubs },
    stdio: [...ignored, "pipe"],
    timeout: 10_000,
    killSignal: "SIGKILL",
  });
  return String(output?.[logDescriptor] ?? "");
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(run(JSON.parse(line)))}\n`);
}
