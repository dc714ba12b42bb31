import { newestId } from "@ikigai/system";
import type { RegisteredTool } from "../../registry/registry.ts";
import type { ServedCircumstances } from "../call-options.ts";
import { makesRequests } from "../requests/host-api.ts";

/**
 * Returns why every call of a tool gets a process of its own; `undefined` if calls may share processes. The end of a sentence.
 *
 * Without `/proc`, as on macOS, what a call leaves running could not be found.
 */
export function whyNotServed(tool: RegisteredTool, { env = process.env, serve }: ServedCircumstances) {
  if (!declaresServes(tool)) return 'it does not declare "serves"';
  if (tool.scope === "project") return "it is a tool of the project";
  if (makesRequests(tool)) return "it makes requests to ikigai";
  if (tool.launcher) return "it has a launcher";
  if (serve === false) return `tools.${tool.name}.serve is false in your configuration`;
  if (env.IKIGAI_NO_SERVE === "1") return "IKIGAI_NO_SERVE is set";
  return newestId() === 0 ? "this system has no /proc" : undefined;
}

/** Whether a tool declares that one process can answer several calls. A service has its own rules. */
export function declaresServes({ schema: { ikigai = {} } }: RegisteredTool): boolean {
  return ikigai.serves === true && ikigai.service === undefined;
}
