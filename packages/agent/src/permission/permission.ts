import type { RegisteredTool } from "@ikigai/core";
import type { JsonObject } from "@ikigai/protocol";
import type { PermissionMode } from "./permission-modes.ts";

/** What is to happen to a call. */
export type Verdict = "allow" | "ask" | "deny";

/** `tool` or `tool(pattern)`, and what it means. `*` in the pattern stands for any text. */
export interface PermissionRule {
  readonly verdict: Verdict;
  /** As the user writes it, for instance `bash(git status*)`. */
  readonly rule: string;
}

/** Who may do what in a conversation. `rules` grows when the user says "always". */
export interface Permission {
  mode: PermissionMode;
  /** The first that matches decides. */
  rules: PermissionRule[];
  /** The directory inside which the system's tools that read, list or search files need no question. */
  readonly projectDir: string;
  /** Whether bash's commands that only read there need no question; they need none unless told. */
  readonly readOnlyCommands?: boolean;
  /** Directories besides in which the system's tools that read a file need no question: where long outputs are kept. */
  readableDirs?: readonly string[];
  /** The directory of the user's own tools and configuration. Writing there is always a question. */
  readonly home: string;
}

/** A call that waits for a decision. */
export interface PendingCall {
  readonly id: string;
  readonly name: string;
  /** A JSON object, as the model wrote it. */
  readonly arguments: string;
  /** The same, parsed, if somebody has done so already. */
  readonly value?: JsonObject;
}

/** What is to happen to a call, and why. */
export interface Decision {
  readonly verdict: Verdict;
  /** Why, in a few words for the user. */
  readonly reason: string;
}

/** What the user is asked. */
export interface Question {
  readonly call: PendingCall;
  readonly tool: RegisteredTool;
  /** Why there is a question, in a few words. */
  readonly reason: string;
  /** The file or directory the call is about, links resolved, when it names one. */
  readonly realPath?: string;
  /** What "always" would allow, for instance `bash(npm test)`; absent when the question is always asked. */
  readonly rule?: string;
}

/** What the user says to a question. */
export type Answer =
  | {
      readonly allow: true;
      /** `session`: until this conversation ends; `always`: also save the rule. */
      readonly remember?: "session" | "always";
    }
  | {
      readonly allow: false;
      /** What the model is told instead. */
      readonly words?: string;
    };

/** Asks the user. One question is open at a time. Without anybody to ask, everything that would be asked is denied. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>;
