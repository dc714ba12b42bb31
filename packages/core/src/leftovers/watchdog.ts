// One small shell that outlives a killed host and then ends its processes and removes its placeholders. In order: its script, what
// it reads, its start, and the processes that it guards.

import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Command } from "@ikigai/sandbox";
import { childStdio, signalGroup } from "@ikigai/system";
import { type Started, startProcess, type ToolProcess } from "../process/start-process.ts";
import { hostId, hostIdVariable, serveVariable, serviceIdVariable } from "../process/tool-command.ts";

/**
 * Reads process groups, one per line: `+ID` when one starts, `-ID` when it has ended. At end of input, which comes however the
 * host ends, it kills the remaining groups and every process that carries the host's mark and belongs to a call, a served process
 * or a service: those that left their group, and those started just before the host could report them.
 *
 * A line with a dot announces an orderly end. If no group is left then, there is nothing to search for.
 *
 * Lines that begin with a letter are about placeholders, which it removes unless the end was orderly or another host needs them: `n` for
 * a directory with the records of the hosts that do, then `d` or `f` for the directory or file itself.
 */
const script = `
trap '' HUP INT TERM QUIT
groups=' ' orderly= host=$1 pid=$2
shift 2
while IFS= read -r line; do
  case $line in
    [ndf]*) set -- "$@" "$line" ;;
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
    grep -qs -e IKIGAI_CALL_ID= -e ${serveVariable}= -e ${serviceIdVariable}= "$file" && kill -s KILL "\${pid%/environ}" 2>/dev/null
  done
}
for id in $groups; do kill -s KILL -- "-$id" 2>/dev/null; done
clear() {
  for line; do
    value=\${line#?}
    case $line in
      n*) notes=$value free=
        rm -f "$notes/$pid"
        for record in "$notes"/*; do kill -0 "\${record##*/}" 2>/dev/null || rm -f "$record"; done
        rmdir "$notes" && free=yes ;;
      *) [ "$free" ] || continue
        case $line in
          d*) rmdir "$value" ;;
          *) case $(cat "$value") in ''|.) rm -f "$value" ;; esac ;;
        esac ;;
    esac
  done 2>/dev/null
}
[ "$orderly" ] || clear "$@"
sweep "$host"
sleep 1
sweep "$host"
`;

let watchdog: ChildProcess | undefined;
/** Whether the exit handler that announces an orderly end is installed. */
let tellsOfEnd = false;
const guarded = new Set<number>();
const guardedPlaces: string[] = [];

/**
 * Ensures that a process group does not outlive this host, even if the host is killed by SIGKILL.
 *
 * Costs one small write to the watchdog, which `startWatchdog` has started.
 */
function guardGroup(groupId: number): void {
  guarded.add(groupId);
  if (watchdog) tell(`+${groupId}\n`);
  else startWatchdog();
}

/** Ensures that a placeholder does not outlive this host. @param notes the directory that has its record of this host. */
export function guardPlace(path: string, notes: string, isDirectory: boolean): void {
  // A line for the watchdog: such a path waits for the next host.
  if (`${path}${notes}`.includes("\n")) return;
  const lines = `n${notes}\n${isDirectory ? "d" : "f"}${path}\n`;
  guardedPlaces.push(lines);
  if (watchdog) tell(lines);
  else startWatchdog();
}

/** Whether this group is guarded: it belongs to a running tool of this host. */
export function isGuarded(groupId: number): boolean {
  return guarded.has(groupId);
}

/** Reverts `guardGroup` once the group has ended. */
export function forgetGroup(groupId: number): void {
  guarded.delete(groupId);
  tell(`-${groupId}\n`);
}

/** Starts the watchdog, a shell that reads from a pipe, unless it is running. */
function startWatchdog(): void {
  if (watchdog) return;
  let child: ChildProcess;
  try {
    child = spawn("/bin/sh", ["-c", script, "ikigai-watchdog", hostId, String(process.pid)], {
      cwd: "/",
      env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      // Own session: whatever ends the host's (a closed terminal, Ctrl-C) must not end the watchdog first.
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
  const known = [...[...guarded].map((groupId) => `+${groupId}\n`), ...guardedPlaces];
  if (known.length > 0) tell(known.join(""));
}

/** Lets a host with nothing else to do exit: neither the process nor the pipe keeps it alive. */
function keepsNothingAlive(child: ChildProcess): void {
  child.unref();
  (child.stdin as Socket | null)?.unref();
}

function tell(lines: string): void {
  if (watchdog?.stdin?.writable) watchdog.stdin.write(lines);
}

/** Starts a program that is killed when this host ends. Never throws. */
export async function startGuarded(command: Command): Promise<Started> {
  // First, or a process would outlive a host that is killed before it starts the watchdog.
  startWatchdog();
  const started = await startProcess(command);
  if ("process" in started) guardGroup(started.process.pid);
  return started;
}

/** Kills a waiting process and its group. SIGKILL before its stdin is closed: an empty input must never look like a call. */
export function killGuarded({ pid, stdin, stdout, stderr, progress }: ToolProcess): void {
  signalGroup(pid, "SIGKILL");
  forgetGroup(pid);
  for (const stream of [stdin, stdout, stderr, progress]) stream?.destroy();
}
