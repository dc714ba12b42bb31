import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { exportHtml, exportMarkdown } from "@ikigai/agent/internal";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { say } from "../app/say.ts";
import type { TuiCommand } from "../app/tui.ts";
import { catching } from "./sessions.ts";

export const exporting: TuiCommand = {
  name: "export",
  parameters: "[md|html] [PATH]",
  summary: "write the session to a file that does not exist yet",
  complete: () => ["md", "html"],
  async run(argument, tui) {
    const { places, conversation } = tui.session.agent;
    const [, format = "", path = ""] = /^(?:(md|html)(?=\s|$))?\s*(.*)$/.exec(argument) ?? [];
    const isHtml = format === "html" || (format === "" && /\.html?$/.test(path));
    const target = resolve(places.projectDir, path || `ikigai-${conversation.id}.${isHtml ? "html" : "md"}`);
    const shown = sanitiseLine(shortPath(target, places));
    await catching(tui, async () => {
      if (conversation.messages.length === 0) return say(tui, "Nothing has been said yet.");
      // What is there stays: the user has named it by mistake, or did not know.
      if (existsSync(target)) return say(tui, `${shown} exists already. Say where else: /export PATH`);
      const text = isHtml ? await exportHtml(conversation) : exportMarkdown(conversation);
      writeFileSync(target, text, { flag: "wx" });
      say(tui, `Written: ${shown}`);
    });
  },
};
