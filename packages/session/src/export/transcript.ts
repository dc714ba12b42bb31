// The transcript of a session: the entries that its log tells, the words of each ending, and all of it as Markdown.
import { isDocument, type ShownVisual } from "@ikigai/models";
import { isJsonObject } from "@ikigai/protocol";
import { showInvisible } from "@ikigai/system";
import { asTyped, type Conversation, followTypedCalls } from "../conversation.ts";
import { AgentError } from "../errors.ts";
import type { KeptImage, SessionLine, TurnEndReason } from "../log/events.ts";
import { readKept, withBytes } from "../log/kept-files.ts";
import { isKeptFile } from "../log/log.ts";
import { readKeptLines } from "../log/read-log.ts";
import type { StoredSession } from "../manage.ts";

/** A finished or unfinished call. */
export interface PastCall {
  readonly name: string;
  /** JSON: what the tool got, or if it was not started, what the model wrote. */
  readonly arguments: string;
  /** The envelope's text; absent if the call never finished. */
  readonly json?: string;
  /** The file that it changed as it was before: a copy; `null` if it did not exist. Absent if there is no such copy. */
  readonly before?: string | null;
}

/** The readable part of a session, in order. Shortened or summarized parts are complete here: the log keeps everything. */
export type TranscriptEntry =
  | {
      readonly type: "user";
      readonly text: string;
      readonly images: readonly KeptImage[];
      /** As in `Date.prototype.toISOString`. */
      readonly time: string;
    }
  | { readonly type: "answer"; readonly text: string; readonly model: string }
  | { readonly type: "thought"; readonly text: string }
  | {
      readonly type: "call";
      readonly call: PastCall;
      /** In milliseconds; absent if the call never finished. */
      readonly durationMs?: number;
      /** The images that the model saw with the result. */
      readonly images: readonly KeptImage[];
      /** What was drawn for the user; images with their content if the file is still the same. */
      readonly visuals: readonly ShownVisual[];
    }
  /** A turn that did not end with an answer. */
  | { readonly type: "end"; readonly reason: Exclude<TurnEndReason, "done">; readonly error?: string };

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
  const { path } = log;
  return transcriptOf({ id, cwd, lines: [...readKeptLines(log)] }, (file) => isKeptFile(path, file));
}

/** Returns the transcript of a session's lines. @param isOwn whether a file is one that the session keeps */
export function transcriptOf(
  { id, cwd, lines }: Pick<StoredSession, "id" | "cwd" | "lines">,
  isOwn: IsOwn,
): Transcript {
  const callOf = readCalls(lines, isOwn);
  const models = modelsOf(lines);
  const typedIn = followTypedCalls();
  const entries = lines.flatMap((line, index): TranscriptEntry[] => {
    const reported = typedIn(line);
    const { time } = line;
    if (line.type === "user") {
      const text = asTyped({ text: line.text, ...reported?.report });
      const said: TranscriptEntry = { type: "user", text, images: ownImages(line.images, isOwn), time };
      return reported ? [said, callOf(reported.call)] : [said];
    }
    if (line.type === "text") return [{ type: "answer", text: line.text, model: models[index] ?? "" }];
    if (line.type === "reasoning") return line.text.trim() === "" ? [] : [{ type: "thought", text: line.text }];
    if (line.type === "turn_end") return endOf(line);
    return line.type === "tool_call" ? [callOf(line)] : [];
  });
  return { id, cwd, startedAt: lines[0]?.time ?? "", entries };
}

function endOf({ reason, error }: Extract<SessionLine, { type: "turn_end" }>): TranscriptEntry[] {
  return reason === "done" ? [] : [{ type: "end", reason, ...(error !== undefined && { error }) }];
}

type CallLine = Pick<Extract<SessionLine, { type: "tool_call" }>, "id" | "name" | "arguments">;

type IsOwn = (path: unknown) => boolean;

/** Those that are not the session's own have no path, and so cannot be read. */
function ownImages(images: readonly KeptImage[] = [], isOwn: IsOwn): KeptImage[] {
  return images.map((image) => (isOwn(image.path) ? image : { mediaType: "", path: "" }));
}

/** Returns what makes the entry of a call, from all lines about it. */
function readCalls(lines: readonly SessionLine[], isOwn: IsOwn): (line: CallLine) => TranscriptEntry {
  const of = <Type extends SessionLine["type"]>(type: Type) => {
    return lines.filter((line): line is Extract<SessionLine, { type: Type }> => line.type === type);
  };
  const results = new Map(of("tool_result").map((line) => [line.id, line]));
  const started = new Map(of("tool_start").map((line) => [line.id, line.arguments]));
  const copies = new Map(of("checkpoint").map((line) => [line.id, line.kept]));
  const shown = new Map<string, readonly unknown[]>();
  for (const { id, visuals } of of("shown")) shown.set(id, [...(shown.get(id) ?? []), ...visuals]);
  return ({ id, name, arguments: written }) => {
    const { json, durationMs, images, visuals: answered = [] } = results.get(id) ?? {};
    const before = copies.get(id);
    const call = {
      name,
      arguments: started.get(id) ?? written,
      ...(json !== undefined && { json }),
      ...(before !== undefined && (before === null || isOwn(before)) && { before }),
    };
    const visuals = readKept([...(shown.get(id) ?? []), ...answered]).map(withBytes);
    return {
      type: "call",
      call,
      ...(durationMs !== undefined && { durationMs }),
      images: ownImages(images, isOwn),
      visuals,
    };
  };
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

/** The result of a call for people: the tool's text, else the envelope. */
export function printedText({ json = "(no result)" }: Pick<PastCall, "json">): string {
  try {
    const { result, error } = JSON.parse(json) as { result?: { output?: unknown; error?: unknown }; error?: unknown };
    const text = result?.output ?? result?.error ?? error;
    return typeof text === "string" ? text : json;
  } catch {
    return json;
  }
}

/** How a turn ended that did not end with an answer. */
export function endText({ reason, error }: Extract<TranscriptEntry, { type: "end" }>): string {
  return error ?? endTexts.get(reason) ?? reason;
}

const endTexts: ReadonlyMap<string, string> = new Map([
  ["interrupted", "Interrupted."],
  ["failed", "The turn failed."],
  ["max_steps", "The turn reached its maximum number of steps."],
  ["loop", "The same call kept failing."],
]);

/** How a call ended, if not well. */
export function callEnding({ json }: PastCall): string | undefined {
  if (json === undefined) return "no result";
  try {
    const { tool_success: isSuccess, result } = JSON.parse(json) as { tool_success?: unknown; result?: unknown };
    if (isSuccess !== true) return "failed";
    if (!isJsonObject(result)) return undefined;
    if (typeof result.exit_code === "number" && result.exit_code !== 0) return `exit ${result.exit_code}`;
    return typeof result.error === "string" ? "failed" : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Exports a session as Markdown. Characters that control a terminal or hide in a text are shown as signs: the file is made to be read.
 *
 * @throws the system's error if the session cannot be read; AgentError `session_not_saved`.
 */
export function exportMarkdown(conversation: Conversation): string {
  return markdownOf(readTranscript(conversation));
}

/** A transcript as Markdown, as `exportMarkdown` writes it. */
export function markdownOf({ id, cwd, startedAt, entries }: Transcript): string {
  const head = `# Session ${id}\n\nStarted ${startedAt} in \`${cwd}\`\n`;
  return showInvisible([head, ...entries.flatMap(toMarkdown)].join("\n").replaceAll("\r\n", "\n"));
}

function toMarkdown(entry: TranscriptEntry): string | [] {
  switch (entry.type) {
    case "user": {
      return `## You\n\n${quote(entry.text)}\n${imagesNote(entry)}`;
    }
    case "answer":
      return `## ${entry.model}\n\n${entry.text}\n`;
    case "call": {
      const { name, arguments: args, json } = entry.call;
      const result = json === undefined ? "(no result)\n" : fence(printedText({ json }), "text");
      const how = callEnding(entry.call);
      return `### ${name}\n\n${fence(args, "json")}\n${result}${how === undefined ? "" : `\n*${how}*\n`}${imagesNote(entry)}${entry.visuals.map(visualText).join("")}`;
    }
    case "thought":
      return [];
    case "end":
      return `*${endText(entry)}*\n`;
    default:
      return entry satisfies never;
  }
}

/** What the user saw, as text. */
function visualText(visual: ShownVisual): string {
  return `\n${visual.type === "diff" ? fence(visual.text.trimEnd(), "diff") : `${quote(visual.alt)}\n`}`;
}

function imagesNote({ images }: { readonly images: readonly KeptImage[] }): string {
  const documents = images.filter(isDocument).length;
  const counts = { image: images.length - documents, document: documents };
  const notes = Object.entries(counts).map(([name, count]) =>
    count === 0 ? "" : `\n(${count} ${name}${count === 1 ? "" : "s"})\n`,
  );
  return notes.join("");
}

/** The user's text is quoted, so that its Markdown does not affect the document. */
function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

/** A code block whose fence is longer than any in the text. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${language}\n${text}\n${ticks}\n`;
}
