// The tools as commands of the model's bash, and which of them must be called as tools.

import { delimiter, join } from "node:path";
import type { AgentContext, Places } from "@ikigai/agent/internal";
import type { Registry } from "@ikigai/core";
import { isForTool } from "@ikigai/core/hooks";
import { firstChange } from "@ikigai/core/trust";
import { namesTool, parseRule } from "@ikigai/permission";
import { newSessionId } from "@ikigai/session";
import { commandsOfUser } from "../places/own-paths.ts";
import type { WrittenCommands } from "./write-commands.ts";

/**
 * The tools of one conversation as commands, so that a shell can combine them: `database-query "…" | jq`. Those that come with ikigai
 * are left out: shells have `cat` and `grep`, and most conversations then have no commands at all.
 */
export interface ShellCommands {
  /** The environment of tools: the directory of the commands is the last one in `PATH`. */
  readonly env: NodeJS.ProcessEnv;
  /** The directory, which is made when the tools are known; `undefined` without a `PATH`. */
  readonly directory: string | undefined;
  /** The tools have been found. In a sandbox, the directory must exist before a process is started in it. */
  found(registry: Pick<Registry, "tools">, isSandboxed: boolean): Promise<void>;
  /** Tells which tools get no command, because rules or hooks are about their calls: a command would get around these. */
  guardBy(guards: () => Promise<IsGuarded>): void;
  /**
   * Writes the commands of the tools that were found last, without those of a project whose files have changed since the user has
   * approved them. Not before a call needs them: a start has no time for it.
   */
  write(): Promise<void>;
  /** Removes the directory. */
  remove(): void;
}

/** Whether a tool must be called as such. */
type IsGuarded = (name: string) => boolean;

/** Decides where the commands of a conversation will be. */
export function shellCommands({ home, projectDir }: Places, given: NodeJS.ProcessEnv): ShellCommands {
  const parent = join(home, "cache", "commands");
  const searchPath = withoutOuterCommands(given.PATH ?? "", { parent, home });
  if (searchPath === "")
    return { env: { ...given }, directory: undefined, async found() {}, guardBy() {}, async write() {}, remove() {} };
  const directory = join(parent, newSessionId());
  let commands: WrittenCommands | undefined;
  let added: Registry["tools"] = [];
  let written = "";
  let guards: () => Promise<IsGuarded> = async () => () => false;
  let isOver = false;
  const open = async () => {
    const { openCommands } = await import("./write-commands.ts");
    if (!isOver) commands ??= openCommands({ home, directory, searchPath, projectDir });
  };
  return {
    // Every call copies the environment; copying process.env would ask the system for each variable again.
    env: { ...given, PATH: `${searchPath}${delimiter}${directory}` },
    directory,
    async found({ tools }, isSandboxed) {
      added = tools.filter(({ scope }) => scope !== "system");
      if (isSandboxed && added.length > 0) await open();
    },
    guardBy(find) {
      guards = find;
    },
    async write() {
      if (hasChanged(added)) added = added.filter(({ scope }) => scope !== "project");
      if (added.length === 0 && written === "") return;
      const isGuarded = await guards();
      const wanted = added.filter(({ name }) => !isGuarded(name));
      // Most calls find those that there are already.
      const key = wanted.map(({ name, path, scope }) => `${name} ${path} ${scope}`).join("\n");
      if (key === written) return;
      await open();
      commands?.renew(wanted);
      written = key;
    },
    remove() {
      isOver = true;
      commands?.remove();
    },
  };
}

/** Whether a file of the project has changed that the user has approved with its tools. */
function hasChanged(tools: Registry["tools"]): boolean {
  // The tools of a project share the list.
  const lists = new Set(tools.flatMap(({ trusted }) => trusted ?? []));
  return [...lists].some((trusted) => firstChange(trusted) !== undefined);
}

/** Without the commands of the conversation that started this agent, which may have other tools, and those of the user's shell. */
function withoutOuterCommands(
  searchPath: string,
  { parent, home }: { readonly parent: string; readonly home: string },
): string {
  if (!searchPath.includes(home)) return searchPath;
  return searchPath
    .split(delimiter)
    .filter((directory) => !directory.startsWith(`${parent}/`) && directory !== commandsOfUser(home))
    .join(delimiter);
}

/**
 * Finds out which tools must be called as such: those that a rule which asks or denies names, or that have hooks of their own. Rules
 * and hooks of all tools see a command in bash as a call of bash.
 */
export async function guardedTools({
  permission,
  hooks,
}: Pick<AgentContext, "permission" | "hooks">): Promise<IsGuarded> {
  const { rules, limits = [] } = permission;
  const names = [...rules, ...limits.flatMap((limit) => limit.rules ?? [])]
    .filter(({ verdict }) => verdict !== "allow")
    .flatMap(({ rule }) => {
      const parts = parseRule(rule);
      return parts && parts.reach === undefined ? [parts.tool] : [];
    })
    .filter((tool) => tool !== "*");
  const guards = hooks.finder.isEmpty() ? [] : (await hooks.finder.find("before-call")).hooks;
  const ofTools = guards.filter(({ tool }) => tool !== undefined);
  return (name) => names.some((tool) => namesTool({ tool }, name)) || ofTools.some((hook) => isForTool(hook, name));
}
