// Writes the tools' commands as scripts. Loaded only by a conversation that has tools of others.

import { rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { RegisteredTool } from "@ikigai/core";
import { isReader } from "@ikigai/permission";
import { privateDirectoryMode, programFinder, shellWord } from "@ikigai/system";
import { exportedToolPath } from "../places/own-paths.ts";
import { type ConversationHome, openConversationHome, removeLeftHomes } from "./conversation-home.ts";

const ending = "-tool";

/** Where the commands are, and which programs they must not replace. */
export interface CommandsPlace {
  /** The user's directory. */
  readonly home: string;
  readonly directory: string;
  readonly searchPath: string;
  readonly projectDir: string;
}

/** A directory of commands. */
export interface WrittenCommands {
  /** Has exactly the commands of these tools. Without a place for them, it does nothing. */
  renew(tools: readonly RegisteredTool[]): void;
  remove(): void;
}

/** Makes the directory, and removes those of conversations whose processes were killed. */
export function openCommands(place: CommandsPlace): WrittenCommands {
  const parent = dirname(place.directory);
  removeLeftHomes(parent);
  const own = openHome(place.directory);
  if (!own) return { renew() {}, remove() {} };
  let written: ReadonlyMap<string, string> = new Map();
  const write = (wanted: ReadonlyMap<string, string>) => {
    for (const [name, text] of written) if (wanted.get(name) !== text) rmSync(join(own.path, name), { force: true });
    for (const [name, text] of wanted) {
      if (written.get(name) === text) continue;
      writeFileSync(join(own.path, name), text, { mode: privateDirectoryMode, flag: "wx" });
    }
  };
  return {
    renew(tools) {
      const wanted = commandsOf(tools, place);
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

function openHome(directory: string): ConversationHome | undefined {
  try {
    return openConversationHome(dirname(directory), basename(directory));
  } catch {
    // Nothing can be written there: the tools can still be called.
    return undefined;
  }
}

/** The text of each command, by name. */
function commandsOf(tools: readonly RegisteredTool[], place: CommandsPlace): ReadonlyMap<string, string> {
  const commands = new Map<string, string>();
  const findProgram = programFinder(place.searchPath, place.projectDir);
  for (const tool of tools) {
    // One that runs on another machine never runs here instead.
    if (tool.launcher) continue;
    const file = basename(tool.path).slice(0, -ending.length);
    const isFile = file.replaceAll("-", "_") === tool.name;
    // A tool of an MCP server is called after its server as well, so another one may have the same file name.
    if (!isFile && !tool.plain) continue;
    const own = isFile ? file : tool.name;
    const text = commandText(tool, place);
    commands.set(`${own}${ending}`, text);
    for (const name of new Set([own, tool.name])) {
      // A rule such as `bash(git *)` must not mean a tool where git is missing, and what runs without a question because of its name
      // must be that program. A project's tool never has a name that rules and questions take for a program's.
      const isFree = tool.scope !== "project" && !isReader(name) && findProgram(name) === undefined;
      if (isFree) commands.set(name, text);
    }
  }
  return commands;
}

/**
 * A script rather than a link: a tool may look for the files beside it. `KEY=VALUE`, JSON or `--help` make a call. A tool that speaks JSON
 * gets all other words as they are; a plain one cannot read its variables without a call.
 */
function commandText({ name, path, scope, plain }: RegisteredTool, { home }: CommandsPlace): string {
  const variables = [
    ["IKIGAI_TOOL_NAME", name],
    ["IKIGAI_TOOL_DIR", dirname(path)],
    ["IKIGAI_TOOL_SCOPE", scope],
  ] as const;
  const set = variables.map(([variable, value]) => `${variable}=${shellWord(value)}`);
  const call = [process.execPath, exportedToolPath, path, name].map((word) => shellWord(word)).join(" ");
  const run = `exec ${shellWord(path)} "$@"`;
  const isCall = `case $1 in
-h | --help | {*) ;;
[A-Za-z_]*=*) case \${1%%=*} in *[!]A-Za-z0-9_.:[-]*) ${run} ;; esac ;;
*) ${run} ;;
esac
`;
  return `#!/bin/sh
export ${set.join(" ")}
${plain ? "" : isCall}IKIGAI_HOME=${shellWord(home)} exec ${call} --shell "$@"
`;
}
