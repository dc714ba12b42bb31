import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { childStdio } from "../process/child-stdio.ts";
import { hostId, hostIdVariable } from "./call-marks.ts";

/**
 * Reads process groups, a line each, `+` before one that started and `-` before one that ended. At the end of its input,
 * which comes when the host ends in whatever way, it kills the groups that are left, and everything that carries the host's
 * mark and belongs to a call: what has left its group, and what was started in the moment before the host could tell.
 *
 * A dot says that the host ends in good order. If nothing is left then, there is nothing to look for.
 */
const script = `
trap '' HUP INT TERM QUIT
groups=' ' orderly=
while read -r line; do
  case $line in
    +*) groups="$groups\${line#+} " ;;
    -*) id=" \${line#-} "
      case $groups in *"$id"*) groups="\${groups%%"$id"*} \${groups#*"$id"}" ;; esac ;;
    .) orderly=yes ;;
  esac
done
[ "$orderly$groups" = 'yes ' ] && exit
sweep() {
  for file in $(grep -ls "${hostIdVariable}=$1" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/}
    grep -qs IKIGAI_CALL_ID= "$file" && kill -s KILL "\${pid%/environ}" 2>/dev/null
  done
}
for id in $groups; do kill -s KILL -- "-$id" 2>/dev/null; done
sweep "$1"
sleep 1
sweep "$1"
`;

let watchdog: ChildProcess | undefined;
/** Whether the end of this process is told to the watchdog there is then. */
let tellsOfEnd = false;
const guarded = new Set<number>();

/**
 * Makes sure that a process group does not outlive this host, even if the host is ended by SIGKILL.
 *
 * A shell that holds the other end of a pipe is started with the first group, while the tool itself is starting; after that
 * a group costs one small write.
 */
export function guardGroup(groupId: number): void {
  guarded.add(groupId);
  if (watchdog) tell(`+${groupId}\n`);
  else start();
}

/** Ends what `guardGroup` began, once nothing of the group is left. */
export function forgetGroup(groupId: number): void {
  guarded.delete(groupId);
  tell(`-${groupId}\n`);
}

function start(): void {
  let child: ChildProcess;
  try {
    child = spawn("/bin/sh", ["-c", script, "ikigai-watchdog", hostId], {
      cwd: "/",
      env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      // A session of its own: what ends the host's (a closed terminal, Ctrl-C) must not end the watchdog first.
      detached: true,
      stdio: childStdio("pipe", "ignore", "ignore"),
    });
  } catch {
    // Without a watchdog tools still end with their calls; the next group tries again.
    return;
  }
  watchdog = child;
  const lost = () => {
    if (watchdog === child) watchdog = undefined;
  };
  child.once("error", lost);
  child.once("exit", lost);
  child.stdin?.on("error", lost);
  if (!tellsOfEnd) process.once("exit", () => tell(".\n"));
  tellsOfEnd = true;
  keepsNothingAlive(child);
  tell([...guarded].map((groupId) => `+${groupId}\n`).join(""));
}

/** Neither the process nor the pipe to it holds up a host that has nothing else to do. */
function keepsNothingAlive(child: ChildProcess): void {
  child.unref();
  (child.stdin as Socket | null)?.unref();
}

function tell(lines: string): void {
  if (watchdog?.stdin?.writable) watchdog.stdin.write(lines);
}
