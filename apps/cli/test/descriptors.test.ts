// Promise 9 of SECURITY.md.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

const isPossible = process.platform === "linux" && spawnSync("bash", ["-c", ":"]).status === 0;

/** Runs a command with an open directory, lock and file, as shells and supervisors leave them. */
const leaking = (before: string) => ["bash", "-c", `exec 200</etc 251</etc 50</etc/passwd; ${before} "$@"`, "bash"];

const list = "cd /proc/self/fd && echo *";

test.runIf(isPossible)("tools inherit no descriptor that ikigai was started with (needs bash)", async () => {
  const { stdout } = await ikigai(["tool", "call", "bash", JSON.stringify({ command: list })], {
    launcher: leaking("exec"),
  });
  // The last one is the descriptor with which the shell reads the directory.
  expect(JSON.parse(stdout)).toMatchObject({
    tool_success: true,
    result: { output: expect.stringMatching(/^0 1 2( 3)?$/) },
  });
});

test.runIf(isPossible)("git and npm inherit none of them either (needs bash)", async () => {
  const dir = await tempDir();
  const stub = `#!/bin/sh\n{ echo "$0"; ${list}; } >> ${dir}/seen\nexit 1\n`;
  const bin = await tempDir({ git: { content: stub, mode: 0o755 }, npm: { content: stub, mode: 0o755 } });
  for (const source of ["https://localhost:1/a.git", "npm:nothing"]) {
    await ikigai(["tool", "add", source, "--yes"], {
      launcher: leaking("exec"),
      env: { PATH: `${bin}:${process.env.PATH}` },
    });
  }
  const seen = readFileSync(join(dir, "seen"), "utf8");
  expect(seen).toContain("/git\n");
  expect(seen).toContain("/npm\n");
  expect(seen).not.toMatch(/\b(?:50|200|251)\b/);
});

test.runIf(isPossible)("an operand that a shell opened remains readable (needs bash)", async () => {
  const cwd = await tempDir({ "home/": "" });
  const options = { cwd, env: { HOME: join(cwd, "home") } };
  await ikigai(["--model", "offline", "--allow", "bash", "-p", "run true"], options);
  const sessions = join(cwd, "home/.ikigai/sessions");
  const [name = ""] = readdirSync(sessions, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".jsonl"),
  );
  const launcher = ["bash", "-c", `exec 60<${join(sessions, name)}; exec "$@"`, "bash"];
  const args = ["tool", "log"];
  const { stdout } = await ikigai([...args, join(sessions, name)], options);
  expect(stdout).toContain("1 bash: exit 0");
  expect((await ikigai([...args, "/dev/fd/60"], { ...options, launcher })).stdout).toBe(stdout);
});
