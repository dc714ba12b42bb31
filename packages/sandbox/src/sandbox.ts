// The sandbox of one call: the place that wraps a command. The plan of what a tool sees is made when the first command is wrapped, becomes
// the words before the command line for this system, and is made again when it is old. Then: which projects can have a sandbox at all, and
// the directory that tools see as `/tmp`.

// biome-ignore lint/style/noRestrictedImports: other users may have any names in the directory
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive, isInside, isLinux, realPathOf, temporaryOwner, temporaryPath } from "@ikigai/system";
import { bubblewrapPrefix, pastShell } from "./bubblewrap.ts";
import { cacheVariables } from "./caches.ts";
import { decisivePartOf } from "./decisive-files.ts";
import { commitVariables } from "./git-places.ts";
import { besideProgram, mountPlan, viewOf } from "./mount-plan.ts";
import type { Command, Place, SandboxPolicy, SandboxPrefix, SandboxSettings, SessionNetwork } from "./place.ts";
import { seatbeltLetsChange, seatbeltPrefix } from "./seatbelt.ts";
import { variablesInside } from "./visible.ts";

/** The part of the policy that differs per call. */
export type SandboxOptions = Pick<
  SandboxPolicy,
  "projectDir" | "toolFiles" | "dataDir" | "stateDir" | "outputsDir" | "placeholders"
> & {
  /** The name of the tool, by which the door knows it. Absent: it never gets to the door. */
  readonly tool?: string | undefined;
  /** The hosts that it needs, which the door opens to it alone. */
  readonly hosts?: readonly string[] | undefined;
  /** Variables the tool gets because its schema asks for them. */
  readonly wantedKeys?: readonly string[] | undefined;
};

/** How long a plan is reused, in milliseconds: while a model writes a call, but not while a person decides about it. */
export const maxPlanAgeMs = 10_000;

interface Plan {
  readonly for: string;
  readonly madeAtMs: number;
  readonly prefix: SandboxPrefix;
}

/**
 * Creates the sandbox of one call. The plan of what the tool may see and change is made when the first command is wrapped, and
 * again for another program or directory, or after ten seconds.
 */
export function sandboxPlace(settings: SandboxSettings, options: SandboxOptions): Place {
  const { wantedKeys = [], tool, hosts = [], ...own } = options;
  const granted = [...(settings.env ?? []), ...wantedKeys];
  const door = tool === undefined ? undefined : doorOf(settings);
  let plan: Plan | undefined;
  const planFor = ({ path, cwd, env }: Command, temporaryDir: string): SandboxPrefix => {
    const key = JSON.stringify([path, cwd, door?.entrance()]);
    const isFresh = plan !== undefined && performance.now() - plan.madeAtMs < maxPlanAgeMs;
    if (plan?.for === key && isFresh && !isMoved(plan.prefix)) return plan.prefix;
    // The program may be an interpreter elsewhere, which must be visible, too.
    const toolFiles = [...own.toolFiles, path, realPathOf(path)];
    const policy = {
      ...settings,
      ...own,
      network: settings.network && !settings.isReadOnly && doorOf(settings) === undefined,
      door,
      toolFiles,
      env: granted,
      environment: env,
      cwd: realPathOf(cwd),
      temporaryDir,
    };
    plan = { for: key, madeAtMs: performance.now(), prefix: sandboxPrefix(policy) };
    return plan.prefix;
  };
  const proxies = (env: NodeJS.ProcessEnv, callId?: string) => {
    const entrance = door?.entrance();
    return tool !== undefined && entrance && "argv" in entrance
      ? (door?.variables({ name: tool, hosts }, env, callId) ?? {})
      : {};
  };
  return {
    ...(door && { ready: () => door.start() }),
    callVariables: (callId, env) => proxies(env, callId),
    wrap(command) {
      const entrance = door?.entrance();
      if (door && !entrance) {
        void door.start();
        return { failure: "the network of the sandbox is not ready yet" };
      }
      let temporaryDir: string;
      try {
        temporaryDir = temporaryDirectory();
      } catch (error) {
        return { failure: `the sandbox cannot be started: no temporary directory: ${(error as Error).message}` };
      }
      const prefix = planFor(command, temporaryDir);
      if ("problem" in prefix) return { failure: `the sandbox cannot be started: ${prefix.problem}` };
      const [path = "", ...args] = prefix.argv;
      const { views } = prefix;
      const env = variablesInside(command.env, granted, temporaryDir);
      const caches = views && cacheVariables(env, { ...settings, ...own }, (place) => viewOf(views, place));
      const whole = {
        ...{ ...env, ...caches, ...proxies(command.env) },
        ...gitVariables(settings, own.projectDir, env),
        ...command.ofCall,
      };
      const passed = isLinux ? pastShell(whole) : { words: [], env: whole };
      return {
        ...command,
        path,
        args: [...args, ...passed.words, command.path, ...command.args],
        env: passed.env,
        filter: prefix.filter,
        ...(views && { inside: { path: command.path, args: command.args, views } }),
        ...(isLinux && { through: { kind: "sandbox" } as const }),
      };
    },
  };
}

/** Where git can write to the repository, what it needs; else puts the program that asks for git before git, where it is installed. */
function gitVariables(
  { git, asksForGit }: SandboxSettings,
  projectDir: string,
  { PATH }: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  if (git === "committing") return commitVariables(projectDir);
  const directory = asksForGit ? besideProgram("ikigai-git") : undefined;
  return directory !== undefined && existsSync(directory)
    ? { PATH: [directory, ...(PATH ? [PATH] : [])].join(":") }
    : {};
}

/** Whether something that determines what runs is no longer where it was: calls may move it with the directories around it. */
function isMoved(prefix: SandboxPrefix): boolean {
  const places = "views" in prefix && prefix.views ? [...prefix.views.keys()] : [];
  return places.some((path) => decisivePartOf(path) === path && (!existsSync(path) || realPathOf(path) !== path));
}

/** The network that a tool in the sandbox joins; `undefined` if it gets an empty one, or the machine's. macOS has no such thing. */
function doorOf({ isReadOnly, door }: SandboxSettings): SessionNetwork | undefined {
  return isReadOnly || !isLinux ? undefined : door;
}

/** Who would change a file: a call with this environment. */
export interface ChangeScene extends Pick<SandboxPolicy, "projectDir" | "cwd" | "placeholders"> {
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Returns whether a tool in this sandbox can change the file at a path without links: a host must not write anything else on
 * behalf of a tool. Never throws; false if the sandbox would not start.
 */
export function sandboxLetsChange(
  path: string,
  settings: SandboxSettings,
  { projectDir, cwd, env, placeholders }: ChangeScene,
): boolean {
  const policy: SandboxPolicy = {
    ...settings,
    projectDir,
    cwd,
    environment: env,
    temporaryDir: "",
    toolFiles: [],
    placeholders,
  };
  try {
    return isLinux ? viewOf(mountPlan(policy), path) === "changeable" : seatbeltLetsChange(path, policy);
  } catch {
    return false;
  }
}

/**
 * Returns the words to put before a command line to run it in this system's sandbox, or why that is impossible and what to do:
 * the end of a sentence. There is no fallback to running without the sandbox.
 */
function sandboxPrefix(policy: SandboxPolicy): SandboxPrefix {
  const problem = socketsProblem(policy) ?? placeProblem(policy);
  if (problem !== undefined) return { problem };
  try {
    switch (process.platform) {
      case "linux":
        return bubblewrapPrefix(policy);
      case "darwin":
        return seatbeltPrefix(policy);
      default:
        return { problem: `ikigai has no sandbox for ${process.platform}` };
    }
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** With the network of the machine, the sockets of its programs that have no path in the file system can be reached. */
function socketsProblem({ network, sockets }: SandboxPolicy): string | undefined {
  if (!network || !sockets) return undefined;
  return "with network access and sandbox.sockets together, a tool could reach the sockets of your other programs, such as your display; turn one of the two off";
}

/** Returns a problem if what may be changed overlaps with what is protected, or what is shown with what is hidden: the end of a sentence. */
export function placeProblem({
  projectDir,
  home,
  userHome,
  isReadOnly,
}: Pick<SandboxPolicy, "projectDir" | "home" | "userHome" | "isReadOnly">): string | undefined {
  if (!existsSync(projectDir)) return `the project directory ${projectDir} does not exist`;
  const [project, own, person] = [realPathOf(projectDir), realPathOf(home), realPathOf(userHome)];
  if (!isReadOnly && isInside(person, project)) {
    const overlap = person === project ? "is your home directory" : "contains your home directory";
    return `the project directory ${project} ${overlap}, and tools may change all of it; start ikigai in a project's directory`;
  }
  if (!isInside(project, own) && (isReadOnly || !isInside(own, project))) return undefined;
  return `${own} and the project ${project} overlap; start ikigai in a project's directory`;
}

const purpose = "sandbox-";

let directory: string | undefined;

/**
 * Returns the temporary directory of this host's sandboxes. The system's own is not used: it is full of sockets that lead out
 * of the sandbox (tmux, an SSH agent) and of other people's files. Removed when the host ends; leftovers of killed hosts are
 * removed when the next one creates its own.
 *
 * @throws the system's error if it cannot be created.
 */
export function temporaryDirectory(): string {
  if (directory !== undefined) return directory;
  const made = mkdtempSync(temporaryPath(purpose));
  directory = made;
  for (const left of staleDirectories()) remove(left);
  process.once("exit", () => remove(made));
  return made;
}

/** Returns where a temporary file of this host's sandboxes is, outside of them. Other paths are the same there. */
export function outsidePathOf(path: string): string {
  return directory !== undefined && isLinux && isInside(path, "/tmp")
    ? join(directory, path.slice("/tmp".length))
    : path;
}

/** Directories of this user's dead hosts. In another user's, a directory could be replaced by a link meanwhile. */
function staleDirectories(): string[] {
  return readdirSync(tmpdir())
    .filter((name) => {
      const pid = temporaryOwner(name);
      return pid !== undefined && name.includes(`.${pid}.${purpose}`) && !isAlive(pid);
    })
    .map((name) => join(tmpdir(), name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.uid === process.geteuid?.());
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // A tool has made a directory in it inaccessible; `ikigai doctor` lists it.
  }
}
