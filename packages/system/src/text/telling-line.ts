/** The error name at the beginning of a line, as in stack traces of Python, Node, Java and Go. */
const errorLine = /^(?:[\w.:]*(?:Error|Exception)\b|panic:|fatal error:)/;

/** Lines that an interpreter prints after the error: the frames, the fields of an object, a trailer. The message comes before them. */
const afterError =
  /^(?:\s|[\])}]+$|Node\.js v\d|\(Use `node --trace|note: run with `RUST_BACKTRACE|goroutine \d|exit status \d)/;

/**
 * Returns the line of what a program printed on stderr that says why it failed, trimmed; `""` if it printed none.
 *
 * If the text ends in a stack trace, that is the last line that names an error (Node: in the middle). Otherwise it is the last
 * line of a program that had run for a while, or, of one that only printed why it failed, the first, which its help follows.
 *
 * @param otherwise which line of a text without a stack trace or an error's name.
 */
export function tellingLine(text: string, otherwise: "first" | "last" = "first"): string {
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== "");
  const end = lines.findLastIndex((line) => !afterError.test(line));
  const named = lines.slice(0, end + 1).findLast((line) => errorLine.test(line));
  const isTrace = end < lines.length - 1;
  const plain = isTrace || otherwise === "last" ? lines[end] : lines[0];
  const line = isTrace || otherwise === "first" ? (named ?? plain) : plain;
  return (line ?? lines.at(-1) ?? "").trim();
}
