/** What stdout can show. */
export interface TerminalKind {
  /** A user reads the output and can answer. */
  readonly isTerminal: boolean;
  /** Escape sequences may be printed in line mode too. */
  readonly hasEscapes: boolean;
  /** Can show the full screen, without colours or in ASCII if need be. */
  readonly isFull: boolean;
  readonly hasColours: boolean;
  /** Only ASCII can be shown. */
  readonly isAscii: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Finds out from the environment what the terminal can show and the user wants. */
export function terminalKind(env: Environment, { isTerminal }: { isTerminal: boolean }): TerminalKind {
  const isDumb = !env.TERM || env.TERM === "dumb";
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  // Without a locale, the terminal is usually a modern one in a bare container.
  const isAscii = locale === "C" || locale === "POSIX";
  const isFull = isTerminal && !isDumb;
  const hasColours = isFull && !env.NO_COLOR;
  return { isTerminal, isAscii, isFull, hasColours, hasEscapes: hasColours && !isAscii };
}
