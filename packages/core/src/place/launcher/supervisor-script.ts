import { graceMs, progressFd } from "@ikigai/protocol";
import { shellWord } from "@ikigai/system";

/** What the script is to run, over there. */
export interface Supervised {
  readonly path: string;
  readonly args: readonly string[];
  readonly directory: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  /** Whether input comes, as `framed` makes it. */
  readonly hasInput: boolean;
  /** After how long it ends by itself, in milliseconds: the connection may be gone without anybody telling. */
  readonly timeoutMs: number;
}

/** The first thing printed over there, once the tool can be started, and the last. White space means nothing around JSON. */
export const startMark = "\n";
export const endMark = " ";

const graceSeconds = Math.ceil(graceMs / 1_000);

/**
 * A shell script, on one line, that runs a tool where no host watches over it. The end of its input is the host's way to say
 * that the tool is to end, whether it meant to or was lost: so the tool never outlives its connection.
 *
 * Keeps to what dash, bash and busybox have in common.
 */
export function supervisorScript(supervised: Supervised): string {
  const { path, directory, hasInput } = supervised;
  const commands = [
    "exec 4<&0",
    ...(directory === undefined
      ? []
      : [`cd -- ${shellWord(directory)} 2>/dev/null || ${fail(`there is no directory ${directory} there`)}`]),
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
  // The shell there reads one line. A name that breaks it is not found, which says enough.
  return commands.join("; ").replaceAll("\n", " ");
}

/** A call that has not come whole is none. */
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

/** SIGTERM when the input ends or the time is up, SIGKILL a while later. */
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
 * What has left the tool's group is known by the call's variables, as it is here. Looks until it has found nothing twice: one
 * that it came too late for may have left another. Nor may there be a process that has no environment yet, being in the middle
 * of `execve`; the end of its code, the 24th that `stat` tells behind its state, is 0 then.
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
