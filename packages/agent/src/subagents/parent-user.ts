import type { AgentOrigin, AskResult, JsonObject } from "@ikigai/protocol";
import { textStart } from "@ikigai/protocol";
import type { Ask, Question } from "../permission/permission.ts";
import type { AnswerTool, ToolQuestion } from "../permission/tool-question.ts";
import type { ParentLink } from "./parent-link.ts";

/** The user of the session that started this agent. */
export interface ParentUser {
  readonly ask?: Ask;
  readonly answerTool?: AnswerTool;
}

/** How much of a reason is passed on, in characters: each has at most three bytes. */
const reasonLength = 600;

/** Puts an agent's questions to the user of the session that started it. @param directory where this agent works. */
export function parentUser({ methods, request }: ParentLink, directory: string): ParentUser {
  const originOf = ({ tool, agents = [], directory: own = directory }: Question | ToolQuestion): AgentOrigin => {
    const { name, scope, path } = tool;
    return { ...{ tool: name, scope, path, directory: own }, ...(agents.length > 0 && { agents }) };
  };
  const answerTool: AnswerTool = async (question, signal) => {
    const { question: text, kind, options } = question;
    const choices = kind === "choice" && { options };
    const params = { question: text, kind, ...choices, from: originOf(question) };
    return readAnswer(await request("ask", params, signal));
  };
  const ask: Ask = async (question, signal) => {
    const { call, reason, needs, mustAsk = false, host: reach } = question;
    const { name: tool, arguments: args } = call;
    const why = textStart(needs ? `${reason}: it ${needs.join("; ")}` : reason, reasonLength);
    const about = { reason: why, mustAsk, ...(reach !== undefined && { reach }) };
    const params = { tool, arguments: args, from: originOf(question), ...about };
    const result = await request("permission", params, signal);
    if (result?.verdict === "allow") return { allow: true };
    if (result?.verdict !== "deny") return { allow: false, isUnasked: true };
    return { allow: false, ...(typeof result.reason === "string" && { words: result.reason }) };
  };
  return {
    ...(methods.includes("ask") && { answerTool }),
    ...(methods.includes("permission") && { ask }),
  };
}

function readAnswer(result: JsonObject | undefined): AskResult | undefined {
  if (result?.refused === true) return { refused: true };
  return typeof result?.answer === "string" ? { answer: result.answer } : undefined;
}
