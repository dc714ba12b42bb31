import { resolve } from "node:path";
import type { LauncherSettings, SandboxSettings } from "@ikigai/core";
import type { Config } from "./config.ts";

/** Whose tools they are. */
export interface ToolOwner {
  /** The user's own directory of ikigai. */
  readonly home: string;
  readonly userHome: string;
}

/** Whether the command line wants the sandbox, and the network in it. */
export interface SandboxFlags {
  readonly sandbox?: true;
  readonly sandboxNetwork?: true;
}

/** How the user wants the calls of one tool to be made. */
export interface ToolSettings {
  readonly timeoutMs?: number | undefined;
  readonly maxOutputBytes?: number | undefined;
  readonly sandbox?: SandboxSettings | undefined;
}

/** How the user wants their tools to be run. */
export interface ToolRules {
  settingsFor(name: string): ToolSettings;
  /** The tools that run somewhere else, by name. They are not in the sandbox: it is here. */
  readonly launchers: Readonly<Record<string, LauncherSettings>>;
  /** The sandbox of tools that nothing particular is said of, if they have one. */
  readonly sandbox: SandboxSettings | undefined;
}

/** How tools are to be run. What the configuration says of one tool stands before the command line, and that before the rest. */
export function toolRules(config: Config, owner: ToolOwner, flags: SandboxFlags = {}): ToolRules {
  const isOn = flags.sandbox ?? config.sandbox?.enabled ?? false;
  const hasNetwork = flags.sandboxNetwork ?? config.sandbox?.network ?? false;
  return {
    settingsFor(name) {
      const { timeoutMs, maxOutputBytes, sandbox = isOn, network = hasNetwork } = toolConfig(config, name);
      return { timeoutMs, maxOutputBytes, ...(sandbox && { sandbox: sandboxSettings(config, owner, network) }) };
    },
    launchers: launchersOf(config),
    sandbox: isOn ? sandboxSettings(config, owner, hasNetwork) : undefined,
  };
}

/** The sandbox as it is configured, whether or not it is used. */
export function sandboxSettings({ sandbox = {} }: Config, owner: ToolOwner, network: boolean): SandboxSettings {
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

function toolConfig({ tools = {} }: Config, name: string) {
  return (Object.hasOwn(tools, name) ? tools[name] : undefined) ?? {};
}
