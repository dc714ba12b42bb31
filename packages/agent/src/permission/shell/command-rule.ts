import type { Verdict } from "../permission.ts";
import { matches, toWildcard, type Wildcard } from "../wildcard.ts";

/** A rule about commands, ready to be compared. */
export interface CommandRule {
  readonly verdict: Verdict;
  /** Has no pattern, or one that matches everything. */
  readonly isBlanket: boolean;
  /** Has no star: speaks of one command to the letter. */
  readonly isLiteral: boolean;
  /** Match a command from its beginning. `git log *` is also `git log` alone. */
  readonly wholes: readonly Wildcard[];
  /** Match what comes after any blank. */
  readonly anywhere: readonly Wildcard[];
}

export function toCommandRule(verdict: Verdict, pattern = "*"): CommandRule {
  const wanted = trimBlanks(pattern);
  const patterns = wanted.endsWith(" *") ? [wanted, wanted.slice(0, -2)] : [wanted];
  const wholes = patterns.map(toWildcard);
  return {
    verdict,
    isBlanket: wanted === "*",
    isLiteral: wholes[0]?.pieces.length === 1,
    wholes,
    anywhere: patterns.map((one) => toWildcard(`* ${one}`)),
  };
}

/** Whether a rule speaks of one of several spellings of a command. */
export function speaksOf({ wholes }: CommandRule, spellings: readonly string[]): boolean {
  return spellings.some((text) => wholes.some((wildcard) => matches(wildcard, text)));
}

/** Whether what a rule speaks of stands somewhere in a text, at the beginning of a word. */
export function standsIn({ anywhere }: CommandRule, text: string): boolean {
  return anywhere.some((wildcard) => matches(wildcard, ` ${text}`));
}

/** Without what a shell passes over at both ends. A no-break space is none of that. */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && " \t\n".includes(text.charAt(start))) start++;
  while (end > start && " \t\n".includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}
