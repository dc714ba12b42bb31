import type { RegisteredTool, Registry, Skill } from "@ikigai/core";
import { registeredTool } from "../../permission/test/registered-tool.ts";

/** Parts of a tool that tests set. */
export interface ToolFacts {
  readonly scope?: RegisteredTool["scope"];
  readonly skill?: string;
  readonly ikigai?: NonNullable<RegisteredTool["schema"]["ikigai"]>;
  /** The length of the description. */
  readonly length?: number;
}

export function toolWith(name: string, { scope = "user", skill, ikigai, length = 9 }: ToolFacts = {}): RegisteredTool {
  const tool = registeredTool(name, scope);
  const schema = { ...tool.schema, description: "x".repeat(length), ...(ikigai && { ikigai }) };
  return { ...tool, schema, ...(skill !== undefined && { skill }) };
}

/** A tool that loads others. */
export const loader = toolWith("load", { scope: "system", ikigai: { catalog: true } });

/** User tools with the names `t0000` and so on. */
export function userTools(count: number, facts: ToolFacts = {}): RegisteredTool[] {
  return Array.from({ length: count }, (_, index) => toolWith(`t${String(index).padStart(4, "0")}`, facts));
}

/** A registry of these tools, sorted by name as `discover` does. */
export function registryOf(tools: readonly RegisteredTool[], skills: readonly Skill[] = []): Registry {
  const sorted = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { tools: sorted, skills, failed: [], failedSkills: [], trust: "nothing", problems: [], seen: new Map() };
}

export function skillNamed(name: string, description = `Does ${name}`): Skill {
  return { name, description, path: `/skills/${name}/SKILL.md`, scope: "user", introduces: [], notes: [], shadows: [] };
}
