import type { Dialog } from "./dialog.ts";

/** What the keys do while a question covers a draft. */
export function draftHint({ answeredBy = (keys) => `${keys} answers the question.` }: Dialog, draft: string): string {
  if (draft === "") return answeredBy("An arrow or a letter");
  return `Enter sends your text to the model. ${answeredBy(draft.includes("\n") ? "A letter" : "Up, down or a letter")}`;
}
