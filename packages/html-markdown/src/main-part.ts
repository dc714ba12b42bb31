import type { Candidate, Page, PagePart, Tag } from "./page.ts";

const minShareOfMain = 0.4;
const minShareOfForm = 0.5;

/** Finds the main text: the largest `main`, otherwise the largest `article`, if it holds enough of the text; otherwise everything. */
export function choosePart(page: Page, withBoilerplate: boolean): PagePart {
  const whole = { from: 0, end: page.events.length };
  if (withBoilerplate) return { ...whole, omits: () => false };
  const enough = minShareOfMain * page.mainTextLength;
  const candidates = page.candidates.filter(({ textLength }) => textLength > 0 && textLength >= enough);
  const main = largest(candidates.filter(({ isMain }) => isMain)) ?? largest(candidates);
  // Some servers wrap the whole page in one form.
  const keepsForms = page.formTextLength >= minShareOfForm * page.mainTextLength;
  const omits = ({ omit }: Tag) => omit === "boilerplate" || (omit === "form" && !keepsForms);
  return { from: main?.from ?? whole.from, end: main?.end ?? whole.end, omits };
}

function largest(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (best, one) => (best && best.textLength >= one.textLength ? best : one),
    undefined,
  );
}
