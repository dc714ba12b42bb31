import { existsSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { exportHtml, exportMarkdown } from "@ikigai/agent/export";
import type { Conversation } from "@ikigai/agent/internal";
import { fromUserHome, systemReason } from "@ikigai/system";
import { slashCommand } from "../../help/slash-command-table.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-forms.ts";
import { say, type TuiCommand } from "../app/tui.ts";

export const exporting: TuiCommand = {
  ...slashCommand("export"),
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
