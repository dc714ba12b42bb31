import { ModelError, setupText } from "@ikigai/models";

const simpleCommands = "To run simple commands without a language model: --model offline";

/** @throws ModelError `configuration`: says how to set up a model, and what works without one. */
export function noModel(offlineAdvice = simpleCommands): never {
  throw new ModelError("configuration", `No model is set up. ${setupText}\n${offlineAdvice}`);
}
