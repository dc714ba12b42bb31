import type { SuccessEnvelope } from "@ikigai/protocol";
import { cutToWidth, headAndTail, wrapWords } from "./fit-text.ts";
import type { LineOutput } from "./line-output.ts";
import { describeCall, type ShownCall } from "./render-call.ts";
import type { ToolResult } from "./render-result.ts";
import { sanitiseLine } from "./sanitise.ts";

/** A call that only looked, in a few words: `grep` `sum (src)` `2 matches`. */
export interface LookPart {
  readonly name: string;
  /** Where it looked, or for what. */
  readonly what: string;
  readonly found: string;
  /** Why it may have found nothing. */
  readonly hint?: string;
}

type Look = Pick<LineOutput, "style" | "signs" | "columns">;

/** More in a row share a line. */
const maxLines = 2;

/** Rows of that line. */
const maxRows = 4;

/** Columns of a line besides the name, the place and what was found. */
const margins = 6;

/** What the tools that come with ikigai found, by the name of the tool; undefined for an answer of another form. */
const findings = new Map<string, (answer: SuccessEnvelope) => string | undefined>([
  ["file_read", ({ result }) => counted(result.lines_read, "line", "empty")],
  ["grep", ({ result }) => counted(result.count, "match", "no match")],
  ["glob", ({ result }) => counted(result.count, "file", "no match")],
]);

/** Whether a call of this name may turn out to be one that only looks. */
export function mayLook({ name, scope = "system" }: ShownCall): boolean {
  return scope === "system" && findings.has(name);
}

/** A finished call that only looked; undefined for one that has more: an error, an image, a note. */
export function lookPart(call: ShownCall, { envelope, notes, visuals }: ToolResult, look: Look): LookPart | undefined {
  if (!mayLook(call) || !envelope.tool_success || notes.length > 0 || visuals) return undefined;
  const { error, images, hint, truncated } = envelope.result;
  if (error !== undefined || images !== undefined) return undefined;
  const found = findings.get(call.name)?.(envelope);
  if (found === undefined) return undefined;
  const isEmpty = found === "no match" && typeof hint === "string";
  return {
    name: call.name,
    what: describeCall(call, look),
    found: truncated === true ? `${found}, cut` : found,
    ...(isEmpty && { hint: sanitiseLine(hint) }),
  };
}

/** A line for each call; if there are more than two, one for all of them, which wraps. */
export function renderLooks(parts: readonly LookPart[], look: Look, key: string): string[] {
  const { style, signs, columns } = look;
  const sign = style.green(signs.call);
  if (parts.length <= maxLines) {
    return parts.flatMap(({ name, what, found, hint }) => {
      const room = Math.max(1, columns - name.length - found.length - margins);
      return [
        `${sign} ${style.bold(name)}  ${cutToWidth(what, room, signs.cut)}  ${style.dim(found)}`,
        ...(hint === undefined ? [] : [`  ${style.dim(cutToWidth(hint, columns - 2, signs.cut))}`]),
      ];
    });
  }
  const rows = wrapWords(`${groupsOf(parts).join(` ${signs.dot} `)}   ${key}`, columns - 2).split("\n");
  const gap = (leftOut: number) => `${signs.cut} ${leftOut} lines   ${key}`;
  return headAndTail(rows, { head: maxRows, tail: 0, gap }).map((row, index) => `${index === 0 ? sign : " "} ${row}`);
}

/** `grep sum: 2 matches, all: 3 matches`: the name once for those in a row. */
function groupsOf(parts: readonly LookPart[]): string[] {
  const groups: string[] = [];
  for (const [index, { name, what, found }] of parts.entries()) {
    const text = `${what}: ${found}`;
    if (parts[index - 1]?.name === name) groups.push(`${groups.pop()}, ${text}`);
    else groups.push(`${name} ${text}`);
  }
  return groups;
}

function counted(count: unknown, what: string, none: string): string | undefined {
  if (typeof count !== "number") return undefined;
  if (count === 0) return none;
  const plural = what === "match" ? "matches" : `${what}s`;
  return count === 1 ? `1 ${what}` : `${count} ${plural}`;
}
