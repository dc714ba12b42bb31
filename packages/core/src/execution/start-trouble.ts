import type { HostErrorCode } from "@ikigai/protocol";
import { endMark, type Launcher, startMark, type Through } from "@ikigai/sandbox";
import { tellingLine } from "@ikigai/system";

/** The remains of a process that ended badly. */
export interface BadEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly through: Through | undefined;
  readonly launcher: Launcher | undefined;
}

/** A failure of the sandbox or launcher, not of the tool. */
export interface StartTrouble {
  readonly code: HostErrorCode;
  /** The end of a sentence that begins with the tool's name. */
  readonly what: string;
}

/** ssh's exit code for connection errors. */
const connectionCode = 255;

/** Returns how the sandbox or launcher failed to start the tool or cut it off; `undefined` if the tool itself failed. */
export function startTrouble({ exitCode, stdout, stderr, through, launcher }: BadEnd): StartTrouble | undefined {
  if (launcher) {
    const means = launcher.argv.join(" ");
    const reason = tellingLine(stderr, "last") || `exit code ${exitCode}`;
    if (stdout === "") return { code: "TOOL_UNAVAILABLE", what: `cannot be started through "${means}": ${reason}` };
    if (exitCode !== connectionCode || stdout.endsWith(endMark)) return undefined;
    return {
      code: "TOOL_CRASHED",
      what: `was cut off: "${means}" lost its connection (${reason}); changes it has made remain`,
    };
  }
  // bwrap has no exit code of its own for errors.
  const [, reason] = /^bwrap: (.*)/.exec(stderr) ?? [];
  if (through?.kind !== "sandbox" || exitCode !== 1 || stdout !== "" || reason === undefined) return undefined;
  return { code: "TOOL_UNAVAILABLE", what: `cannot be started in the sandbox: ${reason}` };
}

/** Removes the launcher's marks from a tool's output. */
export function withoutMarks(stdout: string, launcher: Launcher | undefined): string {
  if (!launcher) return stdout;
  const text = stdout.startsWith(startMark) ? stdout.slice(startMark.length) : stdout;
  return text.endsWith(endMark) ? text.slice(0, -endMark.length) : text;
}
