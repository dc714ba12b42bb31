/** How to set up a model, in three ways. */
export const setupText = `To use a language model, do one of these and start again:
  1. a provider's key:    export ANTHROPIC_API_KEY=…   (or OPENAI_API_KEY, GEMINI_API_KEY)
  2. a compatible server: export OPENAI_COMPATIBLE_BASE_URL=http://localhost:8080/v1
  3. Ollama:              ollama pull qwen3 && ollama serve   (found automatically)`;
