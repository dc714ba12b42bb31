// Tools on another machine, in a container or as another user: the command that reaches it, and the script that runs the tool there and
// ends it with the connection.

import { basename } from "node:path";
import { graceMs, progressFd } from "@ikigai/protocol";
import { findProgram, shellWord } from "@ikigai/system";
import type { Place } from "./place.ts";

/** Where a tool runs if not locally: a container, another machine, another user. */
export interface Launcher {
  /** Command prefix that runs a command line there, for instance `["ssh", "build-box"]`. At least one word. */
  readonly argv: readonly string[];
  /** Path of the tool's file there. */
  readonly path: string;
  /** Working directory there. Default: the one the launcher starts in. */
  readonly directory?: string | undefined;
  /** Whether a shell there parses the command line once more. Default: true for `ssh`, otherwise false. */
  readonly remoteShell?: boolean | undefined;
}

/** Options of a launcher. */
interface LauncherOptions {
  /** The launcher's program is never taken from this directory. */
  readonly projectDir: string;
  /** The launcher's own environment, with its keys and settings, but without those of this host. */
  readonly env: NodeJS.ProcessEnv;
  /** After how long the far side ends the tool, in milliseconds: a connection may be lost without notice. */
  readonly timeoutMs: number;
}

/** Reads the script from stdin: command lines are visible to other users, and this avoids quoting. */
const entry = 'IFS= read -r s && eval "$s"';

/**
 * The far side of a launcher, where a shell runs the tool with the command's variables added to its own environment.
 */
export function launcherPlace(launcher: Launcher, { projectDir, env, timeoutMs }: LauncherOptions): Place {
  const { directory, remoteShell = basename(launcher.argv[0] ?? "") === "ssh" } = launcher;
  return {
    wrap({ path, args, cwd, env: { IKIGAI_PROJECT_DIR, ...rest }, hasInput }) {
      // Built by `commandThere`: it holds only variables meant for the tool.
      const variables = rest as Record<string, string>;
      const [word = "", ...prefix] = launcher.argv;
      const program = findProgram(word, env.PATH, projectDir);
      if (program === undefined) return { failure: `its launcher's program ${word} was not found` };
      const preamble = `${supervisorScript({ path, args, directory, variables, hasInput, timeoutMs })}\n`;
      return {
        path: program,
        args: [...prefix, ...(remoteShell ? [`sh -c ${shellWord(entry)}`] : ["sh", "-c", entry])],
        cwd,
        env,
        hasInput: true,
        hasProgress: false,
        through: { kind: "launcher", preamble },
      };
    },
  };
}

/** What the script runs. */
interface Supervised {
  readonly path: string;
  readonly args: readonly string[];
  readonly directory: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  /** Whether it reads input, in the format of `framed`. */
  readonly hasInput: boolean;
  /** After how long it ends the tool, in milliseconds: a connection may be lost without notice. */
  readonly timeoutMs: number;
}

/** First and last output of the far side, around the tool's. White space is insignificant around JSON. */
export const startMark = "\n";
export const endMark = " ";

const graceSeconds = Math.ceil(graceMs / 1_000);

/**
 * Builds a one-line shell script that runs a tool on a machine without a host. When its input ends, it ends the tool: the host
 * closes it to stop the call, and it closes when the connection is lost, so the tool never outlives the connection.
 *
 * Uses only what dash, bash and busybox have in common.
 */
function supervisorScript(supervised: Supervised): string {
  const { path, directory, hasInput } = supervised;
  const commands = [
    "exec 4<&0",
    ...(directory === undefined
      ? []
      : [`cd -- ${shellWord(directory)} 2>/dev/null || ${fail(`the directory ${directory} does not exist there`)}`]),
    `[ -x ${shellWord(path)} ] || ${fail(`there is no executable file ${path} there`)}`,
    ...(hasInput ? readInput : []),
    `printf '\\n'`,
    "g= q=; command -v setsid >/dev/null 2>&1 && g=setsid",
    `${hasInput ? `printf %s "$a" | ` : ""}${toolCommand(supervised)} & t=$!`,
    ...stopping(supervised.timeoutMs),
    'while :; do wait "$t"; c=$?; kill -0 "$t" 2>/dev/null || break; done',
    `trap '' TERM HUP INT; kill "$w" "$d" $q 2>/dev/null; k KILL`,
    ...sweep(supervised.variables),
    `printf '${endMark}'; exit "$c"`,
  ];
  // The shell reads one line. A name with a line break is not found, which is a clear enough error.
  return commands.join("; ").replaceAll("\n", " ");
}

/** An incomplete call is not run. */
const readInput = [
  "IFS= read -r n <&4 || exit",
  'a=$(head -c "$n" <&4)',
  `case $a in *.) a=\${a%.} ;; *) exit 126 ;; esac`,
];

function toolCommand({ path, args, variables, hasInput }: Supervised): string {
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);
  const command = ["IKIGAI_PROJECT_DIR=$PWD", ...assignments, "$g", ...[path, ...args].map(shellWord)].join(" ");
  return `${command} ${progressFd}>/dev/null 4<&-${hasInput ? "" : " </dev/null"}`;
}

/** SIGTERM when the input ends or the time is up, SIGKILL after the grace period. */
function stopping(timeoutMs: number): string[] {
  const lateSeconds = Math.ceil(timeoutMs / 1_000) + 2 * graceSeconds;
  return [
    'k() { kill -s "$1" -- "-$t" 2>/dev/null || kill -s "$1" "$t" 2>/dev/null; }',
    `x() { k TERM; k CONT; (sleep ${graceSeconds}; k KILL) </dev/null >/dev/null 2>&1 4<&- & q=$!; }`,
    "trap x TERM HUP INT",
    "(cat <&4; kill -s TERM $$) >/dev/null 2>&1 & w=$!",
    `(trap 'kill $s' TERM; sleep ${lateSeconds} & s=$!; wait; kill -s TERM $$) </dev/null >/dev/null 2>&1 4<&- & d=$!`,
  ];
}

/**
 * Kills processes that left the tool's group, identified by the call's variables. Repeats until two sweeps find nothing: a
 * process that exited before it was seen may have started another. A process in the middle of `execve` has no environment yet;
 * it is recognized by the end of its code, field 24 after the state in `stat`, being 0.
 */
function sweep({ IKIGAI_HOST_ID: host = "", IKIGAI_CALL_ID: call = "" }: Supervised["variables"]): string[] {
  const marked = (mark: string) => `grep -Flse ${shellWord(mark)}`;
  return [
    `z=; for n in 1 2 3 4 5 6 7 8 9; do m= h=`,
    `for f in $(${marked(`IKIGAI_HOST_ID=${host}`)} /proc/[0-9]*/environ 2>/dev/null); do p=\${f#/proc/}; ` +
      `${marked(`IKIGAI_CALL_ID=${call}`)} "$f" >/dev/null 2>&1 && m=1 && kill -s KILL "\${p%/environ}" 2>/dev/null; done`,
    `for f in $(grep -Lse . /proc/[0-9]*/environ 2>/dev/null); do h="$h \${f%environ}stat"; done`,
    `grep -qsE '\\) [^ZXx] ([13-9]|[0-9][0-9]+) ([^ ]+ ){22}0 ' /dev/null $h && m=1`,
    `case $m$z in 1*) z= ;; .) break ;; *) z=. ;; esac; done`,
  ];
}

function fail(why: string): string {
  return `{ echo ${shellWord(why)} >&2; exit 126; }`;
}
