// The tool: asks the user by way of the host, and tells the model what to do without an answer.

import { maxOptionBytes, maxQuestionBytes } from "@ikigai/protocol";
import { ask, defineTool, ToolFailure } from "@ikigai/tool-sdk";
import { output, parameters } from "./schema.ts";

export const askTool = defineTool({
  name: "ask_user",
  description:
    "Ask the user a question and wait for the answer. Use it for a choice or a fact that other tools cannot find; not for permission to make a call, which is asked for anyway. Where no user can answer, it fails: then decide, and say what you assumed.",
  parameters,
  output,
  annotations: { readOnlyHint: true, openWorldHint: false },
  errorCodes: ["NO_USER", "NO_ANSWER", "REFUSED"],
  ikigai: { host: ["ask"] },
  async run({ question, options }, { fail }) {
    check(question, options);
    try {
      const said = await ask({ question, ...(options && { options }) });
      if ("answer" in said) return { answer: said.answer };
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      const { code, message } = error as ToolFailure<string>;
      if (code !== "NO_USER" && code !== "NO_ANSWER") throw error;
      return fail(code, message, { hint: "Decide yourself, or say in your answer what you need to know." });
    }
    const hint = "Continue without the answer, or end your turn and say what you need.";
    return fail("REFUSED", "The user does not want to answer.", { hint });
  },
});

/** The limits of the host, in words for the model. @throws ToolFailure */
function check(question: string, options: readonly string[] | undefined): void {
  const bytes = Buffer.byteLength(question);
  if (question.trim() === "") refuse("The question is empty.");
  if (bytes > maxQuestionBytes) refuse(`The question has ${bytes} bytes. At most ${maxQuestionBytes} are allowed.`);
  // The schema limits their number.
  if (!options) return;
  if (new Set(options).size < options.length) refuse("Two options are equal.");
  for (const option of options) {
    const isLong = Buffer.byteLength(option) > maxOptionBytes;
    if (isLong || option.trim() === "" || /[\r\n]/.test(option)) {
      refuse(
        `Each option has 1 to ${maxOptionBytes} bytes on one line, unlike ${JSON.stringify(option.slice(0, 40))}.`,
      );
    }
  }
}

function refuse(message: string): never {
  throw new ToolFailure("INVALID_ARG", message);
}
