import { lastAnswer } from "@ikigai/agent/internal";
import { say } from "../app/say.ts";
import type { TuiCommand } from "../app/tui.ts";

/** A terminal takes no more into its clipboard, in characters. */
const maxCopied = 74_000;

export const copy: TuiCommand = {
  name: "copy",
  summary: "put the last answer into the clipboard, by the terminal",
  isQuick: true,
  run(_, tui) {
    const text = lastAnswer(tui.session.agent.conversation);
    if (text === undefined) return say(tui, "There is no answer yet.");
    if (text.length > maxCopied)
      return say(tui, "The answer is longer than terminals take. /export writes it to a file.");
    tui.surface.signal(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
    say(tui, `Copied, ${text.length} characters, if the terminal allows it.`);
  },
};
