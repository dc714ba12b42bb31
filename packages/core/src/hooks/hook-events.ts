import { nearestWord } from "@ikigai/system";

/** The moments at which hooks run. */
export type HookEvent = "session-start" | "session-end" | "prompt" | "before-call" | "after-call" | "question" | "stop";

/** What differs between events. */
export interface HookEventFacts {
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
