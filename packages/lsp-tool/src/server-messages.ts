// What servers print and name: the guard of their output, the problems of tsserver, and files as URIs.

import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Diagnostic } from "vscode-languageserver-protocol";

/** How long the head of a message and the message may be, in bytes. */
const maxHeadBytes = 4_096;
const maxMessageBytes = 67_108_864;

/** Looks at what a server prints: what are no messages of a bearable length would fill the memory. */
export class FrameGuard {
  #head = "";
  /** How much of the message is still to come. */
  #left = 0;

  passes(chunk: Buffer): boolean {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, chunk.length - at);
        this.#left -= taken;
        at += taken;
        continue;
      }
      const had = this.#head.length;
      this.#head += chunk.toString("latin1", at, at + maxHeadBytes - had);
      const end = this.#head.indexOf("\r\n\r\n");
      if (end < 0) return this.#head.length < maxHeadBytes;
      const length = Number(/^content-length: *(\d+)\r?$/im.exec(this.#head.slice(0, end))?.[1]);
      // Also without a length.
      if (!(length <= maxMessageBytes)) return false;
      at += end + 4 - had;
      this.#left = length;
      this.#head = "";
    }
    return true;
  }
}

/** A problem as tsserver says it. */
export interface TsserverAnswer {
  readonly body?: readonly {
    readonly start: { readonly line: number; readonly offset: number };
    readonly end: { readonly line: number; readonly offset: number };
    readonly text: string;
    readonly code?: number;
    readonly category: string;
  }[];
}

/** A problem of tsserver as the protocol has it. */
export function fromTsserver({
  start,
  end,
  text,
  code,
  category,
}: NonNullable<TsserverAnswer["body"]>[number]): Diagnostic {
  const place = ({ line, offset }: typeof start) => ({ line: line - 1, character: offset - 1 });
  const severities = { error: 1, warning: 2, message: 3, suggestion: 4 } as const;
  return {
    range: { start: place(start), end: place(end) },
    message: text,
    severity: severities[category as keyof typeof severities] ?? 1,
    source: "ts",
    ...(code !== undefined && { code }),
  };
}

export function uriOf(path: string): string {
  return pathToFileURL(path).href;
}

/** The path of a file's URI; `undefined` for anything else. */
export function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

/** The lines of a file, for answers. */
export function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    return [];
  }
}
