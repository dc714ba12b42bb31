// Reports of what went wrong: a bug, and a turn that ended with an error, with what to do about it.

import type { TurnEnd } from "@ikigai/agent";
import { expectedMessage } from "@ikigai/models";
import { sanitise } from "@ikigai/screen";
import { printError, withoutKeys } from "../host/terminal/stdout.ts";

/** Reports a bug on stderr, for a program on stdout that continues. */
export function reportBug(error: unknown): void {
  printError(`${bugText(error)}\n`);
}

/** What went wrong in a command of a conversation, which continues: an expected error, or a bug as such. */
export function failureText(error: unknown): string {
  try {
    return sanitise(expectedMessage(error));
  } catch {
    return bugText(error);
  }
}

function bugText(error: unknown): string {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `This is a bug in ikigai, please report it.\n${sanitise(withoutKeys(what))}`;
}

type ErrorCode = NonNullable<TurnEnd["error"]>["code"];

/** What to do about a task of `-p` that ended with an error of this code: a sentence after a space; empty if there is nothing to say. */
export function taskAdvice(code: ErrorCode, session: string | undefined): string {
  const more = sayMore[code];
  const resume = session && mayGoOn.includes(code) ? `To continue: ikigai --resume ${session}` : undefined;
  return [more, resume].flatMap((sentence) => (sentence === undefined ? [] : ` ${sentence}`)).join("");
}

/** The same in a conversation. */
export function turnAdvice(code: ErrorCode): string {
  const sentence = inConversation[code];
  return sentence === undefined ? "" : ` ${sentence}`;
}

type Advice = Readonly<Partial<Record<ErrorCode, string>>>;

const mayGoOn: readonly ErrorCode[] = ["max_steps", "limit_reached", "goal_missed"];

const sayMore: Advice = {
  max_steps: "To allow more: --max-turns N.",
  request_too_large: "Send less at once, or raise the limit.",
  context_too_long: "Use a model with a larger context window: --model PROVIDER/MODEL",
};

const inConversation: Advice = {
  max_steps: "To continue, send another message.",
  limit_reached: "To continue with a higher limit: quit, then ikigai -c",
  goal_missed: "To continue, send another message. To drop the goal: /goal off",
  request_too_large: "To shorten the conversation: /compact. To start over: /new",
  context_too_long: "To shorten it: /compact. To start over: /new. To use another model: /model",
};
