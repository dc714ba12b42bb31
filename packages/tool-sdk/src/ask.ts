import type { AskParams, AskResult } from "@ikigai/protocol";
import { failure, hasHostMethod, requestHost } from "./request-host.ts";

/**
 * Puts a question to the user and waits for the answer; the time of the call stands still meanwhile. Questions are asked one after
 * the other. The tool must declare `"host": ["ask"]`, and has one process per call.
 *
 * @returns the answer, or `refused` if the user does not want to give one. The answer to a `choice` can be something other than one
 * of its options.
 * @throws ToolFailure with the host's code: `NO_USER` if there is no user to ask, as in print mode and under hosts that do not have this
 * method; `NO_ANSWER` if the user did not answer in time. Error if the tool does not declare the method.
 *
 * @example
 * const said = await ask({ question: "Deploy to production?", kind: "confirm" });
 * if (!("answer" in said) || said.answer !== "yes") return { output: "The user does not want to deploy." };
 */
export async function ask(params: AskParams): Promise<AskResult> {
  if (!hasHostMethod("ask")) throw failure("NO_USER", "There is no user to ask here.");
  return (await requestHost("ask", params)) as AskResult;
}
