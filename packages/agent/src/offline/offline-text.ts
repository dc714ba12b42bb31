import { textStart } from "@ikigai/protocol";
import type { ModelTool } from "../model/model.ts";

/** How a model is set up, in three ways. */
export const setupText = `To use a language model, do one of these and start again:
  1. a provider's key:    export ANTHROPIC_API_KEY=…   (or OPENAI_API_KEY, GEMINI_API_KEY)
  2. a compatible server: export OPENAI_COMPATIBLE_BASE_URL=http://localhost:8080/v1
  3. Ollama:              ollama pull qwen3 && ollama serve   (found automatically)`;

export const offlineNotice =
  "Only plain requests are understood, by a built-in interpreter that is no language model. Type help.";

const examples = `  run npm test
  read README.md lines 1-20
  find **/*.ts
  search TODO in src
  replace "old" with "new" in notes.txt
  write hello to note.txt`;

export function helpText(tools: readonly ModelTool[]): string {
  return `I am the built-in interpreter, not a language model. I understand plain requests:

${examples}

${toolText(tools)}

${setupText}`;
}

export function unknownText(request: string): string {
  const line = request.trim().split("\n")[0] ?? "";
  const shown = line.length > 60 ? `${textStart(line, 60)}…` : line;
  return `I do not understand "${shown}": the offline interpreter is not a language model. It understands plain requests:

${examples}

${setupText}`;
}

function toolText(tools: readonly ModelTool[]): string {
  if (tools.length === 0) return "There are no tools, so nothing of this can run now.";
  const names = tools.map(({ name }) => name).join(", ");
  return `and any tool by its name, for instance: use NAME with {"key": "value"}, or NAME key=value. Tools: ${names}.`;
}
