/** What the user types. */
export interface LinePrompt {
  /** Whether somebody is there who can be asked. */
  readonly canAsk: boolean;
  /** The next message: a line that ends in a backslash goes on in the next one. Undefined at the end of the input. */
  read(): Promise<string | undefined>;
  /** A line, as the answer to a question; undefined when there is none to be had. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
  /** One of these letters; undefined when nobody answers. */
  choose(letters: string, signal: AbortSignal): Promise<string | undefined>;
  /** Prints something while the user may be typing. */
  aside(print: () => void): void;
  close(): void;
}

/** Reads the lines of one message; undefined at the end of the input. */
export async function readMessage(
  readLine: (isFirst: boolean) => Promise<string | undefined>,
): Promise<string | undefined> {
  const lines: string[] = [];
  for (;;) {
    const line = await readLine(lines.length === 0);
    if (line === undefined) return undefined;
    if (!line.endsWith("\\")) return [...lines, line].join("\n");
    lines.push(line.slice(0, -1));
  }
}
