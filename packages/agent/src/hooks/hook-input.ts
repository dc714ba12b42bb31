import type { RegisteredTool } from "@ikigai/core";
import { type HookEvent, type HookFinder, type HookOptions, hookEvents } from "@ikigai/core/internal";
import type { Permission, PermissionMode, Verdict } from "@ikigai/permission";
import type { JsonObject, JsonValue } from "@ikigai/protocol";
import type { Conversation, SessionEvent } from "@ikigai/session";
import type { HookAnswer } from "./hook-answer.ts";

/** A call as hooks see it. */
export interface HookCall {
  readonly id: string;
  readonly tool: RegisteredTool;
  readonly args: JsonObject;
  /** The decision so far. */
  readonly verdict?: Verdict;
}

/** The fields that only some events have, under Claude Code's names. */
export type EventFields = Readonly<Record<string, JsonValue>>;

/** Claude Code's names of the tools whose parameters have the same names. */
const toolNames: ReadonlyMap<string, string> = new Map([
  ["bash", "Bash"],
  ["file_read", "Read"],
  ["file_write", "Write"],
  ["file_edit", "Edit"],
  ["glob", "Glob"],
  ["grep", "Grep"],
]);

const modeNames: Readonly<Record<PermissionMode, string>> = {
  ask: "default",
  edits: "acceptEdits",
  // The nearest one: it has none for what a sandbox holds.
  auto: "acceptEdits",
  plan: "plan",
  allow: "bypassPermissions",
  deny: "dontAsk",
};

/** Events for which Claude Code sends no permission mode. */
const withoutMode: readonly HookEvent[] = ["session-start", "session-end"];

/**
 * Returns a hook's stdin: the fields that Claude Code 2.1.197 sends for the event, so that its hooks run unmodified, then
 * ikigai's own. `undefined` if the arguments are nested too deeply to be printed.
 */
export function hookInput(
  event: HookEvent,
  { conversation, permission }: Pick<HookScene, "conversation" | "permission">,
  fields: EventFields,
  call?: HookCall,
): string | undefined {
  const { mode, projectDir } = permission;
  const { tool, args, id, verdict } = call ?? {};
  const input = {
    session_id: conversation.id,
    transcript_path: conversation.log.path ?? "",
    cwd: projectDir,
    ...(!withoutMode.includes(event) && { permission_mode: modeNames[mode] }),
    hook_event_name: hookEvents[event].claudeName,
    ...(tool && { tool_name: toolNames.get(tool.name) ?? tool.name, tool_input: args, tool_use_id: id }),
    ...fields,
    ikigai: {
      event,
      ...(tool && { tool: tool.name, tool_path: tool.path, tool_scope: tool.scope }),
      ...(verdict && { verdict }),
    },
  };
  try {
    return JSON.stringify(input);
  } catch {
    return undefined;
  }
}

/** The hooks of a user and a project, and how they are run. */
export interface Hooks {
  readonly finder: HookFinder;
  readonly options: Omit<HookOptions, "sessionId" | "signal">;
  /** What the user has been told already: a broken hook is not told at every call. */
  readonly told: Set<string>;
  /** The sessions whose start hooks have seen, by ID. */
  readonly sessions: Map<string, "open" | "over">;
  /** What could not be told yet: of the end of a conversation that the user has left. */
  readonly untold: string[];
  /** Settles when the hooks for that end have ended. */
  leaving?: Promise<void>;
}

/** Where an event happens. */
export interface HookScene {
  readonly hooks: Hooks;
  readonly conversation: Conversation;
  readonly permission: Permission;
  /** Keys, which are removed from what a hook says. */
  readonly secrets: readonly string[];
  readonly signal?: AbortSignal | undefined;
  record(event: SessionEvent): void;
  /** Gets the answer of each run, as far as its hook may answer, after the run was recorded. */
  answered?(answer: HookAnswer): void;
  /** Tells the user something, one sentence. */
  notice(text: string): void;
}
