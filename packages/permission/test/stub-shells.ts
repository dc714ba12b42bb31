import { spawn } from "node:child_process";
import { accessSync, chmodSync, constants, realpathSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { onTestFinished } from "vitest";

/** A shell, and how it is started to run a command. */
export interface Shell {
  readonly name: string;
  readonly path: string;
  /** The name under which it is started. */
  readonly argv0: string;
  readonly options: readonly string[];
}

/** The program and its arguments, as it received them. */
export type Invocation = readonly string[];

const runner = fileURLToPath(new URL("shell-runner.mjs", import.meta.url));

/** Where stubs write how they were called, as in the runner; no generated command uses it. */
const logDescriptor = 9;
const endMark = "--end-of-invocation--";

/** Programs that only record how they were called. */
export const stubNames = ["good", "fine", "bad", "other"];

/** Programs that then run what their arguments name. */
export const runningStubNames = ["env", "nice"];

/** The shells of this machine that may be `/bin/sh` on some system, each once. */
export function shells(): readonly Shell[] {
  const paths = new Map<string, string>();
  for (const name of ["sh", "dash", "bash", "busybox"]) {
    const path = ["/bin", "/usr/bin", "/usr/local/bin"].map((directory) => join(directory, name)).find(isExecutable);
    if (path !== undefined && ![...paths.values()].includes(realpathSync(path))) paths.set(name, realpathSync(path));
  }
  return [...paths].flatMap(([name, path]): Shell[] => {
    if (name === "busybox") return [{ name, path, argv0: "busybox", options: ["sh"] }];
    const shell = { name, path, argv0: name, options: [] };
    return name === "bash" ? [shell, { ...shell, name: "bash as sh", argv0: "sh" }] : [shell];
  });
}

/** A directory that contains only the stubs. */
export async function stubDirectory(): Promise<string> {
  const log = (name: string) => `#!/bin/sh\nprintf '%s\\0' ${name} "$@" ${endMark} >&${logDescriptor}\n`;
  const directory = await tempDir(
    Object.fromEntries([
      ...stubNames.map((name) => [name, { content: log(name), mode: 0o755 }]),
      ...runningStubNames.map((name) => [name, { content: `${log(name)}exec "$@"\n`, mode: 0o755 }]),
    ]),
  );
  chmodSync(directory, 0o755);
  return directory;
}

/** A process that runs commands in one shell, one at a time, each in an empty directory. */
export interface ShellRunner {
  /** Runs a command and returns its calls, in any order. */
  readonly invocationsOf: (command: string) => Promise<readonly Invocation[]>;
}

/** Starts a shell's runner; it ends with the test. `cwd` is emptied before each command. */
export function startRunner(shell: Shell, place: { readonly stubs: string; readonly cwd: string }): ShellRunner {
  const child = spawn(process.execPath, [runner, JSON.stringify({ ...shell, ...place })], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async invocationsOf(command) {
      child.stdin.write(`${JSON.stringify(command)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`The runner of ${shell.name} has ended.`);
      return readLog(JSON.parse(value));
    },
  };
}

function readLog(log: string): readonly Invocation[] {
  const invocations: string[][] = [[]];
  for (const word of log.split("\0").slice(0, -1)) {
    if (word === endMark) invocations.push([]);
    else invocations.at(-1)?.push(word);
  }
  return invocations.slice(0, -1);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
