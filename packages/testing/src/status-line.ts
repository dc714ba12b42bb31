/** Removes what is in the current line of a terminal. */
const emptyLine = "\r\u001b[K";

/**
 * Returns what shows a text in the current line of a terminal, in place of the one before; `undefined` if stderr is not a terminal that
 * can do so. Never throws.
 */
export function statusLine(
  print: (text: string) => void,
  options: { readonly isTerminal: boolean; readonly env: NodeJS.ProcessEnv },
): ((text: string) => void) | undefined {
  const { isTerminal, env } = options;
  if (!isTerminal || !env.TERM || env.TERM === "dumb") return undefined;
  return (text) => print(`${emptyLine}${text}`);
}
