// /copy and /export: the conversation, or a part of it, for other programs.

import { existsSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isSystemBash } from "@ikigai/permission";
import { codeBlocks, sanitise, sanitiseLine } from "@ikigai/screen";
import { type Conversation, lastAnswer } from "@ikigai/session";
import { exportHtml, exportMarkdown } from "@ikigai/session/export";
import { fromUserHome, systemReason } from "@ikigai/system";
import { parseObject } from "../../render/json.ts";
import { shortPath } from "../../render/short-forms.ts";
import { pick } from "../app/open-dialog.ts";
import { type ScreenHandler, say, type Tui } from "../app/tui.ts";
import type { CallRecord } from "../components/call-record.ts";

/** The most that terminals copy, in characters. */
const maxCopied = 74_000;

/** Something that can be copied. */
interface Copyable {
  /** What it is called as an argument. */
  readonly name: string;
  readonly label: string;
  readonly text: string;
}

export const copy: ScreenHandler = {
  complete: (tui) => copyables(tui).map(({ name }) => name),
  async run(wanted, tui) {
    const found = copyables(tui);
    if (found.length === 0) return say(tui, wanted === "" ? "No answer yet." : whyNot(wanted));
    const chosen = wanted === "" ? await choose(tui, found) : found.find(({ name }) => name === wanted);
    if (chosen) return put(tui, chosen.text);
    if (wanted !== "") say(tui, whyNot(wanted));
  },
};

/** Why there is nothing of this name to copy. */
function whyNot(wanted: string): string {
  if (/^\d+$/.test(wanted)) return `The last answer has no code block ${wanted}.`;
  if (wanted === "answer") return "No answer yet.";
  if (wanted === "command") return "No command has run yet.";
  if (wanted === "output") return "No command has run yet, or the last one printed nothing.";
  return `Expected answer, the number of a code block, command or output, got ${sanitiseLine(wanted)}.`;
}

/** Asks only if there is a choice. */
async function choose(tui: Tui, found: readonly Copyable[]): Promise<Copyable | undefined> {
  if (found.length === 1) return found[0];
  const choices = found.map((value) => ({
    value,
    label: value.label,
    remark: sanitiseLine(value.text.trim().split("\n")[0] ?? "").slice(0, 60),
  }));
  return pick(tui, { title: "Copy", choices });
}

/** The last answer, its blocks of code, and the last command with its output. */
function copyables(tui: Tui): Copyable[] {
  const answer = lastAnswer(tui.session.agent.conversation);
  const blocks = codeBlocks(answer ?? "").map(({ language, text }, index) => {
    const lines = text.split("\n").length;
    const facts = [language, `${lines} ${lines === 1 ? "line" : "lines"}`].filter(Boolean).join(", ");
    return { name: String(index + 1), label: `code ${index + 1} (${sanitiseLine(facts)})`, text };
  });
  return [
    ...(answer === undefined ? [] : [{ name: "answer", label: "whole answer", text: answer }]),
    ...(blocks.length === 0 ? [] : blocks),
    ...lastCommand(tui),
  ];
}

function lastCommand({ records }: Tui): Copyable[] {
  // A call that never started has no duration.
  const hasRun = ({ durationMs }: CallRecord["result"]) => durationMs > 0;
  const record = records
    .filter((one) => "call" in one)
    .findLast(({ call, result }) => isSystemBash(call) && hasRun(result));
  const command = record && parseObject(record.call.arguments)?.command;
  if (!record || typeof command !== "string") return [];
  const { envelope } = record.result;
  const output = envelope.tool_success ? envelope.result.output : undefined;
  return [
    { name: "command", label: "last command", text: command },
    ...(typeof output === "string" && output !== "" ? [{ name: "output", label: "its output", text: output }] : []),
  ];
}

/** Copies what the screen shows: a control character in the text would reach what the user pastes it into. */
function put(tui: Tui, raw: string): void {
  const text = sanitise(raw);
  const isTooLong = text.length > maxCopied;
  if (!isTooLong) tui.surface.signal(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
  const advice = "The text is too long for a terminal's clipboard. Use /export to write the session to a file.";
  say(tui, isTooLong ? advice : `Sent ${text.length} character${text.length === 1 ? "" : "s"} to the clipboard.`);
}

export const exporting: ScreenHandler = {
  complete: () => ["md", "html"],
  async run(argument, tui) {
    const { places, conversation } = tui.session.agent;
    const [, given = "", path = ""] = /^(?:(md|html)(?=\s|$))?\s*(.*)$/i.exec(argument) ?? [];
    const format = given.toLowerCase();
    const [first = "", ...others] = path.split(/\s+/);
    if (format === "" && (others.length > 0 || /^[a-z]+$/i.test(first))) {
      const name = sanitiseLine(others.length > 0 ? path : first);
      return say(tui, `Expected md or html, got ${sanitiseLine(first)}. To name the file: /export md ${name}`);
    }
    const isHtml = format === "html" || (format === "" && /\.html?$/.test(path));
    const target = resolve(
      places.projectDir,
      fromUserHome(path) || `ikigai-${conversation.id}.${isHtml ? "html" : "md"}`,
    );
    const shown = sanitiseLine(shortPath(target, places));
    if (conversation.messages.length === 0) return say(tui, "No messages yet.");
    // Never overwrite: the user may not know that the file exists.
    if (existsSync(target)) return say(tui, `${shown} already exists. Choose another path: /export PATH`);
    const directory = dirname(target);
    if (!existsSync(directory)) {
      const missing = sanitiseLine(shortPath(directory, places));
      return say(tui, `Cannot write ${shown}: the directory ${missing} does not exist.`);
    }
    const text = isHtml ? await toPage(conversation, places.projectDir) : exportMarkdown(conversation);
    try {
      writeFileSync(target, text, { flag: "wx", mode: 0o600 });
    } catch (error) {
      return say(tui, `Cannot write ${shown}: ${systemReason(error as NodeJS.ErrnoException)}.`);
    }
    say(tui, `Exported to ${shown}`);
  },
};

async function toPage(conversation: Conversation, cwd: string): Promise<string> {
  const { pageOptions } = await import("./export-page.ts");
  return exportHtml(conversation, await pageOptions(cwd));
}
