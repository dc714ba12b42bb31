// What a hook is: its file, the tools that it is for, by ikigai's names and those of other agents, and the events.

import type { ToolScope } from "@ikigai/protocol";
import { escapeOf, fileObstacle, nearestWord, showOnLine } from "@ikigai/system";
import { firstChange, type Stamps } from "../registry/stamps.ts";

/** A file that is run for an event. */
export interface Hook {
  /** The event that it is run for. */
  readonly event: HookEvent;
  /** The directory it is in: the only tool whose calls it is run for; the name may end in `*`. Absent: all tools. */
  readonly tool?: string;
  /** Its path below `hooks/`, for instance `before-call/bash/10-no-force`. */
  readonly name: string;
  /** Its file as it was found, possibly a link. */
  readonly path: string;
  /** Whether it is the user's own or the project's. */
  readonly scope: Exclude<ToolScope, "system">;
  /** For a project's hook: the project, which it guards and is run in. An agent may work elsewhere. */
  readonly projectDir?: string;
  /** Why it cannot be run: the end of a sentence. */
  readonly problem?: string;
  /** For a project's hook: the project's files as the user approved them, checked before and after every run. */
  readonly trusted?: Stamps;
}

/** Returns why a hook cannot be run, before it is: the end of a sentence. */
export function whyBroken(hook: Hook): string | undefined {
  return hook.problem ?? changeIn(hook) ?? fileObstacle(hook.path);
}

/** Returns which approved file has changed, if one has: the end of a sentence. */
export function changeIn({ trusted }: Hook): string | undefined {
  const changed = trusted && firstChange(trusted);
  return changed && `${printable(changed)} has changed since you trusted it; review it and run: ikigai trust`;
}

/** Claude Code's names of tools, as directories. A hook gets some of them as `tool_name`, so that they are the first that one writes. */
const claudeNames: Readonly<Record<string, string>> = {
  Read: "file_read",
  Write: "file_write",
  Edit: "file_edit",
  MultiEdit: "file_edit",
  WebFetch: "web_fetch",
  WebSearch: "web_search",
};

/** Whether a hook is run for the calls of a tool: its directory is the tool's name, in any case and with `-` for `_`, or Claude Code's. */
export function isForTool({ tool }: Pick<Hook, "tool">, name: string): boolean {
  if (tool === undefined || tool === name || claudeNames[tool] === name) return true;
  const wanted = plain(tool);
  return wanted.endsWith("*") ? plain(name).startsWith(wanted.slice(0, -1)) : plain(name) === wanted;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}

/** What Claude Code, Codex, Gemini CLI, opencode and pi call tools that ship with ikigai, without case, `-` and `_`. */
const otherToolNames: Readonly<Record<string, readonly string[]>> = {
  file_read: ["read", "readfile", "readmanyfiles"],
  file_write: ["write", "writefile"],
  file_edit: ["edit", "multiedit", "notebookedit", "applypatch", "patch", "replace"],
  bash: ["bash", "shell", "localshell", "execcommand", "runshellcommand"],
  glob: ["glob", "find", "ls", "list", "listdirectory"],
  grep: ["grep", "searchfilecontent"],
  web_fetch: ["webfetch", "fetch"],
  web_search: ["websearch", "googlewebsearch"],
  ask_user: ["askuser", "askuserquestion", "requestuserinput", "question"],
  todo: ["todo", "todowrite", "todoread", "writetodos", "updateplan"],
};

/** The tool of ikigai's that another agent's name for a tool means. */
export function toolMeant(name: string): string | undefined {
  const plain = name.toLowerCase().replace(/[-_]/g, "");
  return Object.keys(otherToolNames).find((tool) => otherToolNames[tool]?.includes(plain));
}

/** A path on one line of printable characters, for people and models: a hook's file may be named anything. */
export function printable(path: string): string {
  return showOnLine(path, escapeOf);
}

/** Whether a name is that of a tool that ships with ikigai, or the beginning of one with a star. */
export function isShippedTool(name: string): boolean {
  const start = name.endsWith("*") ? name.slice(0, -1) : undefined;
  return Object.keys(otherToolNames).some((tool) => (start === undefined ? tool === name : tool.startsWith(start)));
}

/** The moments at which hooks run. */
export type HookEvent =
  | "session-start"
  | "session-end"
  | "prompt"
  | "before-call"
  | "after-call"
  | "before-compact"
  | "question"
  | "stop";

/** What differs between events. */
interface HookEventFacts {
  /** The event's name in Claude Code, in the field `hook_event_name`. */
  readonly claudeName: string;
  /** What its hooks may do, in a few words. */
  readonly about: string;
  /** Whether its hooks decide something: one that is broken then never lets it through. */
  readonly isGuard?: true;
  /** Whether the event's directory may have a directory for each tool. */
  readonly isOfCalls?: true;
  /** Whether plain text on stdout is context for the model. */
  readonly takesText?: true;
  /** How long a hook may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** Time limit of hooks that something waits for, in milliseconds: enough to run a project's linter. */
const waitedForMs = 30_000;

/** Time limit of hooks that only notify, in milliseconds. */
const tellingMs = 5_000;

/** The events, in the order of a session. Their names are the names of directories. */
export const hookEvents: Readonly<Record<HookEvent, HookEventFacts>> = {
  "session-start": {
    claudeName: "SessionStart",
    about: "add context to the first message",
    takesText: true,
    timeoutMs: waitedForMs,
  },
  prompt: {
    claudeName: "UserPromptSubmit",
    about: "refuse a message, or add context to it",
    isGuard: true,
    takesText: true,
    timeoutMs: waitedForMs,
  },
  "before-call": {
    claudeName: "PreToolUse",
    about: "allow, ask about or deny a call, or change its arguments",
    isGuard: true,
    isOfCalls: true,
    timeoutMs: waitedForMs,
  },
  question: { claudeName: "Notification", about: "notify you of a question", timeoutMs: tellingMs },
  "after-call": {
    claudeName: "PostToolUse",
    about: "add context to a result",
    isOfCalls: true,
    timeoutMs: waitedForMs,
  },
  "before-compact": {
    claudeName: "PreCompact",
    about: "say what a summary must keep, or prevent it",
    takesText: true,
    timeoutMs: waitedForMs,
  },
  stop: { claudeName: "Stop", about: "have the model continue, with a reason", timeoutMs: waitedForMs },
  "session-end": { claudeName: "SessionEnd", about: "clean up", timeoutMs: tellingMs },
};

/** All events, in the same order. */
export const hookEventNames = Object.keys(hookEvents) as HookEvent[];

/** Whether a word is the name of an event. */
export function isHookEvent(name: string): name is HookEvent {
  return Object.hasOwn(hookEvents, name);
}

/** The event that a word probably means: by its name in Claude Code, or a similar one. */
function nearestHookEvent(word: string): HookEvent | undefined {
  const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z]/g, "");
  const nearest = nearestWord(word, hookEventNames);
  return (
    hookEventNames.find((event) => lettersOf(hookEvents[event].claudeName) === lettersOf(word)) ??
    hookEventNames.find((event) => event === nearest)
  );
}

/** What to do about a word that names no event: the nearest one, if any, and all of them. */
export function eventAdvice(word: string): string {
  const nearest = nearestHookEvent(word);
  return `${nearest === undefined ? "" : `Did you mean ${nearest}? `}Events: ${hookEventNames.join(", ")}.`;
}
