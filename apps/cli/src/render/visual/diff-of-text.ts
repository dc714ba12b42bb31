import type { DiffLine } from "../line-diff.ts";

/** Reads a unified diff of one file. Lines outside of its parts, such as the names of the file, are left out. */
export function diffOfText(text: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let old = 0;
  let now = 0;
  let isInside = false;
  const all = text.replace(/\n$/, "").split("\n");
  for (const [index, line] of all.entries()) {
    // The names of another file.
    if (line.startsWith("--- ") && all[index + 1]?.startsWith("+++ ")) isInside = false;
    const head = /^@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@/.exec(line);
    if (head) {
      isInside = true;
      old = Number(head[1]);
      now = Number(head[2]);
    } else if (isInside && line.startsWith("+")) lines.push({ sign: "+", text: line.slice(1), number: now++ });
    else if (isInside && line.startsWith("-")) lines.push({ sign: "-", text: line.slice(1), number: old++ });
    else if (isInside && (line.startsWith(" ") || line === "")) {
      lines.push({ sign: " ", text: line.slice(1), number: now++ });
      old++;
    } else if (!line.startsWith("\\")) isInside = false;
  }
  return lines;
}
