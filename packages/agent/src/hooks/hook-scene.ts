import type { HookFinder, HookOptions } from "@ikigai/core/internal";
import type { Permission } from "../permission/permission.ts";
import type { Conversation } from "../session/conversation.ts";
import type { SessionEvent } from "../session/session-event.ts";
import type { HookAnswer } from "./hook-answer.ts";

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
