import type { RegisteredTool } from "../registry/registry.ts";
import type { ExecuteOptions } from "./execute-options.ts";
import { prepareCall } from "./prepare-call.ts";

/** The variables of a call that have to be kept to make it again. */
export function callVariables(tool: RegisteredTool, args: string, options: ExecuteOptions): Record<string, string> {
  return { ...prepareCall(tool, args, { ...options, ahead: undefined, spares: undefined }).variables };
}
