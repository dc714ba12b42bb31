import type { Dialog } from "./dialog.ts";

/** What the keys do while a question covers a draft. */
export function draftHint({ answeredBy = withLetters }: Dialog, draft: string): string {
  return draft === "" ? answeredBy(draft) : `Enter sends your text to the model. ${answeredBy(draft)}`;
}

function withLetters(draft: string): string {
  if (draft === "") return "An arrow or a letter answers the question.";
  return `${hasLines(draft) ? "A letter" : "Up, down or a letter"} answers the question.`;
}

/** Whether up and down move in a draft. */
export function hasLines(draft: string): boolean {
  return draft.includes("\n");
}
