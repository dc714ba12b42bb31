import { basename } from "node:path";
import { toolSuffix } from "@ikigai/protocol";

/** The name that a model uses for the tool in this file: `file_read` for `…/file-read-tool`. */
export function toolName(bin: string): string {
  const file = basename(bin);
  return (file.endsWith(toolSuffix) ? file.slice(0, -toolSuffix.length) : file).replaceAll("-", "_");
}
