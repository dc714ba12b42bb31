import { type MessageExtras, userMessage } from "@ikigai/models";
import { keepImages, promptState } from "@ikigai/session";
import { redact } from "@ikigai/system";
import type { UserInput } from "./agent-event.ts";
import type { FrozenPrompt } from "./system-prompt.ts";
import type { TurnContext } from "./turn-context.ts";
import { sceneOf } from "./turn-context.ts";

/**
 * Adds a user message to the conversation, unless a hook refuses it: then returns why.
 *
 * @param prompt the prompt of a turn that the message begins.
 */
export async function addUserMessage(
  turn: TurnContext,
  input: UserInput,
  prompt?: FrozenPrompt,
): Promise<string | undefined> {
  const scene = sceneOf(turn);
  // Loaded only if there are hooks.
  const admission = scene ? await (await import("./turn-hooks.ts")).admit(turn, scene, input.text) : {};
  if ("refusal" in admission) {
    turn.notSent?.(input);
    return admission.refusal;
  }
  const { context }: { readonly context?: string } = admission;
  if (prompt?.parts) {
    const { parts, tools } = prompt;
    turn.record({ type: "prompt", parts, ...(tools && { tools }) });
    Object.assign(turn.conversation, promptState({ parts, ...(tools && { tools }) }));
  }
  addMessage(turn, input, { context, changed: prompt?.changed });
  return undefined;
}

/** Adds a message without asking hooks: they have been asked, or it is ikigai's own. */
export function addMessage(turn: TurnContext, { text, images = [] }: UserInput, more: MessageExtras = {}): void {
  const { log, messages } = turn.conversation;
  const kept = images.length > 0 && { images: keepImages(log, images) };
  const { context, changed } = more;
  turn.record({
    type: "user",
    text,
    ...kept,
    ...(context !== undefined && { context }),
    ...(changed !== undefined && { changed }),
  });
  turn.undo?.begin(text, (problem) => turn.emit({ type: "notice", text: problem }));
  messages.push(userMessage(text, images, more));
  turn.emit({ type: "user", text });
}

/** Adds steering messages; returns whether there were any. */
export async function addSteering(turn: TurnContext): Promise<boolean> {
  let isAdded = addJobNews(turn);
  for (const input of turn.takeSteering?.() ?? []) {
    const refusal = await addUserMessage(turn, input);
    if (refusal === undefined) isAdded = true;
    else turn.emit({ type: "notice", text: refusal });
  }
  return isAdded;
}

/** Adds what has become of jobs; returns whether there was any. */
function addJobNews(turn: TurnContext): boolean {
  const { jobs, conversation, secrets } = turn;
  const news = jobs?.takeNews(conversation.id) ?? [];
  for (const text of news) addMessage(turn, { text: redact(text, secrets) });
  return news.length > 0;
}
