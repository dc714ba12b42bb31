/** The error name at the beginning of a line, as in stack traces of Python, Node, Ruby, Java and Go. */
const errorLine = /^(?:[\w.:]*(?:Error|Exception)\b|panic:)/;

/**
 * Returns the line of what a program printed on stderr that says why it failed: the one in a stack trace that names the error
 * (Python: the last, Node: in the middle), otherwise the first that is not blank.
 */
export function tellingLine(text: string): string {
  const lines = text.split("\n");
  return lines.find((line) => errorLine.test(line)) ?? lines.find((line) => line.trim() !== "") ?? "";
}
