/** What to do about a turn that ended with an error of this code: a sentence after a space; empty if there is nothing to say. */
export function endAdvice(code: string, place: "print" | "conversation"): string {
  return Object.hasOwn(advice[place], code) ? ` ${advice[place][code]}` : "";
}

const advice: Readonly<Record<"print" | "conversation", Readonly<Record<string, string>>>> = {
  print: {
    max_steps: "To allow more: --max-turns N. To continue: ikigai -c",
    context_too_long: "Use a model with a larger context window: --model PROVIDER/MODEL",
  },
  conversation: {
    max_steps: "To continue, send another message.",
    context_too_long: "To shorten it: /compact. To start over: /new. To use another model: /model",
  },
};
