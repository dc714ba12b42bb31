import type { RegisteredTool } from "@ikigai/core";
import type { Confirm } from "../permission/permission.ts";

/** Saves the files of a project around what one session's calls do. Nothing here rejects: a failure ends saving, with a notice. */
export interface TurnUndo {
  /** The calls that follow belong to this message. @param tell tells the user something, one sentence. */
  begin(text: string, tell: (text: string) => void): void;
  /** A request goes out whose answer may change files: reads them, so that the first snapshot is fast. */
  asked(): void;
  /** A call of this tool is coming: starts the snapshot before the step's first change. */
  expect(tool: RegisteredTool): void;
  /** Resolves when the files are saved as they are before a call. Asks once whether to wait longer; does not wait without `confirm`. */
  ready(tool: RegisteredTool, confirm: Confirm | undefined, signal: AbortSignal): Promise<void>;
  /** The calls of a step have ended. */
  ended(calls: string): void;
  /** Resolves when everything is saved. */
  settled(): Promise<void>;
}
