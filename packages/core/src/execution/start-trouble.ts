import type { HostErrorCode } from "@ikigai/protocol";
import { endMark, startMark } from "../place/launcher/supervisor-script.ts";
import type { Through } from "../process/command.ts";
import type { Launcher } from "../registry/launcher.ts";

/** What a process that ended badly has left. */
export interface BadEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly through: Through | undefined;
  readonly launcher: Launcher | undefined;
}

/** A failure that is not the tool's: of what was to start it. */
export interface StartTrouble {
  readonly code: HostErrorCode;
  /** The end of a sentence that begins with the tool's name. */
  readonly what: string;
}

/** What ssh exits with when it is about the connection. */
const connectionCode = 255;

/** Why a tool has not been started, or was cut off, by the sandbox or the launcher it was to run in. */
export function startTrouble({ exitCode, stdout, stderr, through, launcher }: BadEnd): StartTrouble | undefined {
  if (launcher) {
    const means = launcher.argv.join(" ");
    const reason = lastLine(stderr) || `exit code ${exitCode}`;
    if (stdout === "") return { code: "TOOL_UNAVAILABLE", what: `cannot be started through "${means}": ${reason}` };
    if (exitCode !== connectionCode || stdout.endsWith(endMark)) return undefined;
    return {
      code: "TOOL_CRASHED",
      what: `was cut off: "${means}" lost its connection (${reason}); what it did until then is done`,
    };
  }
  // It has no exit code of its own for this.
  const [, reason] = /^bwrap: (.*)/.exec(stderr) ?? [];
  if (through?.kind !== "sandbox" || exitCode !== 1 || stdout !== "" || reason === undefined) return undefined;
  return { code: "TOOL_UNAVAILABLE", what: `cannot be started: the sandbox says: ${reason}` };
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.trim() ?? "";
}

/** What a tool itself has printed: what its launcher says around it is nobody's business. */
export function withoutMarks(stdout: string, launcher: Launcher | undefined): string {
  if (!launcher) return stdout;
  const text = stdout.startsWith(startMark) ? stdout.slice(startMark.length) : stdout;
  return text.endsWith(endMark) ? text.slice(0, -endMark.length) : text;
}
