import type { RegisteredTool } from "../../registry/registry.ts";
import type { ServedCircumstances } from "../call-options.ts";

/** Returns why every call of a tool gets a process of its own; `undefined` if calls go to its service. The end of a sentence. */
export function whyOneShot(
  tool: RegisteredTool,
  { env = process.env, serve }: ServedCircumstances,
): string | undefined {
  if (tool.schema.ikigai?.service === undefined) return "it names no service";
  if (tool.launcher) return "it has a launcher";
  if (serve === false) return `tools.${tool.name}.serve is false in your configuration`;
  return env.IKIGAI_NO_SERVE === "1" ? "IKIGAI_NO_SERVE is set" : undefined;
}
