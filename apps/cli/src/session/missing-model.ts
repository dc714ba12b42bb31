import { type Model, ModelError } from "@ikigai/models";

/** A placeholder until the user chooses a model; every request fails. */
export function missingModel(problem: string): Model {
  return {
    id: missingModelId,
    notice: problem,
    // biome-ignore lint/correctness/useYield: it only throws
    async *stream() {
      throw new ModelError("configuration", problem);
    },
  };
}

export const missingModelId = "no model";
