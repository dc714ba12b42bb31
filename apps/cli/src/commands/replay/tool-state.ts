import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { hashTool } from "@ikigai/core/internal";
import type { MadeCall } from "./made-call.ts";

/** How the executable of a call stands to the one that was called. */
export interface ToolState {
  /** Of what is there now. */
  readonly sha256: string | undefined;
  /** Nobody knows about one whose hash was not recorded. */
  readonly state: "same" | "changed" | "gone" | "unknown";
}

export async function toolState({ path, sha256: then }: MadeCall): Promise<ToolState> {
  // Somewhere else, where nobody has looked.
  if (!isAbsolute(path)) return { sha256: undefined, state: "unknown" };
  if (!existsSync(path)) return { sha256: undefined, state: "gone" };
  const sha256 = await hashTool(path);
  if (then === undefined || sha256 === undefined) return { sha256, state: "unknown" };
  return { sha256, state: then === sha256 ? "same" : "changed" };
}

/** What somebody should know before the call is made again. */
export function toolRemark({ sha256: then }: MadeCall, { state, sha256: now }: ToolState): string {
  if (state === "changed") return `The tool has changed since: SHA-256 ${then} then, ${now} now.\n`;
  if (state !== "unknown" || then !== undefined) return "";
  return "Whether the tool has changed since is not known: the session does not tell its SHA-256.\n";
}
