import { conversationModes, permissionModeTable } from "@ikigai/agent/permission-modes";

const titlesOf = (hasSandbox: boolean) =>
  conversationModes(hasSandbox)
    .map((mode) => permissionModeTable[mode].title)
    .join(", ");

/** The keys of the full screen. The help, its topic and the README are generated from this table. */
export const conversationKeys = [
  ["enter", "send; while the model works, add to its next step"],
  ["alt-enter", "queue until the answer is complete"],
  ["shift-enter, ctrl-j, \\ enter", "start a new line"],
  ["esc, ctrl-c", "stop the answer and its calls"],
  ["esc twice", "go back in the conversation, on an empty line: /rewind"],
  ["ctrl-c twice, ctrl-d", "quit, on an empty line"],
  ["ctrl-z", "suspend"],
  ["up", "recall what you typed before; take back queued messages (also alt-up)"],
  ["ctrl-r", "search what you typed, in all projects"],
  ["ctrl-o", "show all calls in full"],
  ["ctrl-g", "edit the message in $EDITOR"],
  ["shift-tab", `change the mode: ${titlesOf(true)}; without a sandbox: ${titlesOf(false)}`],
  ["ctrl-t", "change how much the model thinks"],
  ["ctrl-p", "switch to the next model used so far; with only one, choose from the list"],
  ["ctrl-v", "paste the clipboard's image"],
  ["ctrl-l", "clear the screen"],
  ["?", "show the keys, on an empty line"],
  ["ctrl-k", "find a command, on an empty line; else delete to the end of the line"],
  ["tab", "complete a command, a file or a name; go to a question that waits, from which shift-tab goes back"],
  ["@", "mention a file of the project; images are attached"],
  ["!command", "run a command yourself, as part of the conversation; with & at its end, in the background"],
  ["!!command", "run a command in your terminal, outside the conversation"],
] as const satisfies readonly (readonly [keys: string, meaning: string])[];
