import { type Model, ModelError } from "@ikigai/agent/internal";

/** Stands where the model would, until the user names one. */
export function missingModel(problem: string): Model {
  return {
    id: missingModelId,
    notice: problem,
    // biome-ignore lint/correctness/useYield: there is nobody who could say something
    async *stream() {
      throw new ModelError("configuration", problem);
    },
  };
}

export const missingModelId = "no model";
