import { spawn } from "node:child_process";
import { childStdio } from "./child-stdio.ts";

/** A program's output and exit code. */
export interface ProgramOutput {
  /** `undefined` if it could not be started or was killed by a signal. */
  readonly exitCode: number | undefined;
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
    const end = (exitCode: number | undefined) =>
      settle({ exitCode, stdout: Buffer.concat(kept.stdout), stderr: Buffer.concat(kept.stderr) });
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
      child.once("error", () => end(undefined));
      child.once("close", (code) => end(code ?? undefined));
    } catch {
      end(undefined);
    }
  });
}
