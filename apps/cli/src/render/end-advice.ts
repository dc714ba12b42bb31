import type { TurnEnd } from "@ikigai/agent/internal";

type ErrorCode = NonNullable<TurnEnd["error"]>["code"];

/** What to do about a turn that ended with an error of this code: a sentence after a space; empty if there is nothing to say. */
export function endAdvice(code: ErrorCode, place: "print" | "conversation"): string {
  const sentence = advice[place][code];
  return sentence === undefined ? "" : ` ${sentence}`;
}

const advice: Readonly<Record<"print" | "conversation", Readonly<Partial<Record<ErrorCode, string>>>>> = {
  print: {
    max_steps: "To allow more: --max-turns N. To continue: ikigai -c",
    request_too_large: "Send less at once, or raise the limit.",
    context_too_long: "Use a model with a larger context window: --model PROVIDER/MODEL",
  },
  conversation: {
    max_steps: "To continue, send another message.",
    request_too_large: "To shorten the conversation: /compact. To start over: /new",
    context_too_long: "To shorten it: /compact. To start over: /new. To use another model: /model",
  },
};
