import { printOut } from "../host/stdout.ts";
import { sanitise } from "./sanitise.ts";
import { ansiStyle, asciiSigns, plainStyle, type Signs, type Style, unicodeSigns } from "./style.ts";
import type { TerminalKind } from "./terminal-kind.ts";

/** Where we write. It knows whether a line is open, so that nothing is written onto the end of another's line. */
export interface LineOutput {
  readonly style: Style;
  readonly signs: Signs;
  /** As they are now. */
  readonly columns: number;
  /** Prints what we have put together, of sanitised parts. */
  print(text: string): void;
  /** Prints a piece of somebody else's text. */
  stream(text: string): void;
  /** Ends the line that is open, if one is. */
  startLine(): void;
  /** Says that somebody else has ended the line. */
  lineEnded(): void;
}

/** What a line may have where nobody has a width. */
const columnsWithoutTerminal = 100;

/** Narrower ones break our lines; that is better than leaving nothing of them. */
const minColumns = 20;

export function createLineOutput({ isTerminal, hasEscapes, isAscii }: TerminalKind): LineOutput {
  let isLineOpen = false;
  const print = (text: string) => {
    if (text === "") return;
    printOut(text);
    isLineOpen = !text.endsWith("\n");
  };
  return {
    style: hasEscapes ? ansiStyle : plainStyle,
    signs: isAscii ? asciiSigns : unicodeSigns,
    get columns() {
      const columns = isTerminal ? process.stdout.columns || columnsWithoutTerminal : columnsWithoutTerminal;
      return Math.max(minColumns, columns);
    },
    print,
    stream: (text) => print(sanitise(text)),
    startLine() {
      if (isLineOpen) print("\n");
    },
    lineEnded() {
      isLineOpen = false;
    },
  };
}
