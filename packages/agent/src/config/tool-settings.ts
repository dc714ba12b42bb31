// How each tool is run, by the configuration and the command line: limits, sandbox, launcher, shell. A setting comes from the most
// specific name that has it.

import { resolve } from "node:path";
import type { LauncherSettings, SandboxSettings } from "@ikigai/core";
import { namesTool, pathRulesIn } from "@ikigai/permission";
import { whyNoSandbox } from "@ikigai/sandbox";
import type { Config } from "./config.ts";
import { projectRules } from "./read-config.ts";

/** The user whose tools they are. */
export interface ToolOwner {
  /** The user's ikigai directory. */
  readonly home: string;
  readonly userHome: string;
  /** The project, whose saved rules count; absent: none. */
  readonly projectDir?: string;
}

/** Whether the command line requests the sandbox, and opens all hosts in it. */
export interface SandboxFlags {
  readonly sandbox?: boolean;
  readonly sandboxNetwork?: boolean;
}

/** How to run the calls of one tool. */
export interface ToolSettings {
  readonly timeoutMs?: number | undefined;
  readonly maxOutputBytes?: number | undefined;
  /** How much of an answer a model reads: the user's setting, or what the tool declares. */
  readonly answerBytes?: number | "declared" | undefined;
  /** The user's ikigai directory, for the tool's data. */
  readonly home?: string | undefined;
  /** Whether a process that stays may answer the calls. Default: yes, if the tool declares it. */
  readonly serve?: boolean | undefined;
  readonly sandbox?: SandboxSettings | undefined;
}

/** How to run the user's tools. */
export interface ToolRules {
  settingsFor(name: string): ToolSettings;
  /**
   * The sandbox that can hold a tool's calls, whether or not they all run in it: the tool's own, or the one that this machine has
   * unless the user has turned it off.
   */
  sandboxFor(name: string): SandboxSettings | undefined;
  /** Tools that run elsewhere, by name. The sandbox does not apply to them. */
  readonly launchers: Readonly<Record<string, LauncherSettings>>;
  /** The shells of tools that run commands, by name: absolute paths. */
  readonly shells: Readonly<Record<string, string>>;
  /** The configured sandbox, whether or not it is used. */
  readonly configured: SandboxSettings;
  /** The sandbox of tools without settings of their own, if there is one. */
  readonly sandbox: SandboxSettings | undefined;
  /** Whether the user has turned the sandbox off for those tools. */
  readonly isSandboxOff: boolean;
  /** The sandbox of tools without settings but those of `*`, if there is one. */
  readonly usual: SandboxSettings | undefined;
  /** The names in the configuration, perhaps with `*` at the end, whose settings differ from the usual ones. */
  readonly exceptions: {
    /** Not in the sandbox if others are, else in it. */
    readonly sandbox: readonly string[];
    /** In the sandbox with all hosts open if others have to ask, else without. */
    readonly network: readonly string[];
  };
}

/**
 * Returns how to run tools. The settings of one tool take precedence over the command line, which takes precedence over the
 * rest.
 */
export function toolRules(given: Config, owner: ToolOwner, flags: SandboxFlags = {}): ToolRules {
  const saved = owner.projectDir === undefined ? [] : projectRules({ home: owner.home, projectDir: owner.projectDir });
  const rules = [...saved, ...(given.permission?.rules ?? [])];
  const config = { ...given, permission: { ...given.permission, rules } };
  const wanted = flags.sandbox ?? config.sandbox?.enabled;
  const isOn = wanted ?? false;
  const isOffered = wanted === undefined && whyNoSandbox() === undefined;
  const hasNetwork = flags.sandboxNetwork ?? config.sandbox?.network ?? false;
  const { sandbox: isUsual = isOn, network: usualNetwork = hasNetwork } = config.tools?.["*"] ?? {};
  return {
    settingsFor(name) {
      const configured = toolConfig(config, name);
      const { timeoutMs, maxOutputBytes, answerBytes, serve, sandbox = isOn, network = hasNetwork } = configured;
      const budget: Pick<ToolSettings, "answerBytes"> = { answerBytes: answerBytes ?? "declared" };
      const own = { timeoutMs, maxOutputBytes, ...budget, serve, home: owner.home };
      return { ...own, ...(sandbox && { sandbox: sandboxSettings(config, owner, network) }) };
    },
    sandboxFor(name) {
      const { sandbox = isOn || isOffered, network = hasNetwork } = toolConfig(config, name);
      if (!sandbox) return undefined;
      return sandboxSettings(config, owner, network);
    },
    launchers: launchersOf(config),
    shells: shellsOf(config),
    configured: sandboxSettings(config, owner, false),
    sandbox: isOn ? sandboxSettings(config, owner, hasNetwork) : undefined,
    isSandboxOff: wanted === false,
    usual: isUsual ? sandboxSettings(config, owner, usualNetwork) : undefined,
    exceptions: exceptionsIn(config, isUsual, usualNetwork),
  };
}

function exceptionsIn({ tools = {} }: Config, isOn: boolean, hasNetwork: boolean): ToolRules["exceptions"] {
  const namesOf = (isException: (tool: ToolConfig) => boolean) =>
    Object.entries(tools).flatMap(([name, tool]) => (name !== "*" && isException(tool) ? [name] : []));
  return {
    sandbox: namesOf(({ sandbox = isOn }) => sandbox !== isOn),
    network: namesOf(({ sandbox = isOn, network = hasNetwork }) => sandbox && network !== hasNetwork),
  };
}

/** Returns the configured sandbox, whether or not it is used. */
export function sandboxSettings(
  { sandbox = {}, permission }: Config,
  owner: ToolOwner,
  network: boolean,
): SandboxSettings {
  const { home, userHome } = owner;
  const absolute = (paths: readonly string[] = []) =>
    paths.map((path) => resolve(userHome, path.replace(/^~(?:\/|$)/, "")));
  const { writable, readable, hidden, git, env, sockets } = sandbox;
  return {
    home,
    userHome,
    network,
    writable: absolute(writable),
    readable: absolute(readable),
    hidden: absolute(hidden),
    pathRules: pathRulesIn(permission?.rules ?? []),
    git,
    env,
    sockets,
  };
}

function launchersOf({ tools = {} }: Config): Record<string, LauncherSettings> {
  const launched = Object.entries(tools).flatMap(([name, { launcher, path, directory, remoteShell }]) => {
    return launcher ? [[name, { argv: launcher, path, directory, remoteShell }] as const] : [];
  });
  return Object.fromEntries(launched);
}

function shellsOf({ tools = {} }: Config): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tools).flatMap(([name, { shell }]) => (shell === undefined ? [] : [[name, shell] as const])),
  );
}

type ToolConfig = NonNullable<Config["tools"]>[string];

/**
 * Each setting comes from the most specific name that has it: the tool's own before one that ends in `*`, a longer one before a
 * shorter one. A narrow entry so lifts no limit of a wide one.
 */
function toolConfig({ tools = {} }: Config, name: string): ToolConfig {
  const names = Object.keys(tools).filter((tool) => namesTool({ tool }, name));
  const rank = (one: string) => (one.endsWith("*") ? one.length : Number.POSITIVE_INFINITY);
  return Object.assign({}, ...names.sort((a, b) => rank(a) - rank(b)).map((one) => tools[one]));
}
