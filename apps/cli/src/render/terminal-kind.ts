/** What may be sent to whoever reads stdout. */
export interface TerminalKind {
  /** Somebody sits there: reads what is printed, and answers. */
  readonly isTerminal: boolean;
  /** Escape sequences are understood, and wanted also where lines are printed. */
  readonly hasEscapes: boolean;
  /** Can show the full screen: without colours where nobody wants them, with plain signs where there are no others. */
  readonly isFull: boolean;
  readonly hasColours: boolean;
  /** Nothing but ASCII can be shown. */
  readonly isAscii: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the signs by which terminals and their users say what they want. */
export function terminalKind(env: Environment, { isTerminal }: { isTerminal: boolean }): TerminalKind {
  const isDumb = !env.TERM || env.TERM === "dumb";
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  // Without any locale the terminal is most often a modern one in a bare container.
  const isAscii = locale === "C" || locale === "POSIX";
  const isFull = isTerminal && !isDumb;
  const hasColours = isFull && !env.NO_COLOR;
  return { isTerminal, isAscii, isFull, hasColours, hasEscapes: hasColours && !isAscii };
}
