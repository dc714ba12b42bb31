import { textStart } from "@ikigai/protocol";

/** The longest quote of a tool's output, in characters. */
const maxQuotedLength = 160;

/** The first line that is not blank, cut to fit into a sentence. */
export function firstLine(text: string): string {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "") ?? "";
  return line.length > maxQuotedLength ? `${textStart(line, maxQuotedLength)}…` : line;
}

/** Marks where a tool's output begins and ends inside a sentence; "nothing" for empty output. */
export function quoted(text: string): string {
  const line = firstLine(text);
  if (line === "") return "nothing";
  return line.includes('"') ? `'${line}'` : `"${line}"`;
}
