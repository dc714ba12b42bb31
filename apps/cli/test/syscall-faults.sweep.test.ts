import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, inject, test } from "vitest";
import { expectOldOrNew, expectValid, type Played, play, resumed, sweep } from "./faulty-session.ts";
import { ikigai } from "./ikigai.ts";

/** All cases in a thorough run, otherwise the first. */
function some<T>(cases: readonly T[]): readonly T[] {
  return inject("isThorough") ? cases : cases.slice(0, 1);
}

/** Asserts, whatever fails: files are old or new, the log has only whole lines and can be resumed, and the user learns why. */
function expectSound(played: Played): void {
  expectOldOrNew(played);
  const found = resumed(played);
  for (const line of found?.lines ?? []) JSON.parse(line);
  expectValid(found?.messages ?? []);
  // 70: an error inside Node may surface anywhere, and is reported as a bug.
  expect([0, 1, 70]).toContain(played.exitCode);
  if (played.exitCode !== 70) expect(played.stderr).not.toMatch(/\n {4}at |\[object|undefined/);
  if (played.exitCode === 1) expect(played.stderr).toMatch(/^ikigai: \S.*\.$/m);
}

const wholeSession = ["user", "assistant", "tool", "assistant", "tool", "tool", "assistant"];

test.each(some(["ENOSPC", "EIO", "EDQUOT"]))(
  "%s at a step of the log is reported, and later writes include the missed lines",
  async (how) => {
    const count = await sweep({ program: "ikigai.js", path: "/sessions/[^/]*\\.jsonl$", how }, (played, at) => {
      expectSound(played);
      expect(JSON.parse(played.stdout).result).toBe("Both are new.");
      const roles = resumed(played)?.messages.map(({ role }) => role) ?? [];
      const isToldOf = played.stderr.includes("This session is not being saved");
      expect([at, roles]).toEqual([at, wholeSession]);
      // The header is written together with the first message, so it is recovered before it could be reported.
      expect([at, isToldOf]).toEqual([at, at !== 2]);
    });
    expect(count).toBeGreaterThan(20);
  },
  600_000,
);

test.each(some(["EIO", "ENOSPC", "EACCES"]))(
  "%s at a step of a write or an edit reaches the model as a failure",
  async (how) => {
    for (const [program, file] of [
      ["file-write-tool", "a\\.txt"],
      ["file-edit-tool", "b\\.txt"],
    ] as const) {
      const check = (played: Played) => {
        expectSound(played);
        const { tool_calls: calls, result } = JSON.parse(played.stdout);
        expect(result).toBe("Both are new.");
        for (const { envelope } of calls) {
          if (envelope.result?.error === undefined) continue;
          expect(envelope.result.error_code).toMatch(/^[A-Z_]+$/);
          expect(envelope.result.error).toContain(file.replace("\\", ""));
        }
      };
      const count = await sweep({ program, path: `/[^/]*${file}[^/]*$`, how }, check, { stride: 3 });
      expect(count).toBeGreaterThan(3);
    }
  },
  600_000,
);

const canTrace = spawnSync("strace", ["-V"]).status === 0;

/** Runs ikigai so that in each of its processes the Nth of some system calls fails. */
async function traced(calls: string, error: string, at: number): Promise<Played> {
  const directory = await tempDir();
  const strace = ["strace", "-f", "-qq", "--seccomp-bpf", "-o", join(directory, "trace"), "-e", `trace=${calls}`];
  const launcher = [...strace, "-e", `inject=${calls}:error=${error}:when=${at}`];
  const played = await play({}, (args, options) => ikigai(args, { ...options, launcher }));
  return { ...played, wasHit: readFileSync(join(directory, "trace"), "utf8").includes("(INJECTED)") };
}

// Node itself needs descriptors and threads to start (those are `clone3`); without them it hangs or aborts.
const tracedFaults = [
  ["fsync,rename,renameat2", "EIO", 1, 4, 1],
  ["openat", "EMFILE", 20, 260, 3],
  ["openat", "ENOSPC", 20, 260, 8],
  ["clone,vfork", "EAGAIN", 1, 8, 1],
  ["clone,vfork", "ENOMEM", 1, 8, 1],
] as const;

test.runIf(canTrace).each(some(tracedFaults))(
  "%s failing with %s, wherever it happens, is reported and loses nothing",
  async (calls, error, first, last, stride) => {
    let hits = 0;
    for (let at = first; at <= last; at += stride * atOnce) {
      const ats = Array.from({ length: atOnce }, (_, index) => at + index * stride);
      for (const played of await Promise.all(ats.map((one) => traced(calls, error, one)))) {
        if (!played.wasHit) continue;
        hits++;
        if (isNodesOwn(played)) continue;
        expectSound(played);
      }
    }
    expect(hits).toBeGreaterThan(0);
  },
  600_000,
);

const atOnce = 4;

/** Node itself aborted, outside our code. */
function isNodesOwn({ exitCode, stderr }: Played): boolean {
  return exitCode === 134 || /node::|uv_|Fatal|Cannot find module|node:internal/.test(stderr);
}
