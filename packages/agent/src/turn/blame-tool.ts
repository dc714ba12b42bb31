import { findTool, type Registry } from "@ikigai/core";
import { asSentence } from "../model/as-sentence.ts";
import { ModelError } from "../model/model-error.ts";

/** Adds to the error of a request that was rejected because of a tool which file that is, and what to do. Returns other errors unchanged. */
export function blameTool(error: ModelError, registry: Registry): ModelError {
  const { code, message, status, tool: name } = error;
  const tool = name === undefined ? undefined : findTool(registry, name);
  if (name === undefined || tool === undefined) return error;
  const advice = `Correct the schema of the tool ${name} (${tool.path}), or remove the file. To check it: ikigai tool check ${name}`;
  return new ModelError(code, `${asSentence(message)} ${advice}`, {
    tool: name,
    ...(status !== undefined && { status }),
  });
}
