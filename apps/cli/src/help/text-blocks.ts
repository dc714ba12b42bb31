/** A part of a topic: what stands between empty lines. */
export type Block =
  | { readonly kind: "paragraph"; readonly text: string }
  /** Two columns. */
  | { readonly kind: "table"; readonly rows: readonly (readonly [what: string, meaning: string])[] }
  /** Examples, and what has more columns. */
  | { readonly kind: "literal"; readonly lines: readonly string[] };

/** How far the second line of an explanation is indented at least, in columns. */
const continued = 8;

/** Takes the text of a topic apart: what is indented is a table or to be left as it is. */
export function blocksOf(text: string): Block[] {
  const groups: string[][] = [];
  let isIndented: boolean | undefined;
  for (const line of text.split("\n")) {
    if (line === "") {
      isIndented = undefined;
      continue;
    }
    if (line.startsWith("  ") !== isIndented) groups.push([]);
    isIndented = line.startsWith("  ");
    groups.at(-1)?.push(line);
  }
  return groups.map(blockOf);
}

function blockOf(lines: readonly string[]): Block {
  if (!lines[0]?.startsWith("  ")) return { kind: "paragraph", text: lines.join(" ") };
  const rows = rowsOf(lines);
  return rows ? { kind: "table", rows } : { kind: "literal", lines: lines.map((line) => line.slice(2)) };
}

/** The rows, when all lines are of a table of two columns. */
function rowsOf(lines: readonly string[]): [string, string][] | undefined {
  const rows: [string, string][] = [];
  for (const line of lines) {
    const [what = "", meaning, ...more] = line.trim().split(/ {2,}/);
    const last = rows.at(-1);
    if (more.length > 0) return undefined;
    if (last && meaning === undefined && line.startsWith(" ".repeat(continued))) last[1] = `${last[1]} ${what}`.trim();
    else if (line.startsWith("   ")) return undefined;
    else rows.push([what, meaning ?? ""]);
  }
  return rows.every(([, meaning]) => meaning !== "") ? rows : undefined;
}
