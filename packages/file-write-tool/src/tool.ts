import { statSync } from "node:fs";
import { basename } from "node:path";
import { argumentAliases } from "@ikigai/protocol";
import { loadSpawning, lockFile, writeAtomically } from "@ikigai/system";
import { checkPath, encodeText, failureFromErrno, followLinks } from "@ikigai/tool-files";
import { defineTool } from "@ikigai/tool-sdk";
import { output, parameters } from "./schema.ts";
import { writeInPlace } from "./write-in-place.ts";

export const fileWrite = defineTool({
  name: "file_write",
  description: "Write content to a file (creates or overwrites)",
  parameters,
  output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  ikigai: { prestart: true, serves: true, access: { kind: "write-file", path: "file_path" } },
  aliases: argumentAliases["write-file"],
  warmUp() {
    loadSpawning();
    return { output: "", bytes: 0 };
  },
  async run({ file_path, content }) {
    const path = checkPath("file_path", file_path);
    const bytes = encodeText("content", content);
    try {
      const lost = isSpecial(path) ? writeInPlace(path, bytes) : await replace(path, bytes);
      const sentence = `Wrote ${bytes.length} bytes to ${basename(path)}`;
      return { output: sentence, bytes: bytes.length, ...(lost.length > 0 && { warning: lost.join(" ") }) };
    } catch (error) {
      throw failureFromErrno(error, path, "OPEN_FAILED");
    }
  },
});

/** Whether something other than a regular file exists: it has no content to replace. */
function isSpecial(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === false;
}

async function replace(path: string, bytes: Uint8Array): Promise<string[]> {
  using lock = await lockFile(followLinks(path));
  return await writeAtomically(lock, bytes);
}
