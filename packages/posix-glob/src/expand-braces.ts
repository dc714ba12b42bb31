/**
 * How many patterns the braces of one pattern may stand for. Models write a handful; a pattern with thousands is a mistake or an
 * attack.
 */
export const maxAlternatives = 1_000;

/** How long all of them, and the steps to them, may be together, in characters: what bounds time and memory. */
const maxTotalLength = 4 * 1_048_576;

/** The braces of a pattern stand for more patterns than `expandBraces` makes. */
export class BraceLimitError extends Error {
  override readonly name = "BraceLimitError";

  constructor() {
    super(`The braces stand for more than ${maxAlternatives.toLocaleString("en-US")} patterns, or for very long ones`);
  }
}

/** A brace group, with its text divided at the commas that are its own. */
interface Group {
  readonly before: string;
  readonly items: readonly string[];
  readonly after: string;
}

/**
 * The patterns that a pattern with braces stands for, as `GLOB_BRACE` of glibc expands it: groups may be nested, `\{` is a brace,
 * and braces that do not pair make the whole pattern literal. A group without a comma (`{id}`) also stands for itself, as in a
 * shell: there are files of such names.
 *
 * @throws BraceLimitError when there are more than `maxAlternatives`, or they are very long.
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

/** The first group of a pattern; nothing when there is none, or when its first brace has no partner. */
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

/** Where the next of these characters stands that has no `\` before it. */
function nextSpecial(pattern: string, from: number, wanted = "{,}"): number | undefined {
  for (let at = from; at < pattern.length; at++) {
    const character = pattern[at] as string;
    if (character === "\\") at++;
    else if (wanted.includes(character)) return at;
  }
  return undefined;
}
