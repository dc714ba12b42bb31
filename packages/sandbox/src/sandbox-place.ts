import { existsSync } from "node:fs";
import { isLinux, realPathOf } from "@ikigai/system";
import { decisivePartOf } from "./decisive-files.ts";
import { recordingVariables } from "./git-recording.ts";
import { settingAgain } from "./mount-check.ts";
import { mountPlan, viewOf } from "./mount-plan.ts";
import type { Command, Place, SessionNetwork } from "./place.ts";
import { cacheVariables } from "./project-cache.ts";
import type { SandboxPolicy, SandboxPrefix, SandboxSettings } from "./sandbox-policy.ts";
import { sandboxPrefix } from "./sandbox-prefix.ts";
import { seatbeltLetsChange } from "./seatbelt.ts";
import { temporaryDirectory } from "./temporary-directory.ts";
import { variablesInside } from "./variables-inside.ts";

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
        ...env,
        ...caches,
        ...proxies(command.env),
        ...(settings.git === "recording" && recordingVariables),
        ...command.ofCall,
      };
      return {
        ...command,
        path,
        args: [...args, ...(isLinux ? settingAgain(whole) : []), command.path, ...command.args],
        env: whole,
        filter: prefix.filter,
        ...(views && { inside: { path: command.path, args: command.args, views } }),
        ...(isLinux && { through: { kind: "sandbox" } as const }),
      };
    },
  };
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
export function mayChange(
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
