import { conversationModes, permissionModeTable } from "@ikigai/agent/permission-modes";

/** What each key does on the full screen: the help, its topic and the README are made of it. */
export const conversationKeys = [
  ["enter", "send; while the model works: for its next step"],
  ["alt-enter", "send when the answer is there"],
  ["shift-enter, ctrl-j, \\ enter", "a new line"],
  ["esc, ctrl-c", "stop the answer and the calls"],
  ["esc twice", "go back in the conversation, when nothing is written: /rewind"],
  ["ctrl-c twice, ctrl-d", "quit, when nothing is written"],
  ["ctrl-z", "suspend"],
  ["up", "what was typed before; what is queued comes back (alt-up as well)"],
  ["ctrl-r", "search what was typed, in all projects"],
  ["ctrl-o", "all calls, with nothing left out"],
  ["ctrl-g", "write in $EDITOR"],
  ["shift-tab", conversationModes.map((mode) => permissionModeTable[mode].title).join(", ")],
  ["ctrl-t", "how much the model thinks"],
  ["ctrl-p", "the next model"],
  ["ctrl-v", "the clipboard's image"],
  ["ctrl-l", "clear the screen"],
  ["tab", "complete a command, a file or a name"],
  ["@", "a file of the project; images are shown to the model"],
  ["!command", "run a command yourself, as part of the conversation"],
  ["!!command", "run a command yourself, apart from it"],
] as const satisfies readonly (readonly [keys: string, meaning: string])[];
