import { type Model, ModelError } from "@ikigai/agent/internal";

/** Stands where the model would, until the user names one. */
export function noModel(problem: string): Model {
  return {
    id: noModelId,
    notice: problem,
    // biome-ignore lint/correctness/useYield: there is nobody who could say something
    async *stream() {
      throw new ModelError("configuration", problem);
    },
  };
}

export const noModelId = "no model";
