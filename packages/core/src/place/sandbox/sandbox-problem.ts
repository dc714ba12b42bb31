import { readFileSync } from "node:fs";
import { HeadAndTail } from "@ikigai/system";
import { startGuarded } from "../../leftovers/start-guarded.ts";
import { untilSettled } from "../../leftovers/until-settled.ts";
import { readChunks } from "../../process/read-chunks.ts";
import { sandboxPlace } from "./sandbox-place.ts";
import type { SandboxSettings } from "./sandbox-policy.ts";

/** A shell that does nothing has ended long before, in milliseconds. */
const timeoutMs = 5_000;

/** As much as shows what was complained about, in bytes. */
const maxComplaintBytes = 1_000;

/** The kernel's settings that keep people from making a sandbox, and what they must be. */
const kernelSettings = [
  { path: "kernel/unprivileged_userns_clone", refusing: "0", wanted: "1" },
  { path: "kernel/apparmor_restrict_unprivileged_userns", refusing: "1", wanted: "0" },
  { path: "user/max_user_namespaces", refusing: "0", wanted: "10000" },
];

/**
 * Starts a sandbox, with nothing in it, the way a tool would be: why that is not possible, and what to do about it, as
 * sentences; `undefined` when it is.
 */
export async function sandboxProblem(
  settings: SandboxSettings,
  projectDir: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  const callId = "sandbox-probe";
  const command = sandboxPlace(settings, { projectDir, isReadOnly: false, toolFiles: [] }).wrap({
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
  if (verdict === "timeout") return `The sandbox does not start within ${timeoutMs / 1_000} s.`;
  if (exit?.code === 0) return undefined;
  const said = complaint.toText().trim() || `exit code ${exit?.code}`;
  return [`The sandbox cannot be started: ${said}.`, ...refusals()].join(" ");
}

function refusals(): string[] {
  return kernelSettings
    .filter(({ path, refusing }) => readSetting(path) === refusing)
    .map(({ path, wanted }) => {
      const name = path.replace("/", ".");
      return `This system refuses user namespaces; an administrator can allow them: sysctl ${name}=${wanted}`;
    });
}

function readSetting(path: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${path}`, "utf8").trim();
  } catch {
    return undefined;
  }
}
