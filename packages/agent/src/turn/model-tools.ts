import type { Registry } from "@ikigai/core";
import type { ModelTool } from "../model/model.ts";

/** Converts the tools for a model. */
export function modelTools({ tools }: Registry): ModelTool[] {
  return tools.map(({ name, schema }) => ({ name, description: schema.description, parameters: schema.parameters }));
}
