import { type ChildProcess, spawn } from "node:child_process";
import { hostId, hostIdVariable } from "./call-marks.ts";

/**
 * Reads process groups, a line each, `+` before one that started and `-` before one that ended. At the end of its input,
 * which comes when the host ends in whatever way, it kills the groups that are left and then everything that carries the
 * host's mark and still belongs to a call.
 */
const script = `
trap '' HUP INT TERM QUIT
groups=' '
while read -r line; do
  case $line in
    +*) groups="$groups\${line#+} " ;;
    -*) id=" \${line#-} "
      case $groups in *"$id"*) groups="\${groups%%"$id"*} \${groups#*"$id"}" ;; esac ;;
  esac
done
[ -n "\${groups# }" ] || exit 0
for id in $groups; do kill -s KILL -- "-$id" 2>/dev/null; done
for file in $(grep -ls "${hostIdVariable}=$1" /proc/[0-9]*/environ 2>/dev/null); do
  pid=\${file#/proc/}
  grep -qs IKIGAI_CALL_ID= "$file" && kill -s KILL "\${pid%/environ}" 2>/dev/null
done
exit 0
`;

let watchdog: ChildProcess | undefined;
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
  const child = spawn("/bin/sh", ["-c", script, "ikigai-watchdog", hostId], {
    cwd: "/",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
    // A session of its own: what ends the host's (a closed terminal, Ctrl-C) must not end the watchdog first.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  watchdog = child;
  // Without one, tools still end with their calls; the next group tries again.
  const lost = () => {
    if (watchdog === child) watchdog = undefined;
  };
  child.once("error", lost);
  child.once("exit", lost);
  child.stdin?.on("error", lost);
  child.unref();
  // The pipe alone keeps no host alive that has nothing else to do.
  (child.stdin as { unref?: () => void } | null)?.unref?.();
  tell([...guarded].map((groupId) => `+${groupId}\n`).join(""));
}

function tell(lines: string): void {
  if (watchdog?.stdin?.writable) watchdog.stdin.write(lines);
}
