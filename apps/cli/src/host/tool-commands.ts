import { randomUUID } from "node:crypto";
import { delimiter, join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import type { Registry } from "@ikigai/core";
import type { WrittenCommands } from "./write-commands.ts";

/** The tools of one conversation as commands, so that a shell can combine them: `database-query "…" | jq`. */
export interface ToolCommands {
  /** The environment of tools: the directory of the commands is the last one in `PATH`. */
  readonly env: NodeJS.ProcessEnv;
  /** The directory, which is made when the tools are known; `undefined` without a `PATH`. */
  readonly directory: string | undefined;
  /** Has exactly the commands of these tools. */
  renew(registry: Pick<Registry, "tools">): Promise<void>;
  /** Removes the directory. */
  remove(): void;
}

/** Decides where the commands of a conversation will be. */
export function toolCommands({ home, projectDir }: Places, given: NodeJS.ProcessEnv): ToolCommands {
  const parent = join(home, "cache", "commands");
  const searchPath = withoutOuterCommands(given.PATH ?? "", parent);
  if (searchPath === "") return { env: { ...given }, directory: undefined, async renew() {}, remove() {} };
  const directory = join(parent, randomUUID());
  let commands: WrittenCommands | undefined;
  let isOver = false;
  return {
    // Every call copies the environment; copying process.env would ask the system for each variable again.
    env: { ...given, PATH: `${searchPath}${delimiter}${directory}` },
    directory,
    async renew({ tools }) {
      // Loaded only now: by then the tools have been found.
      const { openCommands } = await import("./write-commands.ts");
      if (isOver) return;
      commands ??= openCommands({ directory, searchPath, projectDir });
      commands.renew(tools);
    },
    remove() {
      isOver = true;
      commands?.remove();
    },
  };
}

/** Without the commands of the conversation that started this agent, which may have other tools. */
function withoutOuterCommands(searchPath: string, parent: string): string {
  if (!searchPath.includes(parent)) return searchPath;
  return searchPath
    .split(delimiter)
    .filter((directory) => !directory.startsWith(`${parent}/`))
    .join(delimiter);
}
