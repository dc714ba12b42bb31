import {
  asTyped,
  type ChangedFile,
  changedFiles,
  expectedMessage,
  restoreFile,
  rewindConversation,
} from "@ikigai/agent/internal";
import { slashCommand } from "../../help/slash-command-table.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { pick } from "../app/open-dialog.ts";
import { putBack } from "../app/submit.ts";
import { say, type Tui, type TuiCommand } from "../app/tui.ts";
import { pickTurn } from "./sessions.ts";

type Part = "both" | "conversation" | "files";

export const rewind: TuiCommand = {
  ...slashCommand("rewind"),
  async run(_, tui) {
    const turn = await pickTurn(tui, "Rewind to before", { withEnd: false });
    if (turn === undefined || turn === "end") return;
    const { conversation } = tui.session.agent;
    const files = changedFiles(conversation, turn.seq);
    const part = files.length === 0 ? "conversation" : await pickPart(tui, files);
    if (part === undefined) return;
    if (part !== "conversation") await restoreFiles(tui, files);
    if (part === "files") return;
    rewindConversation(conversation, turn.seq);
    putBack(tui, [asTyped(turn)]);
    say(
      tui,
      "Rewound to before this message. Changes made by shell commands are not undone. The session file keeps all messages.",
    );
  },
};

async function pickPart(tui: Tui, files: readonly ChangedFile[]): Promise<Part | undefined> {
  for (const { path, kept, isChangedSince } of files) {
    const what = kept === null ? "would be removed: it did not exist" : "would be restored";
    const warning = isChangedSince ? tui.theme.style.yellow("; what has changed in it since would be lost") : "";
    say(tui, `  ${shownPath(tui, path)} ${what}${warning}`);
  }
  const both = { value: "both", label: "The conversation and these files" } as const;
  const conversation = { value: "conversation", label: "The conversation" } as const;
  // Enter must not lose what someone else has changed.
  const isLossy = files.some(({ isChangedSince }) => isChangedSince);
  const choices = [
    ...(isLossy ? [conversation, both] : [both, conversation]),
    { value: "files", label: "These files" } as const,
  ];
  return pick<Part>(tui, { title: "Rewind what?", choices, keepsAbove: true });
}

async function restoreFiles(tui: Tui, files: readonly ChangedFile[]): Promise<void> {
  for (const file of files) {
    try {
      const lost = await restoreFile(file);
      const done = file.kept === null ? "removed" : "restored";
      say(tui, [`  ${shownPath(tui, file.path)} ${done}`, ...lost].join(". "));
    } catch (error) {
      say(tui, tui.theme.style.red(`  ${shownPath(tui, file.path)}: ${sanitiseLine(expectedMessage(error))}`));
    }
  }
}

function shownPath({ session }: Tui, path: string): string {
  return shortPath(path, session.agent.places);
}
