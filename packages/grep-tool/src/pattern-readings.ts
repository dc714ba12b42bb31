// How a pattern may be meant. Under a budget a model wrote it: it is read as other engines do, and if that is no expression, or no line has
// it, as the one that was probably meant. By hand it is what POSIX says.
import { compile, PatternError, type Regex } from "@ikigai/posix/ere";
import { ToolFailure } from "@ikigai/tool-sdk";
import { translate } from "./translate-pattern.ts";

/** A pattern as it is searched for. */
export interface Reading {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** What to say about it if a line has it. */
  readonly note?: string;
}

/** A pattern that can be searched for. */
export interface CompiledReading extends Reading {
  readonly regex: Regex;
}

interface Asked {
  readonly pattern: string;
  readonly ignoreCase: boolean;
}

/** Returns the readings of a pattern, the most likely first. @throws ToolFailure `INVALID_PATTERN` if it has none. */
export function readingsOf(asked: Asked, isShared: boolean): [CompiledReading, ...CompiledReading[]] {
  const readings: CompiledReading[] = [];
  let problem: unknown;
  for (const { note, ...reading } of candidates(asked, isShared)) {
    try {
      const regex = compile(reading.pattern, { ignoreCase: reading.ignoreCase });
      readings.push({ ...reading, regex, ...(note !== undefined && { note }) });
    } catch (error) {
      problem ??= error;
    }
  }
  const [first, ...others] = readings;
  if (first) return [first, ...others];
  if (!(problem instanceof PatternError)) throw problem;
  if (isShared && !isGlob(asked.pattern)) return readingsAsText(asked, problem);
  const hint = refusalHint(asked.pattern) ?? otherEngineHint(asked);
  throw new ToolFailure("INVALID_PATTERN", `Invalid pattern: ${problem.message}`, hint === undefined ? {} : { hint });
}

function candidates(asked: Asked, isShared: boolean): Reading[] {
  if (!isShared) return [{ pattern: asked.pattern, ignoreCase: asked.ignoreCase }];
  const translated = translate(asked.pattern);
  if ("hint" in translated)
    throw new ToolFailure("INVALID_PATTERN", "The pattern cannot be searched for", { hint: translated.hint });
  const own = { pattern: translated.pattern, ignoreCase: asked.ignoreCase || translated.ignoreCase };
  const others = [basicReading(asked), literalReading(asked)];
  return [own, ...others.filter((other) => other !== undefined)];
}

/** A pattern that is no expression: its brackets as characters, else all of it. */
function readingsAsText(asked: Asked, { message }: PatternError): [CompiledReading, ...CompiledReading[]] {
  const text = asked.pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const note = `Not a regular expression (${message}), so searched for as text: write '${text}'.`;
  const { ignoreCase } = asked;
  const asText = { pattern: text, ignoreCase, note, regex: compile(text, { ignoreCase }) };
  const reading = bracketsReading(asked);
  try {
    return [{ ...reading, regex: compile(reading.pattern, { ignoreCase }) }, asText];
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return [asText];
  }
}

/** `a\|b`, as in grep without -E: the bars are alternatives, and bare parentheses characters. */
function basicReading({ pattern, ignoreCase }: Asked): Reading | undefined {
  const parts = partsOf(pattern);
  if (!parts.includes("\\|") || parts.includes("|")) return undefined;
  const note = "Read as a basic regular expression, in which '\\|' separates alternatives: here write '|'.";
  const isGrouped = !parts.includes("(") && hasBarInGroup(parts);
  const changed = parts.map((part) => {
    if (part === "\\|") return "|";
    // A bracket alone has no end.
    if (/^[()[{]$/.test(part)) return `\\${part}`;
    return isGrouped && (part === "\\(" || part === "\\)") ? part.slice(1) : part;
  });
  return { pattern: changed.join(""), ignoreCase, note };
}

/** `getName(`, `items[a` and `f(*x)`: the brackets after a word are characters. */
function literalReading(asked: Asked): Reading | undefined {
  if (!/\w[([]/.test(asked.pattern) || asked.pattern.includes("(?")) return undefined;
  const reading = bracketsReading(asked);
  return reading.pattern === asked.pattern ? undefined : reading;
}

/** With the brackets, and what would repeat them, as characters. */
function bracketsReading({ pattern, ignoreCase }: Asked): Reading {
  const parts = partsOf(pattern);
  const isOpen = (part: string) => part === "(" || part === ")" || part === "[";
  const changed = parts.map((part, index) => {
    const isRepeated = /^[*+?]$/.test(part) && isOpen(parts[index - 1] ?? "");
    return isOpen(part) || part === "{" || isRepeated ? `\\${part}` : part;
  });
  const written = changed.join("");
  const note = `Brackets were taken as characters: write '${written}'.`;
  return { pattern: written, ignoreCase, note };
}

/** Whether a `\|` is between `\(` and `\)`. */
function hasBarInGroup(parts: readonly string[]): boolean {
  let depth = 0;
  return parts.some((part) => {
    if (part === "\\(") depth++;
    else if (part === "\\)") depth--;
    return part === "\\|" && depth > 0;
  });
}

/** Divides a pattern into characters, escapes and lists. */
function partsOf(pattern: string): string[] {
  const parts: string[] = [];
  const lastEnd = pattern.lastIndexOf("]");
  for (let at = 0; at < pattern.length; ) {
    // Without an end behind it, a bracket would be searched for one to the end of the pattern each time.
    const expression = at < lastEnd ? partOrList : partOnly;
    expression.lastIndex = at;
    const [part = pattern.charAt(at)] = expression.exec(pattern) ?? [];
    parts.push(part);
    at += part.length;
  }
  return parts;
}

const partOnly = /\\.|./suy;
const partOrList = /\\.|\[\^?\]?(?:\[:\w+:\]|[^\]])*\]|./suy;

/** The longest pattern that a hint repeats, in UTF-16 units. */
const maxRepeated = 200;

/** By hand: says what to write for what other engines would find. */
export function otherEngineHint({ pattern, ignoreCase }: Asked): string | undefined {
  const translated = translate(pattern);
  if ("hint" in translated) return translated.hint;
  if (pattern.length > maxRepeated) return undefined;
  const also = translated.ignoreCase && !ignoreCase ? " with ignore_case" : "";
  if (translated.pattern === pattern && also === "") return undefined;
  return `Other engines read '${pattern}' differently. In POSIX's syntax that is '${translated.pattern}'${also}.`;
}

function isGlob(pattern: string): boolean {
  return /^\*\.\w+$/.test(pattern);
}

/** Says what a rejected pattern probably meant, if that is clear. */
export function refusalHint(pattern: string): string | undefined {
  if (isGlob(pattern)) return `'${pattern}' looks like a glob: pass it as glob, and the text to find as pattern.`;
  if (/(?:^|[^\\])\{(?![\d,])/.test(pattern)) return "Write '\\{' for a brace.";
  if (endsOpen(pattern, "(", ")")) return "Write '\\(' for a parenthesis.";
  if (endsOpen(pattern, "[", "]")) return "Write '\\[' for a bracket.";
  return undefined;
}

/** Whether the last opening bracket follows a word and is not closed, as in a call or an index. */
function endsOpen(pattern: string, opening: string, closing: string): boolean {
  const at = pattern.lastIndexOf(opening);
  return at > 0 && pattern.lastIndexOf(closing) < at && /\w/.test(pattern.charAt(at - 1));
}

/** Suggests a reason for no matches: `\|` separates alternatives in basic expressions; in extended ones it is a character. */
export function noMatchHint(pattern: string): string | undefined {
  return partsOf(pattern).includes("\\|")
    ? "'\\|' is the character '|' here: write '|' between alternatives."
    : undefined;
}
