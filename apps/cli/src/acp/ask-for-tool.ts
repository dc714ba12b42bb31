import type { PermissionOption, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import type { AnswerTool, ToolQuestion } from "@ikigai/agent/internal";
import { agentNames } from "../render/agent-names.ts";
import { shownOption } from "../render/render-tool-question.ts";
import { sanitiseLine, sanitiseStrictly } from "../render/sanitise.ts";
import type { AcpSession } from "./acp-session.ts";
import type { RequestPermission } from "./ask-editor.ts";
import { codeBlock, codeSpan } from "./fenced.ts";
import { kindOf } from "./tool-facts.ts";

/**
 * Puts a tool's question to the user in the editor. Editors have a request for a choice, but none that all of them know for text: a
 * question for text finds no user to ask.
 */
export function askForTool(session: AcpSession, request: RequestPermission): AnswerTool {
  return async (question, signal) => {
    const answers = question.kind === "confirm" ? ["yes", "no"] : question.options;
    if (answers.length === 0) return undefined;
    try {
      const { outcome } = await request(choiceRequest(session, question, answers), signal);
      const answer = outcome.outcome === "selected" ? answers[Number(outcome.optionId)] : undefined;
      return answer === undefined ? { refused: true } : { answer };
    } catch {
      return undefined;
    }
  };
}

function choiceRequest(
  { agent }: AcpSession,
  asked: ToolQuestion,
  answers: readonly string[],
): RequestPermissionRequest {
  const { tool, callId, question } = asked;
  const names = agentNames(asked);
  const of = names === undefined ? "" : ` of the agent ${codeSpan(names)}`;
  const facts = `The tool ${codeSpan(tool.name)} (${tool.scope})${of} asks; it runs ${codeSpan(tool.path)}`;
  const text = `${facts}\n\n${codeBlock(sanitiseStrictly(question))}`;
  return {
    sessionId: agent.conversation.id,
    toolCall: {
      toolCallId: callId,
      title: `${names === undefined ? "" : `The agent ${codeSpan(names)}: `}${sanitiseLine(tool.name)} (${tool.scope}) asks you`,
      name: tool.name,
      kind: kindOf(tool),
      content: [{ type: "content", content: { type: "text", text } }],
    },
    options: [
      ...answers.map(
        (answer, index): PermissionOption => ({
          optionId: String(index),
          name: shownOption(answer),
          kind: "allow_once",
        }),
      ),
      { optionId: "none", name: "No answer", kind: "reject_once" },
    ],
  };
}
