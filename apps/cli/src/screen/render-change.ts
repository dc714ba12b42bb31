import { readFileSync, statSync } from "node:fs";
import type { PendingCall } from "@ikigai/agent";
import { sanitiseLine } from "./sanitise.ts";
import type { Style } from "./style.ts";

/** Larger files are not compared with what is to replace them, in bytes. */
const maxComparedBytes = 4 * 1_048_576;

/** Lines that stay, shown around those that change. */
const contextLines = 2;

/** What a write or an edit would change, as lines with + and -; undefined for other calls. Reads, and runs nothing. */
export function renderChange({ name, arguments: text }: PendingCall, style: Style): string | undefined {
  const args = parse(text);
  const path = args?.file_path;
  if (args === undefined || path === undefined) return undefined;
  if (name === "file_write" && args.content !== undefined) {
    return renderLines(path, readText(path) ?? "", args.content, style);
  }
  const before = args.old_string ?? args.old_text;
  const after = args.new_string ?? args.new_text;
  if (name !== "file_edit" || before === undefined || after === undefined) return undefined;
  return renderLines(args.replace_all === undefined ? path : `${path}, everywhere`, before, after, style);
}

function renderLines(title: string, before: string, after: string, { green, red, dim, bold }: Style): string {
  const old = toLines(before);
  const now = toLines(after);
  const start = countEqual(old, now);
  const end = countEqual(old.slice(start).reverse(), now.slice(start).reverse());
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const lines = [
    `${bold(sanitiseLine(title))}  +${added.length} −${removed.length}`,
    ...old.slice(Math.max(0, start - contextLines), start).map((line) => dim(`  ${sanitiseLine(line)}`)),
    ...removed.map((line) => red(`- ${sanitiseLine(line)}`)),
    ...added.map((line) => green(`+ ${sanitiseLine(line)}`)),
    ...now.slice(now.length - end, now.length - end + contextLines).map((line) => dim(`  ${sanitiseLine(line)}`)),
  ];
  return lines.map((line) => `    ${line}`).join("\n");
}

function toLines(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function countEqual(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count++;
  return count;
}

function readText(path: string): string | undefined {
  try {
    const file = statSync(path);
    return file.isFile() && file.size <= maxComparedBytes ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

/** The arguments that are text; `replace_all` as well, when it is set. */
function parse(text: string): Record<string, string> | undefined {
  try {
    const entries = Object.entries(JSON.parse(text) as object).filter(
      ([, value]) => typeof value === "string" || value === true,
    );
    return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
  } catch {
    return undefined;
  }
}
