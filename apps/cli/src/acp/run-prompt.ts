// Runs a prompt of the editor: reads what it contains, and takes the turn.

import { fileURLToPath } from "node:url";
import type {
  ContentBlock,
  EmbeddedResource,
  PermissionOption,
  PromptResponse,
  RequestPermissionRequest,
} from "@agentclientprotocol/sdk";
import type { TurnEnd, UserInput } from "@ikigai/agent";
import { commandProblems } from "@ikigai/agent/internal";
import type { Image } from "@ikigai/models";
import type { AnswerTool, ToolQuestion } from "@ikigai/permission";
import { sanitise, sanitiseLine, sanitiseStrictly } from "@ikigai/screen";
import { toImage } from "@ikigai/session";
import type { Agent } from "../host/conversation/agent-from-flags.ts";
import { missingModelId } from "../host/model/choose-model.ts";
import { agentNames } from "../render/question/render-question.ts";
import { shownOption } from "../render/question/render-tool-question.ts";
import { untrustedNotice } from "../render/tool/report-tools.ts";
import { ownMessage, unusedCommandFiles } from "../session/commands/own-commands.ts";
import { imagesIn } from "../session/images-in.ts";
import {
  carryOut,
  type Face,
  isPlan,
  keepPlanning,
  leavePlan,
  planTitle,
  planYes,
  sendMessage,
} from "../session/take-input.ts";
import { type AcpSession, asTurn, badParams, badRequest, configOptionsOf, failure } from "./acp-session.ts";
import { askEditor, type RequestPermission } from "./ask-editor.ts";
import { codeBlock, codeSpan, kindOf, sendEvents, text } from "./send-events.ts";

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
      const { agent, send } = session;
      const { input, problems } = await promptInput(blocks, agent);
      if (session.model.id === missingModelId) {
        send({ sessionUpdate: "agent_message_chunk", content: text(`${sanitise(session.model.notice ?? "")}\n`) });
        return { stopReason: "end_turn" };
      }
      const face: Face = {
        agent,
        get model() {
          return session.model;
        },
        work: (_, run) => run(signal),
        warn: (problem) => tell(session, [problem]),
        async ready() {
          await agent.servers?.untilLoaded(signal);
          tellServerNews(session);
          const untrusted = untrustedNotice(await agent.toolbox.current());
          tell(session, [...session.notices, ...problems, ...(untrusted === undefined ? [] : [untrusted])]);
          session.notices = [];
        },
        begin: async () => ({
          emit: sendEvents(session, await agent.toolbox.last()),
          ask: askEditor(session, request),
          answerTool: askForTool(session, request),
        }),
        ended() {},
      };
      let end = await sendMessage(input, face);
      while (isPlan(end, agent) && (await acceptsPlan(session, request, signal)))
        end = await sendMessage({ text: carryOut }, face);
      return { stopReason: stopReasonOf(end) };
    } finally {
      cancelled.removeEventListener("abort", stop);
    }
  });
}

/** Asks whether to carry out the plan, and then leaves plan mode. An editor that cannot ask keeps planning. */
async function acceptsPlan(session: AcpSession, request: RequestPermission, signal: AbortSignal): Promise<boolean> {
  const { agent, send } = session;
  const toolCallId = `plan-${agent.conversation.messages.length}`;
  const toolCall = { toolCallId, title: planTitle, kind: "switch_mode" } as const;
  const { y, a } = planYes(agent);
  const options: PermissionOption[] = [
    { optionId: "y", name: y, kind: "allow_once" },
    { optionId: "a", name: a, kind: "allow_always" },
    { optionId: "n", name: keepPlanning, kind: "reject_once" },
  ];
  send({ sessionUpdate: "tool_call", ...toolCall, status: "pending" });
  const answer = await request({ sessionId: agent.conversation.id, toolCall, options }, signal).catch(() => undefined);
  const letter = answer?.outcome.outcome === "selected" ? answer.outcome.optionId : "n";
  const isYes = letter === "y" || letter === "a";
  send({ sessionUpdate: "tool_call_update", toolCallId, status: isYes ? "completed" : "failed" });
  if (!isYes) return false;
  leavePlan(agent, letter);
  send({ sessionUpdate: "current_mode_update", currentModeId: agent.permission.mode });
  send({ sessionUpdate: "config_option_update", configOptions: configOptionsOf(session) });
  return true;
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

/** A prompt, and why parts of it are not sent, one sentence each. */
export interface PromptInput {
  readonly input: UserInput;
  readonly problems: readonly string[];
}

/**
 * Turns the blocks of a prompt into a message. A link is only named: its file is read by a tool, if the permissions allow that.
 *
 * @throws RequestError for a block that cannot be sent.
 */
export async function promptInput(blocks: readonly ContentBlock[], agent: Agent): Promise<PromptInput> {
  const images: Image[] = [];
  const texts: string[] = [];
  const problems: string[] = [];
  for (const block of blocks) {
    if (block.type === "text") {
      texts.push(block.text);
      // Only text that the user wrote may attach a file.
      const mentioned = imagesIn(block.text, agent.places.projectDir);
      images.push(...mentioned.images);
      problems.push(...mentioned.problems);
    } else if (block.type === "image") images.push(imageOf(block.data));
    else if (block.type === "resource_link") texts.push(linkText(block.name, block.uri));
    else if (block.type === "resource") texts.push(resourceText(block.resource));
    else throw badParams("ikigai does not accept audio.");
  }
  const typed = texts.join("\n\n").trim();
  const own = await ownMessage(typed, agent.places);
  problems.push(...(own?.notices ?? (await withoutOwn(typed, agent))));
  const text = own?.text ?? typed;
  if (text === "" && images.length === 0) throw badParams("The prompt is empty.");
  return { input: { text, images }, problems };
}

/** Says that the file of a command is not used: a prompt like `/help` is sent as it is. */
async function withoutOwn(typed: string, { places }: Agent): Promise<string[]> {
  const [, name] = /^\/([\w:-]+)(?:\s|$)/.exec(typed) ?? [];
  if (name === undefined) return [];
  const unsafe = commandProblems(places.home, name);
  return unsafe.length === 0 ? unusedCommandFiles(places, name) : unsafe;
}

function imageOf(data: string): Image {
  const image = toImage(Buffer.from(data, "base64"));
  if (image === undefined) throw badParams("Expected an image to be PNG, JPEG, GIF or WebP of at most 5 MB.");
  return image;
}

function linkText(name: string, uri: string): string {
  return `[${name}](${pathOf(uri) ?? uri})`;
}

function resourceText(resource: EmbeddedResource["resource"]): string {
  const name = pathOf(resource.uri) ?? resource.uri;
  if ("text" in resource) return `From ${name}:\n\n${resource.text}`;
  return `[${name}: binary, not sent]`;
}

/** The path of a `file:` URI of this machine. */
function pathOf(uri: string): string | undefined {
  try {
    return uri.startsWith("file:") ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}
