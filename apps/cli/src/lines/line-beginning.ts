import type { FreshLine, Lines } from "./lines-of-stdin.ts";

/** The beginning of a message, which was typed before a question appeared. */
export interface Beginning {
  /** Empty unless the next line completes it. */
  text(): string;
  setAside(): Promise<void>;
  /** When a line was last set aside, as `performance.now()` counts. */
  asideMs(): number;
  /** Whether a message has been begun and not ended, so that the next line is its end or continues it. */
  isBeingTyped(): boolean;
  /** Notes that the user has answered a question, and will complete the message later. */
  isKept(): void;
  /** The whole of the next line. An interruption discards the beginning, as the terminal discards the rest. */
  completed(line: string | undefined): string | undefined;
  /** Keeps a line that answers no question as the end of the message, or as a whole one. */
  keep(line: FreshLine): void;
}

export function lineBeginning(lines: Lines): Beginning {
  let begun = "";
  let isOpen = false;
  /** How many lines were typed before it and are still to be read. */
  let linesBefore = 0;
  let asideMs = Number.NEGATIVE_INFINITY;
  return { text, setAside, asideMs: () => asideMs, isBeingTyped, isKept, completed, keep };

  function text(): string {
    merge();
    return linesBefore === 0 ? begun : "";
  }

  async function setAside(): Promise<void> {
    const typed = await lines.takeUnfinished();
    merge();
    if (begun === "") linesBefore = lines.waiting();
    begun += typed;
    isOpen ||= typed !== "";
    asideMs = performance.now();
  }

  function isBeingTyped(): boolean {
    merge();
    return isOpen || lines.isContinued();
  }

  function isKept(): void {
    isOpen = false;
  }

  function completed(line: string | undefined): string | undefined {
    if (line !== undefined && linesBefore > 0) {
      linesBefore -= 1;
      return line;
    }
    const beginning = takeBegun();
    return line === undefined ? undefined : beginning + line;
  }

  function keep({ text, at }: FreshLine): void {
    lines.insert(takeBegun() + text, at);
  }

  /** A line that has ended since, while no question was open, is its end. */
  function merge(): void {
    if (begun !== "" && lines.waiting() > linesBefore) {
      const at = linesBefore;
      lines.prefix(takeBegun(), at);
    }
  }

  function takeBegun(): string {
    const beginning = begun;
    begun = "";
    isOpen = false;
    linesBefore = 0;
    return beginning;
  }
}
