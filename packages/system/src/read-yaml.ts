import { parseDocument } from "yaml";
import type { FrontMatterFields } from "./front-matter.ts";

/** Reads YAML with a whole parser, which takes 20 ms to load. Every scalar is a string. Never throws. */
export function readYaml(block: string): { readonly fields: FrontMatterFields } | { readonly problem: string } {
  try {
    const document = parseDocument(block, { schema: "failsafe", logLevel: "silent", prettyErrors: true });
    const [error] = document.errors;
    if (error) return { problem: invalid(firstLine(error.message), error.linePos?.[0].line) };
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    if (value === null || value === "") return { fields: {} };
    if (typeof value !== "object" || Array.isArray(value)) return { problem: "has front matter without keys" };
    return { fields: value as FrontMatterFields };
  } catch (error) {
    // Its errors for aliases, and for a text that is nested so deeply that the parser runs out of stack.
    if (error instanceof ReferenceError)
      return { problem: "has front matter with a YAML alias, which is not supported" };
    if (error instanceof RangeError) return { problem: "has front matter that is nested too deeply" };
    throw error;
  }
}

function firstLine(message: string): string {
  return message.split("\n")[0]?.replace(/ at line \d+, column \d+:?$/, "") ?? message;
}

/** The front matter begins on the second line of the file. */
function invalid(why: string, line: number | undefined): string {
  return `has front matter that is not valid YAML${line === undefined ? "" : `, in line ${line + 1}`}: ${why}`;
}
