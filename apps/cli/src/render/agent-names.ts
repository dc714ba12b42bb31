import type { Places, Question, ToolQuestion } from "@ikigai/agent/internal";
import { realPathOf } from "@ikigai/system";
import { sanitiseLine, sanitiseStrictly } from "./sanitise.ts";
import { shortPath } from "./short-path.ts";

/** Names the agent that asks, nested ones after those that started them; `undefined` if it is this session itself. */
export function agentNames({ agents }: Pick<Question | ToolQuestion, "agents">): string | undefined {
  return agents?.map((name) => sanitiseStrictly(sanitiseLine(name))).join(" > ");
}

/** What a question about a call shows about the agent that wants to make it: one sentence part, or none. */
export function agentFact(question: Pick<Question, "agents" | "directory">, places: Places): string[] {
  const names = agentNames(question);
  if (names === undefined) return [];
  const { directory = places.projectDir } = question;
  const isElsewhere = realPathOf(directory) !== realPathOf(places.projectDir);
  return [`for the agent ${names}${isElsewhere ? `, in ${shortPath(directory, places)}` : ""}`];
}
