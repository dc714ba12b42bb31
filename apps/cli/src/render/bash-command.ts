import type { Question } from "@ikigai/agent/internal";
import { parseObject } from "./json.ts";

/** The command of a call of the system's bash, whose JSON reader takes the last of several equal keys, as ours does. */
export function bashCommandOf({ call, tool }: Pick<Question, "call" | "tool">): string | undefined {
  const { command } = parseObject(call.arguments) ?? {};
  return tool.name === "bash" && tool.scope === "system" && typeof command === "string" ? command : undefined;
}
