// The user's own command for a language without a server: how it is run, and what its output says. Compilers and linters print
// `path:line:column: message` in many ways.

import { spawn } from "node:child_process";
import { isAbsolute, resolve } from "node:path";
import { type Problem, shortPath } from "./problems.ts";

/** How long a command may take, in milliseconds, and how much of its output is read, in bytes. */
const maxCommandMs = 120_000;
const maxOutputBytes = 1_048_576;

/** Runs a command in the project; returns what it prints, or `undefined` if it does not end in time. Its processes are a group of their own. */
export function runCheck(command: string, projectDir: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return new Promise((settle) => {
    const child = spawn("/bin/sh", ["-c", command], {
      cwd: projectDir,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (text: string | undefined) => {
      clearTimeout(timer);
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // They have ended.
      }
      settle(text);
    };
    const timer = setTimeout(() => end(undefined), maxCommandMs);
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length <= maxOutputBytes) chunks.push(chunk);
      });
    child.once("error", () => end(undefined));
    child.once("exit", () => setImmediate(() => end(Buffer.concat(chunks).toString())));
  });
}

/** `a.ts(3,5): error TS2322: …`, `a.ts:3:5 - error TS2322: …` */
const typescript =
  /^(?<path>[^\s(:][^(:]*)(?:\((?<row>\d+),\d+\):|:(?<line>\d+):\d+ -) (?<severity>error|warning) (?<code>TS\d+): (?<message>.+)$/;

/** `a.py:3:5: F401 …`, `a.c:3: error: …`, `a.go:3:5: …` */
const usual =
  /^(?<path>[^\s:][^:]*):(?<line>\d+):(?:\d+:)? ?(?:(?<severity>fatal error|error|warning|note|info|help)(?:\[(?<id>[\w:-]+)\])?: ?)?(?:(?<code>[A-Z]{1,4}\d{2,5}):? )?(?<message>.+)$/i;

/** `error[E0308]: …`, with ` --> src/main.rs:3:5` in a later line. */
const rustHead = /^(?<severity>error|warning)(?:\[(?<code>\w+)\])?: (?<message>.+)$/;
const rustPlace = /^\s*--> (?<path>[^:]+):(?<line>\d+):\d+$/;

/** Reads the problems in the output of a command, by absolute path. */
export function readCheck(output: string, projectDir: string): Map<string, Problem[]> {
  const found = new Map<string, Problem[]>();
  let head: Record<string, string | undefined> | undefined;
  for (const line of withoutColours(output).split("\n")) {
    const named = rustHead.exec(line)?.groups;
    if (named) {
      head = named;
      continue;
    }
    const place = rustPlace.exec(line)?.groups;
    const said = place && head ? { ...head, ...place } : (typescript.exec(line) ?? usual.exec(line))?.groups;
    if (place) head = undefined;
    if (said) add(found, said, projectDir);
  }
  return found;
}

function add(found: Map<string, Problem[]>, said: Record<string, string | undefined>, projectDir: string): void {
  const { path = "", severity = "error", message = "", code, id } = said;
  if (/note|info|help/i.test(severity)) return;
  const full = isAbsolute(path) ? path : resolve(projectDir, path);
  const problems = found.get(full) ?? [];
  found.set(full, problems);
  problems.push({
    path: shortPath(full, projectDir),
    line: Number(said.line ?? said.row),
    severity: /warning/i.test(severity) ? "warning" : "error",
    message: message.trim(),
    ...((code ?? id) !== undefined && { code: code ?? id ?? "" }),
  });
}

function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it begins an escape sequence
  return text.replaceAll(/\x1b\[[\d;]*m/g, "");
}
