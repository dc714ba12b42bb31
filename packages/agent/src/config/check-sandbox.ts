import { join } from "node:path";
import { realPathOf, userHome } from "@ikigai/system";
import type { Node } from "jsonc-parser/lib/esm/main.js";
import type { KeyProblem } from "./key-problem.ts";
import { membersOf } from "./members-of.ts";

/** Returns the writable paths that are the whole disk, however they are written: nothing would become writable. */
export function sandboxProblems(root: Node): KeyProblem[] {
  const sandboxes = membersOf(root).filter(({ name }) => name === "sandbox");
  const lists = sandboxes.flatMap(({ value }) => membersOf(value).filter(({ name }) => name === "writable"));
  return lists.flatMap(({ value: { children = [] } }) =>
    children.flatMap(({ value, offset }, index) => {
      if (typeof value !== "string" || !isWholeDisk(value)) return [];
      const key = `sandbox.writable[${index}]`;
      const path = value === "/" ? "" : ", which is /";
      const message = `Expected "${key}" to be a directory below /, got ${JSON.stringify(value)}${path}: the sandbox cannot make the whole disk writable.`;
      return [{ key, message, offset, isFatal: true }];
    }),
  );
}

function isWholeDisk(path: string): boolean {
  const home = userHome();
  if (path.startsWith("/")) return realPathOf(path) === "/";
  // Another form is refused by its pattern.
  return /^~(?:\/|$)/.test(path) && home !== undefined && realPathOf(join(home, path.slice(1))) === "/";
}
