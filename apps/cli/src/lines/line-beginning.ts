import type { Lines } from "./lines-of-stdin.ts";

/** The beginning of a message, which was typed before a question appeared. */
export interface Beginning {
  /** Empty unless the next line completes it. */
  text(): string;
  setAside(): Promise<void>;
  /** Whether the user was typing when the last question appeared, so that the next line may be the end of the message. */
  isBeingTyped(): boolean;
  /** Notes that the user has answered a question, and will complete the message later. */
  isKept(): void;
  /** The whole of the next line. An interruption discards the beginning, as the terminal discards the rest. */
  completed(line: string | undefined): string | undefined;
  /** The whole message, with its end. */
  ended(end: string): string;
}

export function lineBeginning(lines: Lines): Beginning {
  let begun = "";
  let isBeingTyped = false;
  /** How many lines were typed before it and are still to be read. */
  let linesBefore = 0;
  return { text, setAside, isBeingTyped: () => isBeingTyped, isKept, completed, ended };

  function text(): string {
    return linesBefore === 0 ? begun : "";
  }

  async function setAside(): Promise<void> {
    const typed = await lines.takeUnfinished();
    if (begun === "") linesBefore = lines.waiting();
    begun += typed;
    isBeingTyped = typed !== "";
  }

  function isKept(): void {
    isBeingTyped = false;
  }

  function completed(line: string | undefined): string | undefined {
    if (line !== undefined && linesBefore > 0) {
      linesBefore -= 1;
      return line;
    }
    const whole = ended(line ?? "");
    return line === undefined ? undefined : whole;
  }

  function ended(end: string): string {
    const whole = begun + end;
    begun = "";
    isBeingTyped = false;
    linesBefore = 0;
    return whole;
  }
}
