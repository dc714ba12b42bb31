import { toolNamePattern, toolSuffix } from "@ikigai/protocol";
import { escapeOf } from "@ikigai/system";

/** Returns the tool name for a file name; `undefined` if it is not a valid tool name. */
export function toolNameOf(fileName: string): string | undefined {
  const name = rawName(fileName);
  return toolNamePattern.test(name) ? name : undefined;
}

/** Returns an invalid tool's name with everything but printable ASCII escaped, for display. */
export function escapedName(fileName: string): string {
  return rawName(fileName).replaceAll(/[^\x20-\x7e]/gu, escapeOf);
}

function rawName(fileName: string): string {
  return fileName.slice(0, -toolSuffix.length).replaceAll("-", "_");
}
