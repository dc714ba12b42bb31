import { join } from "node:path";
import { realPathOf, userHome } from "@ikigai/system";
import type { Node } from "jsonc-parser/lib/esm/main.js";
import type { KeyProblem } from "./key-problem.ts";
import { membersOf } from "./members-of.ts";

/** Why the whole disk cannot be in a list. */
const reasons: Readonly<Record<string, string>> = {
  writable: "the sandbox cannot make the whole disk writable",
  readable: "the sandbox shows the disk anyway, so name what it hides",
  hidden: "no tool can start without its files",
};

/** Returns the paths that are the whole disk, however they are written: they would have no effect, or stop every tool. */
export function sandboxProblems(root: Node): KeyProblem[] {
  const sandboxes = membersOf(root).filter(({ name }) => name === "sandbox");
  const lists = sandboxes.flatMap(({ value }) => membersOf(value).filter(({ name }) => Object.hasOwn(reasons, name)));
  return lists.flatMap(({ name, value: { children = [] } }) =>
    children.flatMap(({ value, offset }, index) => {
      if (typeof value !== "string" || !isWholeDisk(value)) return [];
      const key = `sandbox.${name}[${index}]`;
      const path = value === "/" ? "" : ", which is /";
      const message = `Expected "${key}" to be a path below /, got ${JSON.stringify(value)}${path}: ${reasons[name]}.`;
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
