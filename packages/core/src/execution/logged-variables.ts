import type { RegisteredTool } from "../registry/registry.ts";
import type { CallOptions } from "./call-options.ts";
import { prepareCall } from "./prepare-call.ts";

/** The variables of a call that have to be kept to make it again. */
export function callVariables(tool: RegisteredTool, args: string, options: CallOptions): Record<string, string> {
  return { ...prepareCall(tool, args, { ...options, ahead: undefined, spares: undefined }).variables };
}
