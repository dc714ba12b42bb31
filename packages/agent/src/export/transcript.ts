import { AgentError } from "../model/agent-error.ts";
import type { ShownVisual } from "../model/shown-visual.ts";
import type { Conversation } from "../session/conversation.ts";
import { readKept, withBytes } from "../session/kept-visuals.ts";
import { readKeptLines } from "../session/read-kept-lines.ts";
import type { SessionLine } from "../session/session-event.ts";
import { asTyped, followTypedCommands } from "../session/typed-command.ts";

/** The readable part of a session, in order. Shortened or summarized parts are complete here: the log keeps everything. */
export type TranscriptEntry =
  | { readonly type: "user"; readonly text: string; readonly images: number }
  | { readonly type: "answer"; readonly text: string; readonly model: string }
  | {
      readonly type: "call";
      readonly name: string;
      readonly arguments: string;
      /** The tool's text for people, else its envelope; absent if the call never finished. */
      readonly result?: string;
      /** How many images the model saw with the result. */
      readonly images: number;
      /** What was drawn for the user; images with their content if the file is still the same. */
      readonly visuals: readonly ShownVisual[];
    };

type CallLine = Pick<Extract<SessionLine, { type: "tool_call" }>, "id" | "name" | "arguments">;

export interface Transcript {
  readonly id: string;
  readonly cwd: string;
  readonly startedAt: string;
  readonly entries: readonly TranscriptEntry[];
}

/**
 * Reads the transcript of a conversation.
 *
 * @throws the system's error if the session cannot be read; AgentError `session_not_saved`.
 */
export function readTranscript({ id, cwd, log }: Conversation): Transcript {
  if (log.path === undefined)
    throw new AgentError("session_not_saved", log.problem ?? "This session is not being saved.");
  const lines = [...readKeptLines(log.path)];
  const results = new Map(lines.flatMap((line) => (line.type === "tool_result" ? [[line.id, line]] : [])));
  const models = modelsOf(lines);
  const typedIn = followTypedCommands();
  const shown = new Map<string, readonly unknown[]>();
  for (const line of lines) {
    if (line.type === "shown") shown.set(line.id, [...(shown.get(line.id) ?? []), ...line.visuals]);
  }
  const callOf = ({ id: callId, name, arguments: args }: CallLine): TranscriptEntry => {
    const { json, images = [], visuals: answered = [] } = results.get(callId) ?? {};
    const visuals = readKept([...(shown.get(callId) ?? []), ...answered]).map(withBytes);
    const result = json === undefined ? {} : { result: printedText(json) };
    return { type: "call", name, arguments: args, ...result, images: images.length, visuals };
  };
  const entries = lines.flatMap((line, index): TranscriptEntry[] => {
    const typed = typedIn(line);
    if (typed) return [{ type: "user", text: asTyped({ text: "", ...typed }), images: 0 }, callOf(typed.call)];
    if (line.type === "user") return [{ type: "user", text: line.text, images: line.images?.length ?? 0 }];
    if (line.type === "text") return [{ type: "answer", text: line.text, model: models[index] ?? "" }];
    return line.type === "tool_call" ? [callOf(line)] : [];
  });
  return { id, cwd, startedAt: lines[0]?.time ?? "", entries };
}

/** The model that wrote each line: the one in the `step_end` that follows. */
function modelsOf(lines: readonly SessionLine[]): string[] {
  let model = "";
  return lines
    .toReversed()
    .map((line) => {
      if (line.type === "step_end") model = line.model;
      return model;
    })
    .reverse();
}

function printedText(json: string): string {
  try {
    const { result, error } = JSON.parse(json) as { result?: { output?: unknown; error?: unknown }; error?: unknown };
    const text = result?.output ?? result?.error ?? error;
    return typeof text === "string" ? text : json;
  } catch {
    return json;
  }
}
