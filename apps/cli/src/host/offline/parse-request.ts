import type { ModelTool } from "@ikigai/agent/internal";
import { fileForms } from "./file-requests.ts";
import { callOf, type PlainRequest } from "./plain-request.ts";
import { searchForms } from "./search-requests.ts";
import { toolRequest } from "./tool-requests.ts";
import { unquote } from "./unquote.ts";

const politeness =
  /^(?:(?:hey|ok|okay|please|now|then|and|can you|could you|would you|will you|i want you to|let's)[,:]?\s+)+/i;

const helpPattern =
  /^(?:help|\?|hi|hello|hey|what can you do|what do you understand|who are you|what are you)\b.{0,20}$/is;

const runPattern = /^(?:(?:run|execute)(?:\s+the)?(?:\s+(?:shell\s+)?command)?\s*:?\s+|[$!]\s*)(?<command>.+)$/is;

/** Words after which a command is not a command. */
const backgroundPattern = /\s+in (?:the )?background$/i;

/** Reads a plain request. Never guesses: what fits no form is unknown. */
export function parseRequest(text: string, tools: readonly ModelTool[], cwd: string): PlainRequest {
  const [paragraph = ""] = text.trim().split(/\n\s*\n/);
  const request = paragraph.replace(politeness, "").trim();
  const command = runPattern.exec(request)?.groups?.command;
  if (command) return runRequest(command);
  const sentence = request.replace(/(?<=[^.\s])[.?!]+$/, "").replace(/,? please$/i, "");
  if (helpPattern.test(sentence)) return { type: "help" };
  const exact = toolRequest(request, tools, "exact");
  if (exact) return exact;
  for (const { pattern, toRequest } of [...fileForms, ...searchForms(cwd)]) {
    const match = pattern.exec(sentence);
    if (match) return toRequest(match.groups ?? {});
  }
  return toolRequest(sentence, tools, "words") ?? { type: "unknown" };
}

function runRequest(text: string): PlainRequest {
  const background = backgroundPattern.test(text);
  const command = unquote(text.replace(backgroundPattern, ""));
  return callOf("bash", background ? { command, background } : { command });
}
