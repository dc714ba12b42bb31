import type { JsonObject } from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";
import { runProcess } from "./run-process.ts";
import { toolEnvironment } from "./tool-environment.ts";

/** How a tool is called. */
export interface CallOptions {
  /** The working directory; the caller's unless told. */
  readonly cwd?: string | undefined;
  /** Added to the caller's environment, from which everything that starts with `IKIGAI_` is taken out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** When the tool is told to stop, in milliseconds; 10 seconds unless told. */
  readonly timeoutMs?: number;
  /** Command line arguments, for instance `["--schema"]`. */
  readonly args?: readonly string[];
}

/**
 * How a call ended, made to be compared whole: `toEqual({ exitCode: 0, result: { … } })` after an answer,
 * `toEqual({ exitCode: 1, stdout: "", stderr: "…" })` without one.
 *
 * `stdout` and `stderr` can always be read. Beside a `result` they are not enumerable, so that comparing skips them.
 */
export interface CallEnd {
  /** 128+N after signal N. */
  readonly exitCode: number;
  /** What the tool printed, if it exited with 0 and that is one JSON object. */
  readonly result?: JsonObject;
  readonly stdout: string;
  readonly stderr: string;
  /** Present when time was up and the tool was stopped. */
  readonly timedOut?: true;
}

/** Less than test runners give a test, so that a tool that hangs is what gets reported. */
const callTimeoutMs = 10_000;

/**
 * Calls a tool as a host does: arguments on stdin, a process group of its own, SIGTERM when time is up and SIGKILL two
 * seconds later; what the tool leaves running is killed.
 *
 * @param input goes to stdin: a string or bytes as they are, anything else as JSON.
 * @throws the system's error (ENOENT, EACCES, …) when the tool cannot be started.
 */
export async function call(bin: string, input: unknown, options: CallOptions = {}): Promise<CallEnd> {
  const { cwd, timeoutMs = callTimeoutMs, args = [] } = options;
  const env = { ...toolEnvironment(), ...options.env };
  const end = await runProcess(bin, args, { cwd, env, timeoutMs, stdin: toStdin(input) });
  const streams = { stdout: end.stdout.toString("utf8"), stderr: end.stderr.toString("utf8") };
  const known = { exitCode: end.exitCode, ...(end.timedOut && { timedOut: true as const }) };
  const result = end.exitCode === 0 ? parseObject(streams.stdout) : undefined;
  return result === undefined ? { ...known, ...streams } : hidden({ ...known, result }, streams);
}

function toStdin(input: unknown): string | Uint8Array {
  return typeof input === "string" || input instanceof Uint8Array ? input : (JSON.stringify(input) ?? "");
}

function hidden<Shown extends object, Hidden extends object>(shown: Shown, properties: Hidden): Shown & Hidden {
  for (const [name, value] of Object.entries(properties)) Object.defineProperty(shown, name, { value });
  return shown as Shown & Hidden;
}
