import { type ModelTool, setupText } from "@ikigai/agent/internal";
import { textStart } from "@ikigai/protocol";

export const offlineNotice =
  "Only plain requests are understood, by a built-in interpreter that is no language model. Type help.";

const examples = `  run npm test
  read README.md lines 1-20
  find **/*.ts
  search TODO in src
  replace "old" with "new" in notes.txt
  write hello to note.txt`;

export const noModelText = `No model is set up. ${setupText}
To run plain requests without a language model: --model offline`;

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
