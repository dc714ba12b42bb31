import type { Registry } from "@ikigai/core";
import type { ModelTool } from "../model/model.ts";

/** The tools as a model is told of them. */
export function modelTools({ tools }: Registry): ModelTool[] {
  return tools.map(({ name, schema }) => ({ name, description: schema.description, parameters: schema.parameters }));
}
