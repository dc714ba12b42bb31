import type { Verdict } from "../permission.ts";
import { matches, toWildcard, type Wildcard } from "../wildcard.ts";

/** A rule about commands, prepared for comparison. */
export interface CommandRule {
  readonly verdict: Verdict;
  /** As written, without blanks at the ends. */
  readonly pattern: string;
  /** Whether it has no pattern, or one that matches everything. */
  readonly isBlanket: boolean;
  /** Whether it has no star and so matches exactly one command. */
  readonly isLiteral: boolean;
  /** Match a command from its beginning. `git log *` also matches `git log`. */
  readonly wholes: readonly Wildcard[];
  /** Match after any blank. */
  readonly anywhere: readonly Wildcard[];
}

export function toCommandRule(verdict: Verdict, pattern = "*"): CommandRule {
  const wanted = trimBlanks(pattern);
  const patterns = wanted.endsWith(" *") ? [wanted, wanted.slice(0, -2)] : [wanted];
  const wholes = patterns.map(toWildcard);
  return {
    verdict,
    pattern: wanted,
    isBlanket: wanted === "*",
    isLiteral: wholes[0]?.pieces.length === 1,
    wholes,
    anywhere: patterns.map((one) => toWildcard(`* ${one}`)),
  };
}

/** Whether a rule matches one of several spellings of a command. */
export function speaksOf({ wholes }: CommandRule, spellings: readonly string[]): boolean {
  return spellings.some((text) => wholes.some((wildcard) => matches(wildcard, text)));
}

/** Whether a rule matches anywhere in a text, at the beginning of a word. */
export function standsIn({ anywhere }: CommandRule, text: string): boolean {
  return anywhere.some((wildcard) => matches(wildcard, ` ${text}`));
}

/** Removes what a shell skips at both ends. It does not skip a no-break space. */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && " \t\n".includes(text.charAt(start))) start++;
  while (end > start && " \t\n".includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}
