import type { ShellWord } from "./read-word.ts";

/** A redirection of a command. */
export interface Redirect {
  /** `<`, `>`, `>>`, `>|`, `<>`, `>&`, `<&`, `&>` or `&>>`. */
  readonly operator: string;
  readonly descriptor: number | undefined;
  readonly target: ShellWord;
}

/** Whether a redirection touches no file: discarded or merged output, empty input, a closed descriptor. */
export function isHarmlessRedirect({ operator, target }: Redirect): boolean {
  if (target.isPattern || target.isTilde) return false;
  if (operator === ">&" || operator === "<&") return /^(?:\d|-)$/.test(target.text);
  return target.text === "/dev/null";
}
