import { type PermissionMode, permissionModes } from "@ikigai/agent/permission-modes";
import { nearestWord } from "@ikigai/system";

/** What other agents call the modes; compared without case, spaces, `-` and `_`. */
const otherModeWords: Readonly<Record<string, PermissionMode>> = {
  default: "ask",
  normal: "ask",
  manual: "ask",
  onrequest: "ask",
  untrusted: "ask",
  suggest: "ask",
  acceptedits: "edits",
  allowedits: "edits",
  autoedit: "edits",
  autoaccept: "edits",
  readonly: "plan",
  yolo: "allow",
  allowall: "allow",
  auto: "allow",
  fullauto: "allow",
  bypass: "allow",
  bypasspermissions: "allow",
  dangerfullaccess: "allow",
  dontask: "deny",
  denyall: "deny",
};

/** The mode that a word probably means: another agent's name for it, or a mistyped one. */
export function nearestMode(word: string): PermissionMode | undefined {
  const plain = word.toLowerCase().replace(/[-_ ]/g, "");
  const own = permissionModes.find((mode) => mode === plain);
  const other = Object.hasOwn(otherModeWords, plain) ? otherModeWords[plain] : undefined;
  const nearest = nearestWord(plain, permissionModes);
  return own ?? other ?? permissionModes.find((mode) => mode === nearest);
}
