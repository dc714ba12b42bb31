import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { exportHtml, exportMarkdown } from "@ikigai/agent/export";
import { lastAnswer } from "@ikigai/agent/internal";
import { slashCommand } from "../../help/slash-command-table.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { say, type TuiCommand } from "../app/tui.ts";
import { catching } from "./sessions.ts";

export const exporting: TuiCommand = {
  ...slashCommand("export"),
  complete: () => ["md", "html"],
  async run(argument, tui) {
    const { places, conversation } = tui.session.agent;
    const [, format = "", path = ""] = /^(?:(md|html)(?=\s|$))?\s*(.*)$/.exec(argument) ?? [];
    if (format === "" && /^[a-z]+$/i.test(path))
      return say(tui, `Expected md or html, got ${path}. To name the file: /export md ${path}`);
    const isHtml = format === "html" || (format === "" && /\.html?$/.test(path));
    const target = resolve(places.projectDir, path || `ikigai-${conversation.id}.${isHtml ? "html" : "md"}`);
    const shown = sanitiseLine(shortPath(target, places));
    await catching(tui, async () => {
      if (conversation.messages.length === 0) return say(tui, "No messages yet.");
      // Never overwrite: the user may not know that the file exists.
      if (existsSync(target)) return say(tui, `${shown} already exists. Choose another path: /export PATH`);
      const text = isHtml ? await exportHtml(conversation) : exportMarkdown(conversation);
      writeFileSync(target, text, { flag: "wx" });
      say(tui, `Exported to ${shown}`);
    });
  },
};

/** The most that terminals copy, in characters. */
const maxCopied = 74_000;

export const copy: TuiCommand = {
  ...slashCommand("copy"),
  isQuick: true,
  run(_, tui) {
    const text = lastAnswer(tui.session.agent.conversation);
    if (text === undefined) return say(tui, "No answer yet.");
    if (text.length > maxCopied)
      return say(tui, "The answer is too long for a terminal's clipboard. Use /export to write it to a file.");
    tui.surface.signal(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
    say(tui, `Copied ${text.length} characters, if the terminal allows it.`);
  },
};
