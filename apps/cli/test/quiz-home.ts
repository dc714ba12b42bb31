import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import type { Step } from "./model-server.ts";

const schema = {
  name: "quiz",
  description: "Ask the user",
  parameters: { type: "object", properties: {} },
  ikigai: { host: ["ask"] },
};

/** A shell tool that asks what it is called with, and answers with the reply. */
const quizTool = `#!/bin/sh
if [ "$1" = --schema ]; then echo '${JSON.stringify(schema)}'; exit; fi
params=$(cat)
[ -n "$IKIGAI_HOST_METHODS" ] || { echo '{"error_code":"NO_USER","error":"no user"}'; exit; }
printf '{"id":1,"method":"ask","params":%s}\\n' "$params" >&3
read -r reply <&3
printf '{"reply":%s}' "$reply"
`;

/** A home with the tool `quiz`. */
export async function quizHome(files: Parameters<typeof tempDir>[0] = {}): Promise<string> {
  return tempDir({ ".ikigai/tools/quiz-tool": { content: quizTool, mode: 0o755 }, ...files });
}

/** The path of the tool. */
export const quizPath = (home: string) => join(home, ".ikigai/tools/quiz-tool");

/** A step of the model that calls the tool. */
export const quiz = (params: object): Step => ({ calls: [{ name: "quiz", arguments: params }] });

/** The reply that the tool got, from the result of the last call. */
export function replyIn(
  requests: readonly { readonly messages: readonly { readonly content?: unknown }[] }[],
): unknown {
  const { result } = JSON.parse(String(requests.at(-1)?.messages.at(-1)?.content));
  return result.reply ?? result;
}
