import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The clone of the repository that this command was built in; `undefined` if it was installed. */
export function ownClone(): string | undefined {
  // The build puts this file into apps/cli/dist/.
  const root = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
  const marks = ["scripts/pack-libraries.mjs", "packages/tool-sdk/src/index.ts"];
  return marks.every((file) => existsSync(join(root, file))) ? root : undefined;
}
