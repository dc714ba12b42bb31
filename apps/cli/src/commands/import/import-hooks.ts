// Claude Code's hooks as ikigai's: each command of its settings becomes an executable file in the directory of the event and the tool. What
// has no equivalent here (other types, matchers that are no names of tools, time limits) is named.

import { type HookEvent, hookEventNames, hookEvents, toolMeant } from "@ikigai/core/hooks";
import { isJsonObject, type JsonObject } from "@ikigai/protocol";

/** Hooks that can be written, and what cannot be carried over. */
export interface ImportedHooks {
  readonly files: readonly HookFile[];
  readonly left: readonly string[];
}

/** A hook as a file. */
export interface HookFile {
  /** Its path below `hooks/`. */
  readonly name: string;
  /** The event and the matcher, as the settings have them, and the command. */
  readonly label: string;
  readonly text: string;
}

/** What a hook of theirs may have besides its command without meaning something else here. */
const harmless = new Set(["type", "command", "timeout", "statusMessage"]);

/** @param hooks the value of `hooks`: groups of hooks with a matcher, by event. @param path the file, for the remarks */
export function claudeHooks(hooks: unknown, path: string): ImportedHooks {
  const files: HookFile[] = [];
  const left: string[] = [];
  for (const [name, groups] of Object.entries(isJsonObject(hooks) ? hooks : {})) {
    const event = hookEventNames.find((one) => hookEvents[one].claudeName === name);
    if (event === undefined) {
      left.push(`hooks for ${name} in ${path}: ikigai has no such event; those it has: ikigai help hooks`);
      continue;
    }
    let number = 0;
    for (const group of listIn(groups)) {
      const matcher = typeof group.matcher === "string" ? group.matcher : "";
      const title = `${name}${matcher === "" ? "" : ` ${matcher}`}`;
      const { tools, strange } = toolsMatched(matcher, event);
      if (strange.length > 0) left.push(`hook ${title}: ${whyStrange(strange, event)}`);
      for (const hook of listIn(group.hooks)) {
        number += 1;
        const why = whyLeft(hook);
        if (why !== undefined) left.push(`hook ${title}: ${why}`);
        else files.push(...tools.map((tool) => fileOf(hook, { event, title, tool, number })));
        if (why === undefined && tools.length > 0) left.push(...timeLeft(hook, event, title));
      }
    }
  }
  return { files, left };
}

function listIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The directories for a matcher, a regular expression over names: `Edit|Write`, `mcp__github__.*`. `undefined` stands for all tools. */
function toolsMatched(matcher: string, event: HookEvent) {
  if (/^(?:\.?\*)?$/.test(matcher)) return { tools: [undefined], strange: [] };
  if (!hookEvents[event].isOfCalls) return { tools: [], strange: [JSON.stringify(matcher)] };
  const names = matcher.replace(/^\^?\(?|\)?\$?$/g, "").split("|");
  const found = names.map((name) => [name, directoryFor(name)] as const);
  return {
    tools: [...new Set(found.flatMap(([, tool]) => tool ?? []))],
    strange: found.flatMap(([name, tool]) => (tool === undefined ? [name] : [])),
  };
}

function whyStrange(strange: readonly string[], event: HookEvent): string {
  if (hookEvents[event].isOfCalls) return `ikigai has no tool like ${strange.join(", ")}`;
  return "here, hooks for it have no matcher; to add it without: ikigai help hooks";
}

function directoryFor(name: string): string | undefined {
  const plain = name.replace(/\.\*$/, "*");
  return toolMeant(name) ?? (/^mcp__[\w-]*\*?$/.test(plain) ? plain : undefined);
}

function whyLeft(hook: JsonObject): string | undefined {
  const { type = "command", command } = hook;
  if (type !== "command" || typeof command !== "string")
    return `its type is ${JSON.stringify(type)}; ikigai runs commands only`;
  const others = Object.keys(hook).filter((key) => !harmless.has(key));
  return others.length === 0 ? undefined : `ikigai has nothing like its ${others.join(", ")}`;
}

function timeLeft({ timeout }: JsonObject, event: HookEvent, title: string): string[] {
  const seconds = hookEvents[event].timeoutMs / 1_000;
  if (typeof timeout !== "number" || timeout === seconds) return [];
  return [`hook ${title}: its time limit of ${timeout} s; here it has ${seconds} s`];
}

function fileOf(
  { command }: JsonObject,
  {
    event,
    title,
    tool,
    number,
  }: { readonly event: HookEvent; readonly title: string; readonly tool: string | undefined; readonly number: number },
): HookFile {
  const name = [event, ...(tool === undefined ? [] : [tool]), `claude-${number}`].join("/");
  return { name, label: `${title}: ${command}`, text: `#!/bin/sh\n${command}\n` };
}
