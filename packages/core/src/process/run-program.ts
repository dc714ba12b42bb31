import { spawn } from "node:child_process";
import { systemReason } from "@ikigai/system";
import { childStdio } from "./child-stdio.ts";
import { explainStartFailure } from "./explain-start-failure.ts";

/** A program's output and exit code. */
export interface ProgramOutput {
  /** `undefined` if it could not be started or was killed by a signal. */
  readonly exitCode: number | undefined;
  /** Why there is no exit code: the end of a sentence. */
  readonly failure?: string;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** How `programOutput` runs a program. */
export interface ProgramOptions {
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
  /** What it reads from stdin. */
  readonly input?: string;
  /** Time limit in milliseconds; then SIGKILL. */
  readonly timeoutMs: number;
  /** How much of each stream is kept, in bytes. */
  readonly maxBytes: number;
}

/** Runs a system program until it ends. Never rejects. */
export function programOutput(
  path: string,
  args: readonly string[],
  { cwd, env, input, timeoutMs, maxBytes }: ProgramOptions,
): Promise<ProgramOutput> {
  return new Promise((settle) => {
    const kept = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    const end = (how: Pick<ProgramOutput, "exitCode" | "failure">) =>
      settle({ ...how, stdout: Buffer.concat(kept.stdout), stderr: Buffer.concat(kept.stderr) });
    const unstarted = (error: NodeJS.ErrnoException) => {
      const failure = cwd === undefined ? systemReason(error) : explainStartFailure(path, cwd, error);
      end({ exitCode: undefined, failure });
    };
    try {
      const options = { ...(cwd !== undefined && { cwd }), env, timeout: timeoutMs, killSignal: "SIGKILL" } as const;
      const stdin = input === undefined ? "ignore" : "pipe";
      const child = spawn(path, args, { ...options, stdio: childStdio(stdin, "pipe", "pipe") });
      // It may end without reading.
      child.stdin?.on("error", () => {}).end(input);
      for (const name of ["stdout", "stderr"] as const) {
        let bytes = 0;
        child[name]?.on("data", (chunk: Buffer) => {
          if (bytes < maxBytes) kept[name].push(chunk.subarray(0, maxBytes - bytes));
          bytes += chunk.length;
        });
      }
      child.once("error", unstarted);
      child.once("close", (code, signal) => {
        if (code !== null) return end({ exitCode: code });
        const failure = child.killed ? `it has not ended after ${timeoutMs / 1_000} seconds` : `${signal} ended it`;
        end({ exitCode: undefined, failure });
      });
    } catch (error) {
      unstarted(error as NodeJS.ErrnoException);
    }
  });
}
