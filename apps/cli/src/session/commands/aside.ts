// /btw: answers a side question from the conversation, beside a running turn, without tools. Neither becomes part of the conversation.

import { ModelError } from "@ikigai/models";
import { sanitise } from "@ikigai/screen";
import { askAside } from "@ikigai/session";
import { redact } from "@ikigai/system";
import { type Interruptible, requestPartsOf, type Session } from "../session.ts";

/** The answer, or a sentence that says why not. */
type AsideAnswer = { readonly text: string } | { readonly problem: string };

export async function answerAside(
  { agent, model }: Pick<Session, "agent" | "model">,
  question: string,
  signal: AbortSignal,
): Promise<AsideAnswer> {
  if (question === "") return { problem: "Missing question, for example: /btw What does this command do?" };
  if (model.id.startsWith("offline/")) return { problem: "/btw needs a language model. To choose one: /model" };
  const { conversation, thinking, secrets } = agent;
  // The same as in the turns, so that the provider has it in its cache.
  const parts = await requestPartsOf({ agent, model });
  try {
    return { text: await askAside(conversation, redact(question, secrets), { model, ...parts, thinking, signal }) };
  } catch (error) {
    // An aborted request may end with any error.
    if (signal.aborted) return { problem: "Interrupted." };
    if (!(error instanceof ModelError)) throw error;
    return { problem: error.message };
  }
}

/** /btw in line mode. */
export async function runAside(
  words: readonly string[],
  session: Session,
  interruptible: Interruptible,
): Promise<void> {
  const answer = await interruptible((signal) => answerAside(session, words.join(" "), signal));
  const { style, print } = session.screen;
  print("text" in answer ? `${sanitise(answer.text)}\n` : `${style.yellow(sanitise(answer.problem))}\n`);
}
