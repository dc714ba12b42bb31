import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type JsonObject, toolSuffix } from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";
import { runProcess, toolEnvironment } from "./run-process.ts";

/** How to call a tool. */
export interface CallOptions {
  /** The working directory (default: the caller's). */
  readonly cwd?: string | undefined;
  /** Added to the caller's environment, from which all `IKIGAI_*` variables are removed. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** When the tool gets SIGTERM, in milliseconds (default: 10,000). */
  readonly timeoutMs?: number;
  /** Command line arguments, for example `["--schema"]`. */
  readonly args?: readonly string[];
}

/**
 * How a call ended, to be compared as a whole: `toEqual({ exitCode: 0, result: { … } })` after an answer,
 * `toEqual({ exitCode: 1, stdout: "", stderr: "…" })` without one.
 *
 * `stdout` and `stderr` can always be read. If there is a `result` they are not enumerable, so that comparisons skip them.
 */
export interface CallEnd {
  /** 128+N after signal N. */
  readonly exitCode: number;
  /** What the tool printed, if that is one JSON object and it exited with 0. */
  readonly result?: JsonObject;
  /** Everything the tool printed on stdout, read as UTF-8. */
  readonly stdout: string;
  /** Everything the tool printed on stderr, read as UTF-8. */
  readonly stderr: string;
  /** Present if the tool was stopped because it timed out. */
  readonly timedOut?: true;
}

/** Shorter than the usual timeout of a test, so that the test reports the hanging tool. */
const callTimeoutMs = 10_000;

/**
 * Calls a tool as a host does: arguments on stdin, its own process group, SIGTERM on timeout and SIGKILL two seconds
 * later. Kills what the tool leaves running.
 *
 * @param bin the path of the executable.
 * @param input written to stdin: a string or bytes as they are, anything else as JSON.
 * @param options directory, environment, time limit and command line of the call; all have defaults.
 * @throws the system's error (ENOENT, EACCES, …) if the tool cannot be started.
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

/**
 * Returns the absolute path of the tool that a package builds: the `bin` of the nearest `package.json` whose name ends in `-tool`.
 *
 * @param url of a file in the package, such as a test's `import.meta.url`.
 * @throws `Error` if no `package.json` is found, or if it does not name exactly one tool.
 */
export function ownExecutable(url: string | URL): string {
  let folder = dirname(fileURLToPath(url));
  while (!existsSync(join(folder, "package.json"))) {
    if (folder === dirname(folder)) throw new Error(`Found no package.json above ${fileURLToPath(url)}.`);
    folder = dirname(folder);
  }
  const { bin = {} }: { bin?: Record<string, string> } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [path, ...others] = Object.keys(bin).flatMap((name) => (name.endsWith(toolSuffix) ? (bin[name] ?? []) : []));
  if (path === undefined || others.length > 0)
    throw new Error(`Expected one "bin" that ends in ${toolSuffix} in ${join(folder, "package.json")}.`);
  return join(folder, path);
}
