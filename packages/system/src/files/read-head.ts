import { closeSync, readSync } from "node:fs";
import { openRegularFile } from "./open-regular-file.ts";

/** What the first line of a script says. */
export interface FirstLine {
  /** The program that the system starts; empty if the line names none. */
  readonly interpreter: string;
  /** For `env`: the program that it starts. Absent for another interpreter. */
  readonly program?: string;
  /** For `env`: the words after that program. */
  readonly options: readonly string[];
  /** Whether it ends in CRLF, so that the last name ends in a carriage return. */
  readonly isCrlf: boolean;
}

/** Reads the `#!` line of a script; `undefined` if it has none, or cannot be read. */
export function readFirstLine(path: string): FirstLine | undefined {
  const [, line] = /^#!([^\n]*)/.exec(readHead(path)?.toString("latin1") ?? "") ?? [];
  if (line === undefined) return undefined;
  const [, interpreter = "", rest = ""] = /^\s*(\S*)\s*(.*?)\s*$/s.exec(line) ?? [];
  const isCrlf = line.endsWith("\r");
  if (!interpreter.endsWith("/env")) return { interpreter, options: [], isCrlf };
  // Without -S, env gets the rest as one word.
  const [, words] = /^(?:-\w*S|--split-string[= ])\s*(.*)$/s.exec(rest) ?? [];
  const [program, ...options] = words === undefined ? [rest] : commandOf(splitWords(words));
  return { interpreter, ...(program && { program }), options, isCrlf };
}

/** Splits words as `env -S` does, with quotes. */
function splitWords(text: string): string[] {
  const words = text.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/gs) ?? [];
  return words.map((word) =>
    word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs, (_, double?: string, single?: string, one?: string) =>
      double === undefined ? (single ?? one ?? "") : double.replace(/\\(.)/gs, "$1"),
    ),
  );
}

/** Leaves out the options of `env` and the variables that it sets. */
function commandOf(words: readonly string[]): readonly string[] {
  const takesWord = /^-[uC]$|^--(?:unset|chdir)$/;
  const start = words.findIndex((word, index) => {
    return !/^-|^\w+=/.test(word) && !takesWord.test(words[index - 1] ?? "");
  });
  return start < 0 ? [] : words.slice(start);
}

/** How far Linux itself reads a `#!` line, in bytes. */
const headBytes = 256;

/**
 * Returns the first bytes of a regular file; `undefined` if it is not one or unreadable. Never blocks on a FIFO.
 *
 * @param maxBytes 256 by default.
 */
export function readHead(path: string, maxBytes = headBytes): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openRegularFile(path);
    if (fd === undefined) return undefined;
    const head = Buffer.alloc(maxBytes);
    return head.subarray(0, readSync(fd, head));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
