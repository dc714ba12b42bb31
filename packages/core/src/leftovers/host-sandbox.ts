// The sandbox as this host makes it. In order: the sandbox of a call, whether a sandbox starts here, and the placeholders for paths
// that do not exist and that no call may create, which go when the last host that needs them ends.

import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type Place,
  type Placeholder,
  type SandboxOptions,
  type SandboxSettings,
  sandboxLetsChange,
  sandboxPlace,
} from "@ikigai/sandbox";
import {
  HeadAndTail,
  isAlive,
  isClosedDirectory,
  isThere,
  makeIfMissing,
  makePrivateDirectory,
  maxPathBytes,
  namesIn,
  privateFileMode,
  readHead,
  readRegularFile,
  statsOf,
} from "@ikigai/system";
import { readChunks } from "../process/read-output.ts";
import type { Exit } from "../process/start-process.ts";
import { hostCallId } from "../process/tool-command.ts";
import { untilSettled } from "./settle.ts";
import { guardPlace, startGuarded } from "./watchdog.ts";

const placeholders = { hold: holdPlace, adopt: adoptPlace };

/** Creates the sandbox of one call. */
export function hostSandbox(settings: SandboxSettings, options: Omit<SandboxOptions, "placeholders">): Place {
  return sandboxPlace(settings, { ...options, placeholders });
}

/** Returns whether a tool in this sandbox can change the file at a path without links. Never throws. */
export function mayChange(
  path: string,
  settings: SandboxSettings,
  scene: { readonly projectDir: string; readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): boolean {
  return sandboxLetsChange(path, settings, { ...scene, placeholders });
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
  const command = hostSandbox({ ...settings, network: false }, { projectDir, toolFiles: [] }).wrap({
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

const held = new Map<string, () => void>();

/**
 * Creates a placeholder at a path where nothing exists, so that a sandbox can mount over it: only existing paths can be
 * protected. It is removed when the host ends, also if it is killed, unless it has changed or another host still needs it.
 *
 * @param home the user's directory, where hosts record their placeholders.
 * @returns whether something exists there now. Where this process may create nothing, its tools cannot either.
 * @throws Error, a sentence for people, if it cannot be recorded; the system's error for other failures.
 */
export function holdPlace(place: Placeholder, home: string): boolean {
  const { path, content, isClosed } = place;
  if (held.has(path)) return makeIfMissing(path, content, { isClosed });
  const notes = notesOf(path, home);
  if (isThere(path) && !notes.some(existsSync)) return true;
  // Record first: a host about to remove the placeholder sees the record, or has removed it and we create it again.
  const { directory, problem } = note(notes, path);
  const isOurs = problem !== undefined && !isThere(path);
  const isMade = makeIfMissing(path, content, { isClosed });
  if (problem !== undefined) {
    if (!isMade) return false;
    if (isOurs) remove(place);
    throw new Error(`${path} cannot be protected, because its placeholder cannot be recorded: ${problem}`);
  }
  if (held.size === 0) process.once("exit", releaseAll);
  if (directory !== undefined) guardPlace(path, directory, content === undefined);
  held.set(path, () => release(notes, () => remove(place)));
  return isMade;
}

/** Takes over a placeholder of a host that did not clean up. Paths without a record are the user's own. */
function adoptPlace(path: string, home: string): void {
  if (held.has(path) || !notesOf(path, home).some(existsSync)) return;
  const isDirectory = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
  holdPlace({ path, ...(!isDirectory && { content: "" }), isClosed: isClosedDirectory(path) }, home);
}

/** Where hosts record their placeholders: in the user's directory, or where that cannot be written, in the temporary one. */
function registriesOf(home: string): readonly string[] {
  const temporary = join(tmpdir(), `ikigai-placeholders-${process.geteuid?.()}`);
  return [join(home, "cache", "sandbox"), ...(isUsable(temporary) ? [temporary] : [])];
}

/** Whether records may be there: those of another user could name a file of this one as a placeholder. */
function isUsable(temporary: string): boolean {
  try {
    return existsSync(dirname(temporary)) && (!isThere(temporary) || isPrivate(temporary));
  } catch {
    // The temporary directory is a file.
    return false;
  }
}

/** The directories with the records of a path. */
function notesOf(path: string, home: string): readonly string[] {
  const name = createHash("sha256").update(path).digest("hex").slice(0, 32);
  return registriesOf(home).map((registry) => join(registry, name));
}

function releaseAll(): void {
  for (const letGo of held.values()) letGo();
}

function remove({ path, content }: Placeholder): void {
  if (content === undefined) rmdirSync(path);
  else if (readRegularFile(path).toString("utf8") === content) rmSync(path);
}

/** Records the placeholder in the first directory where that works; returns that directory, or why it works in none. */
function note(
  notes: readonly string[],
  path: string,
): { readonly directory?: string | undefined; readonly problem?: string | undefined } {
  let problem: string | undefined;
  for (const [index, directory] of notes.entries()) {
    try {
      makePrivateDirectory(directory);
      if (index > 0 && !isPrivate(dirname(directory))) throw new Error(`${dirname(directory)} is not private`);
      writeFileSync(join(directory, String(process.pid)), path, { mode: privateFileMode });
      return { directory };
    } catch (error) {
      problem = (error as Error).message;
      // Also an empty record, which a full disk leaves.
      release([directory], () => {});
    }
  }
  return { problem };
}

/** Whether only this user can write to a directory: any user can create one of this name. */
function isPrivate(directory: string): boolean {
  const { uid, mode } = lstatSync(directory);
  return uid === process.geteuid?.() && (mode & 0o022) === 0;
}

/** Removes the records of this host and of dead ones; the last host cleans up. */
function release(notes: readonly string[], clearUp: () => void): void {
  try {
    for (const directory of notes.filter(existsSync)) {
      for (const name of readdirSync(directory)) {
        if (name === String(process.pid) || !isAlive(Number(name))) rmSync(join(directory, name), { force: true });
      }
      rmdirSync(directory);
    }
    clearUp();
    // That of the user's directory may stay.
    rmdirSync(dirname(notes.at(-1) ?? ""));
  } catch {
    // Another host still holds it, or it is no longer empty: it stays.
  }
}

/** Returns the placeholders that only dead hosts have recorded. */
export function leftPlaces(home: string): string[] {
  return registriesOf(home).flatMap((registry) =>
    namesIn(registry).flatMap((name) => {
      const notes = join(registry, name);
      const hosts = namesIn(notes);
      const [first] = hosts;
      if (first === undefined || hosts.some((host) => isAlive(Number(host)))) return [];
      const path = readHead(join(notes, first), maxPathBytes)?.toString("utf8");
      return path !== undefined && statsOf(path, lstatSync) !== undefined ? [path] : [];
    }),
  );
}
