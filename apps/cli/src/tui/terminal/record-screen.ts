import { randomUUID } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram, isMacOs, makeDirectories } from "@ikigai/system";
import { type LastScreen, lastScreen } from "./last-screen.ts";

/** A command that records what it prints while it has the terminal. */
export interface Recording {
  readonly command: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  /** Reads and deletes the record; undefined if that fails. */
  take(size: { readonly columns: number; readonly rows: number }): LastScreen | undefined;
}

/** Where a recording is made. */
export interface RecordingPlace {
  readonly env: NodeJS.ProcessEnv;
  readonly projectDir: string;
  /** For the record, which is deleted when it has been read. */
  readonly directory: string;
}

/** Read from the end of a record, in bytes: programs draw their screen again long before. */
const maxRecordBytes = 2 * 1_048_576;

/** `script` puts these lines around a record. */
const added = /^Script started on [^\n]*\n|\r?\n?\r?\nScript done on [^\n]*\n?$/g;

/** `script` runs SHELL and writes its command to the record, so both come in variables. */
const inner = 'SHELL=$USERS_SHELL typed=$TYPED_COMMAND; export SHELL; unset USERS_SHELL TYPED_COMMAND; eval "$typed"';

/**
 * Has `script` run the command on a terminal of its own that passes everything on, and keep a copy of the output. Undefined on a
 * machine without `script`.
 */
export function recordScreen(command: string, { env, projectDir, directory }: RecordingPlace): Recording | undefined {
  const script = findProgram("script", env.PATH, projectDir);
  // BusyBox's has no option that keeps the exit code.
  if (script === undefined || realpathSync(script).endsWith("/busybox")) return undefined;
  makeDirectories(directory, 0o700);
  const file = join(directory, `terminal-${randomUUID()}`);
  writeFileSync(file, "", { mode: 0o600, flag: "wx" });
  const started = isMacOs ? 'exec "$1" -q "$2" /bin/sh -c "$3"' : 'exec "$1" -q -e -f -c "$3" "$2"';
  return {
    command: [started, script, file, inner],
    env: { ...env, SHELL: "/bin/sh", TYPED_COMMAND: command, USERS_SHELL: env.SHELL ?? "/bin/sh" },
    take({ columns, rows }) {
      const output = endOf(file);
      rmSync(file, { force: true });
      return output === undefined ? undefined : lastScreen(output.replace(added, ""), columns, rows);
    },
  };
}

function endOf(path: string): string | undefined {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const { size } = fstatSync(fd);
      const buffer = Buffer.alloc(Math.min(size, maxRecordBytes));
      return buffer.toString("utf8", 0, readSync(fd, buffer, 0, buffer.length, size - buffer.length));
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}
