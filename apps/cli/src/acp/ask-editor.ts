// Asks the user in the editor whether a call may run. In reading order: the question and its answer, what the editor shows of the call, the
// answers it offers.

import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { Places } from "@ikigai/agent/internal";
import type { Answer, Ask, Question } from "@ikigai/permission";
import { sanitiseLine, sanitiseStrictly } from "@ikigai/screen";
import { describeWhole } from "../render/call/render-call.ts";
import { bashCommandOf, parseObject } from "../render/json.ts";
import { agentFact, agentNames, serverFact } from "../render/question/render-question.ts";
import type { AcpSession } from "./acp-session.ts";
import { callLocations, codeBlock, codeSpan, editDiff, kindOf } from "./send-events.ts";

/** Sends the question; rejects if the editor fails to answer or is gone. */
export type RequestPermission = (
  request: RequestPermissionRequest,
  signal: AbortSignal,
) => Promise<RequestPermissionResponse>;

const optionIds = {
  once: "allow_once",
  session: "allow_session",
  project: "allow_project",
  everywhere: "allow_everywhere",
  reject: "reject",
} as const;

/** Asks the user in the editor whether a call may run. Everything but the selection of an offered "allow" denies it. */
export function askEditor(session: AcpSession, request: RequestPermission): Ask {
  return async (question, signal) => {
    try {
      const { outcome } = await request(permissionRequest(session, question), signal);
      if (outcome.outcome === "selected") return answerOf(outcome.optionId, question);
      // The user has cancelled the prompt: calls still to be asked about stop as well.
      if (!signal.aborted) session.turn?.controller.abort();
      return { allow: false };
    } catch {
      return { allow: false };
    }
  };
}

function answerOf(optionId: string, { rule, needs, offers: [rules] = [] }: Question): Answer {
  if (optionId === optionIds.once) return { allow: true };
  const remember = (["session", "project", "everywhere"] as const).find((place) => optionIds[place] === optionId);
  if (remember === undefined || (rule ?? needs) === undefined) return { allow: false };
  return { allow: true, remember, ...(rules && { rules }) };
}

function permissionRequest({ agent }: AcpSession, question: Question): RequestPermissionRequest {
  const { call, tool } = question;
  const { projectDir } = agent.places;
  const args = parseObject(call.arguments);
  const diff = args && editDiff(tool, args, projectDir);
  return {
    sessionId: agent.conversation.id,
    toolCall: {
      toolCallId: call.id,
      title: titleOf(question),
      name: tool.name,
      kind: kindOf(tool),
      ...(question.host === undefined && { status: "pending" as const }),
      content: [
        ...(diff ? [diff] : []),
        { type: "content", content: { type: "text", text: factsOf(question, agent.places) } },
      ],
      locations: callLocations(tool, call.arguments, projectDir),
      rawInput: args ?? call.arguments,
    },
    options: optionsOf(question),
  };
}

/** The longest command in a title, in characters; the content always has the whole one. */
const maxTitleLength = 8_192;

/** The tool, its scope, and the whole command, or the real path. */
function titleOf(question: Question): string {
  const { tool, realPath, host } = question;
  const agent = agentNames(question);
  const title = `${agent === undefined ? "" : `The agent ${codeSpan(agent)}: `}${sanitiseLine(tool.name)} (${tool.scope})`;
  if (host !== undefined) return `${title} wants to reach ${codeSpan(host)}`;
  const what = bashCommandOf(question) ?? realPath;
  if (what === undefined) return title;
  const isLong = what.length > maxTitleLength;
  const shown = sanitiseStrictly(isLong ? what.slice(0, maxTitleLength) : what);
  return `${title}: ${codeSpan(shown)}${isLong ? " … (continues)" : ""}`;
}

/** The whole call, the executable, the real path and the reason. */
function factsOf(question: Question, places: Places): string {
  const { tool, reason, realPath, rule, host, needs = [] } = question;
  const facts = [
    ...agentFact(question, places).map(codeSpan),
    `Tool: ${codeSpan(tool.name)} (${tool.scope}), runs ${codeSpan(tool.path)}`,
    ...serverFact(tool).map(codeSpan),
    ...(realPath === undefined ? [] : [`Real path: ${codeSpan(realPath)}`]),
    // Only a host, and a call that no rule can allow, have a reason of their own.
    ...(rule === undefined || host !== undefined ? [sanitiseLine(reason)] : []),
    ...needs.map((need) => codeSpan(`it ${sanitiseLine(need)}`)),
  ];
  return `${codeBlock(wholeCall(question))}\n${facts.join("\n\n")}`;
}

/** A bash call with nothing but a command is shown as the command alone. */
function wholeCall(question: Question): string {
  const { arguments: text } = question.call;
  const isAlone = Object.keys(parseObject(text) ?? {}).join() === "command";
  const command = isAlone ? bashCommandOf(question) : undefined;
  return command === undefined ? describeWhole(text) : sanitiseStrictly(command);
}

function optionsOf({ tool, rule, host, needs, offers: [rules] = [] }: Question): PermissionOption[] {
  const kind = "allow_always";
  const name = sanitiseLine(tool.name);
  const aboutNeeds: PermissionOption[] = [
    { optionId: optionIds.session, name: `Allow in this session: what ${name} needs`, kind },
    { optionId: optionIds.everywhere, name: `Always allow: what ${name} needs, until it changes`, kind },
  ];
  const shown = (rules ?? [rule ?? ""]).map((one) => sanitiseStrictly(sanitiseLine(one))).join(" and ");
  const always: PermissionOption[] = [
    { optionId: optionIds.session, name: `Allow in this session: ${shown}`, kind },
    { optionId: optionIds.project, name: `Always allow in this project: ${shown}`, kind },
    ...(host === undefined
      ? [{ optionId: optionIds.everywhere, name: `Always allow, in all projects: ${shown}`, kind } as const]
      : []),
  ];
  return [
    { optionId: optionIds.once, name: "Allow once", kind: "allow_once" },
    ...(needs ? aboutNeeds : rule === undefined ? [] : always),
    { optionId: optionIds.reject, name: "Reject", kind: "reject_once" },
  ];
}
