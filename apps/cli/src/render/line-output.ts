// Output in lines: the writer that knows whether a line is open, and untrusted text as it is for pipes and files. The folder makes text of what
// happens, for all faces: call/ (a call and its result), question/ (what the user is asked), tool/ (tools and rules), and what all share.

import { isatty } from "node:tty";
import {
  ansiStyle,
  asciiSigns,
  type Look,
  plainStyle,
  sanitise,
  type TerminalKind,
  unicodeSigns,
} from "@ikigai/screen";
import { printOut } from "../host/terminal/stdout.ts";

/** Line-oriented output. It tracks whether a line is open, so that nothing is appended to another writer's line. */
export interface LineOutput extends Look {
  /** Prints our own text, made of sanitised parts. */
  print(text: string): void;
  /** Prints a piece of untrusted text, sanitised. */
  stream(text: string): void;
  /** Ends the open line, if any. */
  startLine(): void;
  /** Records that something else has ended the line. */
  lineEnded(): void;
}

/** The width used where there is no terminal. */
const columnsWithoutTerminal = 100;

/** The smallest width used: on a narrower terminal our lines wrap, which is better than cutting all of them off. */
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

/** Prints untrusted text: unchanged to a pipe or a file, sanitised on a terminal. */
export function printFaithfully(text: string): void {
  printOut(isatty(1) ? sanitise(text) : text);
}
