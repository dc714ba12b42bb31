import type { Message } from "../model/message.ts";
import type { Conversation } from "./conversation.ts";
import { readKeptLines } from "./read-kept-lines.ts";

/** Returns the model's last answer, even if a summary replaced it; `undefined` without one. */
export function lastAnswer({ messages, log }: Conversation): string | undefined {
  const text = messages.map(textOf).findLast((found) => found !== "");
  return text ?? lastLoggedAnswer(log);
}

function textOf(message: Message): string {
  if (message.role !== "assistant") return "";
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

function lastLoggedAnswer(log: Conversation["log"]): string | undefined {
  let last: string | undefined;
  let step = "";
  for (const event of readKeptLines(log)) {
    if (event.type === "text") step += event.text;
    if (event.type !== "step_end") continue;
    last = step || last;
    step = "";
  }
  return last;
}
