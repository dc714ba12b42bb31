import type {
  ContentBlock,
  PermissionOption,
  PromptResponse,
  RequestPermissionRequest,
} from "@agentclientprotocol/sdk";
import { type AnswerTool, type ToolQuestion, type TurnEnd, takeTurn } from "@ikigai/agent/internal";
import { agentNames } from "../render/render-question.ts";
import { shownOption } from "../render/render-tool-question.ts";
import { untrustedNotice } from "../render/report-tools.ts";
import { sanitise, sanitiseLine, sanitiseStrictly } from "../render/sanitise.ts";
import { missingModelId } from "../session/missing-model.ts";
import { badRequest, failure } from "./acp-error.ts";
import { type AcpSession, asTurn } from "./acp-session.ts";
import { askEditor, type RequestPermission } from "./ask-editor.ts";
import { codeBlock, codeSpan, kindOf } from "./content.ts";
import { promptInput } from "./prompt-input.ts";
import { sendEvents, text } from "./send-events.ts";

interface PromptOptions {
  readonly request: RequestPermission;
  /** Aborted when the editor cancels the request itself. */
  readonly signal: AbortSignal;
}

/**
 * Runs one prompt: a turn.
 *
 * @throws RequestError if another prompt is running, or the turn fails.
 */
export async function runPrompt(
  session: AcpSession,
  blocks: readonly ContentBlock[],
  { request, signal: cancelled }: PromptOptions,
): Promise<PromptResponse> {
  if (session.turn) throw badRequest("Another prompt is running in this session. Cancel it, or wait until it ends.");
  return asTurn(session, async (signal) => {
    const stop = () => session.turn?.controller.abort();
    cancelled.addEventListener("abort", stop);
    try {
      const { agent, model, send } = session;
      const { input, problems } = await promptInput(blocks, agent);
      if (model.id === missingModelId) {
        send({ sessionUpdate: "agent_message_chunk", content: text(`${sanitise(model.notice ?? "")}\n`) });
        return { stopReason: "end_turn" };
      }
      await agent.servers?.untilLoaded(signal);
      tellServerNews(session);
      const registry = await agent.toolbox.current();
      const untrusted = untrustedNotice(registry);
      tell(session, [...session.notices, ...problems, ...(untrusted === undefined ? [] : [untrusted])]);
      session.notices = [];
      const end = await takeTurn(agent, input, {
        model,
        signal,
        emit: sendEvents(session, registry),
        ask: askEditor(session, request),
        answerTool: askForTool(session, request),
      });
      return { stopReason: stopReasonOf(end) };
    } finally {
      cancelled.removeEventListener("abort", stop);
    }
  });
}

/** Tells the user what is wrong with the MCP servers of the editor, once. A server's words must not be read as Markdown. */
export function tellServerNews({ agent, send }: AcpSession): void {
  const lines = agent.servers?.takeNews() ?? [];
  if (lines.length === 0) return;
  const content = text(`${lines.map(codeSpan).join("\n\n")}\n\n`);
  send({ sessionUpdate: "agent_message_chunk", content });
}

/** Tells the user something that is not part of the answer. */
function tell({ send }: AcpSession, notices: readonly string[]): void {
  if (notices.length === 0) return;
  const lines = notices.map((notice) => `${sanitise(notice)}\n`).join("\n");
  send({ sessionUpdate: "agent_thought_chunk", content: text(lines) });
}

/** @throws RequestError if the turn failed. */
function stopReasonOf({ reason, error }: TurnEnd): PromptResponse["stopReason"] {
  switch (reason) {
    case "done":
      return "end_turn";
    case "interrupted":
      return "cancelled";
    case "max_steps":
    case "loop":
      return "max_turn_requests";
    case "failed":
      if (error?.code === "content_filter") return "refusal";
      throw failure(error?.code ?? reason, error?.message ?? "The turn failed.");
    default:
      return reason satisfies never;
  }
}

/**
 * Puts a tool's question to the user in the editor. Editors have a request for a choice, but none that all of them know for text: a
 * question for text finds no user to ask.
 */
function askForTool(session: AcpSession, request: RequestPermission): AnswerTool {
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
