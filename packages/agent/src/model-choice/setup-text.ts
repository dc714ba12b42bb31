import { providerNames, providerTable } from "../model/provider-table.ts";

/** The variables of keys that need no base URL. */
const [firstKey = "", ...otherKeys] = providerNames
  .filter((name) => providerTable[name].baseUrl !== undefined)
  .map((name) => providerTable[name].keyVariable);

const addressVariable = providerTable["openai-compatible"].baseUrlVariable;

const ways = `  1. a provider's key:    export ${firstKey}=…   (or ${otherKeys.join(", ")})
  2. a compatible server: export ${addressVariable}=http://localhost:8080/v1
  3. Ollama:              ollama serve, and in another shell ollama pull qwen3   (found automatically)`;

/** The ways to set up a model. */
export const setupText = `To choose a language model, run ikigai setup, or do one of these and start again:\n${ways}`;

/** The same for a conversation, where none of it can be typed. */
export const setupTextInConversation = `To choose a language model, quit with ctrl-d and run ikigai setup, or do one of these in a shell and start again:\n${ways}`;

/** The same, as part of a sentence. */
export const shortSetupText = `run ikigai setup in a shell, set ${firstKey} (or ${otherKeys.join(", ")}), set ${addressVariable}, or start Ollama with a model (ollama pull qwen3)`;
