import { type Config, checkArguments, type Decision, decide, type Permission } from "@ikigai/agent/internal";
import type { RegisteredTool } from "@ikigai/core";
import type { MadeCall } from "./made-call.ts";

/** Where a recorded call would be made, and by whose rules. */
export interface ReplayPlace {
  readonly config: Config;
  /** The user's own directory. */
  readonly home: string;
  /** The real directory of the call. */
  readonly directory: string;
  /** Whether that is the one ikigai was started in. */
  readonly isHere: boolean;
}

/**
 * Whether a recorded call may run, as if a model made it now. Nobody has asked for it in a conversation, so the modes `allow`
 * and `edits` count as `ask`; and what the rules and the project allow counts only in the directory that the user is in: a
 * file can name any.
 */
export function decideReplay(call: MadeCall, tool: RegisteredTool, place: ReplayPlace): Decision {
  const { config, home, directory, isHere } = place;
  const checked = checkArguments(call.arguments);
  if ("error" in checked) return { verdict: "deny", reason: checked.error };
  const { mode = "ask", rules = [], ...others } = config.permission ?? {};
  const permission: Permission = {
    ...others,
    mode: mode === "allow" || mode === "edits" ? "ask" : mode,
    rules: [...rules],
    projectDir: directory,
    home,
  };
  const decision = decide(
    { id: call.id, name: tool.name, arguments: checked.text, value: checked.value },
    tool,
    permission,
  );
  if (decision.verdict !== "allow" || isHere) return decision;
  return { verdict: "ask", reason: "the session is of another directory" };
}
