import { readFileSync } from "node:fs";
import {
  mayChange as mayChangeIn,
  type Place,
  sandboxPlace as placeIn,
  type SandboxOptions,
  type SandboxSettings,
} from "@ikigai/sandbox";
import { HeadAndTail } from "@ikigai/system";
import { hostCallId } from "../leftovers/call-marks.ts";
import { adoptPlace, holdPlace } from "../leftovers/placeholder.ts";
import { startGuarded } from "../leftovers/start-guarded.ts";
import { untilSettled } from "../leftovers/until-settled.ts";
import { readChunks } from "../process/printed-output.ts";
import type { Exit } from "../process/start-process.ts";

/* The sandbox of this host: its placeholders go when it ends. And whether a sandbox starts here. */

const placeholders = { hold: holdPlace, adopt: adoptPlace };

/** Creates the sandbox of one call. */
export function sandboxPlace(settings: SandboxSettings, options: Omit<SandboxOptions, "placeholders">): Place {
  return placeIn(settings, { ...options, placeholders });
}

/** Returns whether a tool in this sandbox can change the file at a path without links. Never throws. */
export function mayChange(
  path: string,
  settings: SandboxSettings,
  scene: { readonly projectDir: string; readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): boolean {
  return mayChangeIn(path, settings, { ...scene, placeholders });
}

/** Far more than a shell that does nothing takes. */
const timeoutMs = 5_000;

/** How much of stderr is quoted, in bytes. */
const maxComplaintBytes = 1_000;

/** Kernel settings that prevent users from creating a sandbox, and the values that allow it. */
const kernelSettings = [
  { path: "kernel/unprivileged_userns_clone", refusing: "0", wanted: "1" },
  { path: "kernel/apparmor_restrict_unprivileged_userns", refusing: "1", wanted: "0" },
  { path: "user/max_user_namespaces", refusing: "0", wanted: "10000" },
];

/**
 * Starts an empty sandbox the way a tool's would be. Returns why that fails and what to do about it, in sentences; `undefined`
 * if it works.
 */
export async function sandboxProblem(
  settings: SandboxSettings,
  projectDir: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  const callId = hostCallId("sandbox-probe");
  // The network of a session is another matter: without it, calls still run.
  const command = sandboxPlace({ ...settings, network: false }, { projectDir, toolFiles: [] }).wrap({
    path: "/bin/sh",
    args: ["-c", ":"],
    cwd: projectDir,
    env,
    hasInput: false,
    hasProgress: false,
  });
  if ("failure" in command) return `${command.failure.charAt(0).toUpperCase()}${command.failure.slice(1)}.`;
  const started = await startGuarded(command);
  if ("failure" in started) return `The sandbox cannot be started: ${started.failure}.`;
  const complaint = new HeadAndTail(maxComplaintBytes);
  readChunks(started.process.stderr, (chunk) => complaint.add(chunk));
  const flooded = new Promise<void>(() => {});
  const { verdict, exit } = await untilSettled(started.process, { callId, timeoutMs, graceMs: 0, flooded });
  if (verdict === "timeout") return `The sandbox did not start within ${timeoutMs / 1_000} s.`;
  if (exit?.code === 0) return undefined;
  const said = complaint.toText().trim() || `${command.path} ended with ${exitOf(exit)} and said nothing`;
  return [`The sandbox cannot be started: ${said.replace(/\.$/, "")}.`, ...advice(said)].join(" ");
}

const inContainer =
  "A container or chroot may forbid user namespaces. Allow them there, or run ikigai without the sandbox: the container then confines its tools.";

function exitOf(exit: Exit | undefined): string {
  return exit?.signal ? exit.signal : `exit code ${exit?.code}`;
}

function advice(said: string): string[] {
  const forbidden = kernelSettings
    .filter(({ path, refusing }) => readSetting(path) === refusing)
    .map(({ path, wanted }) => {
      const name = path.replace("/", ".");
      return `This system forbids user namespaces; an administrator can allow them: sysctl ${name}=${wanted}`;
    });
  return forbidden.length === 0 && /namespace|uid map/i.test(said) ? [inContainer] : forbidden;
}

function readSetting(path: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${path}`, "utf8").trim();
  } catch {
    return undefined;
  }
}
