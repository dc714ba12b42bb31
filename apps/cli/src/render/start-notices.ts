import type { Agent } from "../host/open-agent.ts";
import { shortPath } from "./short-path.ts";

/** What a conversation begins with, a line each: what the user should know, and whose instructions the model follows. */
export function startNotices({
  notices,
  instructions,
  places,
}: Pick<Agent, "notices" | "instructions" | "places">): string[] {
  if (instructions.length === 0) return [...notices];
  return [...notices, `Instructions: ${instructions.map((path) => shortPath(path, places)).join(", ")}`];
}
