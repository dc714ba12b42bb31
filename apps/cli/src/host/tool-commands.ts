import { rmSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { isReadingCommand, type Places } from "@ikigai/agent/internal";
import type { RegisteredTool, Registry } from "@ikigai/core";
import { findProgram, isInside, privateDirectoryMode, realPathOf, shellWord } from "@ikigai/system";
import { type ConversationHome, openConversationHome } from "./servers/conversation-home.ts";
import { conversationsDir } from "./servers/conversations-dir.ts";

/** The tools of one conversation as commands, so that a shell can combine them: `database-query "…" | jq`. */
export interface ToolCommands {
  /** The environment of tools: their directory is the last one in `PATH`. */
  readonly env: NodeJS.ProcessEnv;
  /** The directory of the commands; `undefined` if there can be none. */
  readonly directory: string | undefined;
  /** Has exactly the commands of these tools. */
  renew(registry: Pick<Registry, "tools">): void;
  /** Removes the directory. */
  remove(): void;
}

const ending = "-tool";

/** Opens an empty directory of commands. Without a place for it or a `PATH`, the environment stays as it is. */
export function openToolCommands(places: Places, given: NodeJS.ProcessEnv): ToolCommands {
  const env = withoutOuterCommands(given, places.home);
  const { PATH: searchPath } = env;
  const own = searchPath ? openHome(places.home) : undefined;
  if (!own || !searchPath) return { env, directory: undefined, renew() {}, remove() {} };
  let written: ReadonlyMap<string, string> = new Map();
  const write = (wanted: ReadonlyMap<string, string>) => {
    for (const [name, text] of written) if (wanted.get(name) !== text) rmSync(join(own.path, name), { force: true });
    for (const [name, text] of wanted) {
      if (written.get(name) === text) continue;
      writeFileSync(join(own.path, name), text, { mode: privateDirectoryMode, flag: "wx" });
    }
  };
  return {
    env: { ...env, PATH: `${searchPath}${delimiter}${own.path}` },
    directory: own.path,
    renew({ tools }) {
      const wanted = commandsOf(tools, searchPath, places.projectDir);
      try {
        write(wanted);
        written = wanted;
      } catch {
        // A full disk: no command is better than one of a tool that is no longer used.
        written = new Map();
        own.empty();
      }
    },
    remove: own.remove,
  };
}

function openHome(home: string): ConversationHome | undefined {
  try {
    return openConversationHome(home);
  } catch {
    // Nothing can be written there: the tools can still be called.
    return undefined;
  }
}

/** Without the commands of the conversation that started this agent, which may have other tools. */
function withoutOuterCommands(env: NodeJS.ProcessEnv, home: string): NodeJS.ProcessEnv {
  const outer = realPathOf(conversationsDir(home));
  const { PATH: searchPath } = env;
  if (!searchPath?.includes(outer)) return env;
  const kept = searchPath.split(delimiter).filter((directory) => !isInside(directory, outer));
  return { ...env, PATH: kept.join(delimiter) };
}

/** The text of each command, by name. */
function commandsOf(
  tools: readonly RegisteredTool[],
  searchPath: string,
  projectDir: string,
): ReadonlyMap<string, string> {
  const commands = new Map<string, string>();
  for (const tool of tools) {
    // One that runs on another machine never runs here instead.
    if (tool.launcher) continue;
    const file = basename(tool.path);
    const name = file.slice(0, -ending.length);
    // A tool of an MCP server is called after its server as well, so another one may have the same file name.
    if (name.replaceAll("-", "_") !== tool.name) continue;
    const text = commandText(tool);
    commands.set(file, text);
    if (isFree(name, tool, searchPath, projectDir)) commands.set(name, text);
  }
  return commands;
}

/**
 * Whether a tool may have a name that rules and questions take for a program's. A rule such as `bash(git *)` must not mean a file of the
 * project where git is missing, and what runs without a question because of its name must be that program.
 */
function isFree(name: string, { scope }: RegisteredTool, searchPath: string, projectDir: string): boolean {
  return scope !== "project" && !isReadingCommand(name) && findProgram(name, searchPath, projectDir) === undefined;
}

/** A script rather than a link: a tool may look for the files beside it. */
function commandText({ name, path, scope }: RegisteredTool): string {
  const variables = [
    ["IKIGAI_TOOL_NAME", name],
    ["IKIGAI_TOOL_DIR", dirname(path)],
    ["IKIGAI_TOOL_SCOPE", scope],
  ] as const;
  const set = variables.map(([variable, value]) => `${variable}=${shellWord(value)}`);
  return `#!/bin/sh\nexport ${set.join(" ")}\nexec ${shellWord(path)} "$@"\n`;
}
