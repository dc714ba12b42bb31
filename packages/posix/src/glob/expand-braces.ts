// Braces in patterns: `{a,b}` becomes two patterns.

/**
 * Maximum number of patterns that braces may expand to. Models write a handful; thousands are a mistake or an attack.
 */
export const maxAlternatives = 1_000;

/** Maximum total length of all patterns and intermediate steps, in characters: bounds time and memory. */
const maxTotalLength = 4 * 1_048_576;

/** Thrown for braces that expand to more patterns than `expandBraces` allows. */
export class BraceLimitError extends Error {
  override readonly name = "BraceLimitError";

  constructor() {
    super(`The braces expand to more than ${maxAlternatives.toLocaleString("en-US")} patterns, or to very long ones`);
  }
}

/** A brace group, split at its own commas. */
interface Group {
  readonly before: string;
  readonly items: readonly string[];
  readonly after: string;
}

/**
 * Expands the braces of a pattern as glibc's `GLOB_BRACE` does: groups may be nested,
 * `\{` is a brace, and unbalanced braces make the whole pattern literal. A group without
 * a comma (`{id}`) also stands for itself, as in a shell: such file names exist.
 *
 * @throws BraceLimitError if there are more than `maxAlternatives` patterns, or they are very long.
 */
export function expandBraces(pattern: string): string[] {
  if (!pattern.includes("{")) return [pattern];
  const expanded = new Set<string>();
  const pending = [pattern];
  let totalLength = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const group = firstGroup(next);
    if (group === undefined) {
      expanded.add(next);
      continue;
    }
    const { before, items, after } = group;
    const [only = "", ...others] = items;
    const choices = others.length > 0 ? items : [only, `\\{${only}\\}`];
    totalLength += choices.length * (before.length + after.length) + next.length;
    if (expanded.size + pending.length + choices.length > maxAlternatives || totalLength > maxTotalLength)
      throw new BraceLimitError();
    for (const choice of choices.toReversed()) pending.push(before + choice + after);
  }
  return [...expanded];
}

/** Returns the first group; `undefined` without braces, or if the first one is not closed. */
function firstGroup(pattern: string): Group | undefined {
  const start = nextSpecial(pattern, 0, "{");
  if (start === undefined) return undefined;
  const items: string[] = [];
  let depth = 0;
  let itemStart = start + 1;
  for (let at = nextSpecial(pattern, itemStart); at !== undefined; at = nextSpecial(pattern, at + 1)) {
    const character = pattern[at];
    if (character === "{") depth++;
    else if (depth === 0) {
      items.push(pattern.slice(itemStart, at));
      itemStart = at + 1;
      if (character === "}") return { before: pattern.slice(0, start), items, after: pattern.slice(itemStart) };
    } else if (character === "}") depth--;
  }
  return undefined;
}

/** The offset of the next of these characters without a preceding `\`. */
function nextSpecial(pattern: string, from: number, wanted = "{,}"): number | undefined {
  for (let at = from; at < pattern.length; at++) {
    const character = pattern[at] as string;
    if (character === "\\") at++;
    else if (wanted.includes(character)) return at;
  }
  return undefined;
}
