import { relative, sep } from "node:path";
import { isInside } from "@ikigai/system";
import type { CallFacts } from "./call-facts.ts";
import { realTarget } from "./real-target.ts";
import { exactly } from "./wildcard.ts";

/**
 * The rule that would allow a call the next time: the same command, the same file, the same search; any call of a tool of
 * which nothing more is known.
 */
export function ruleFor({ tool, command, filePath, json }: CallFacts, projectDir: string): string {
  if (command !== undefined) return `bash(${exactly(command)})`;
  if (filePath?.real !== undefined) return `${tool.name}(${exactly(shortest(filePath.real, projectDir))})`;
  if (tool.name === "glob" || tool.name === "grep") return `${tool.name}(${exactly(json)})`;
  return tool.name;
}

function shortest(real: string, projectDir: string): string {
  const project = realTarget(".", projectDir);
  return project !== undefined && project !== sep && isInside(real, project) ? relative(project, real) : real;
}
