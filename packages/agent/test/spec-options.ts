import type { CommandSpec } from "../src/permission/read-only/command-spec.ts";

/** Where the value of an option is: in the next word, only in the same word, or nowhere. */
export type ValueKind = "separate" | "attached" | "none";

/** The options of a list, with their dashes. */
export function specOptions({ short = "", long = "" }: CommandSpec): readonly (readonly [string, ValueKind])[] {
  const kindOf = (mark: string): ValueKind => (mark === "" ? "none" : mark === "?" ? "attached" : "separate");
  const letters = [...short.matchAll(/([\w#])([:@?]?)/g)];
  const names = [...long.matchAll(/([\w-]+)=?([?@$]?|)(?= |$)/g)];
  return [
    ...letters.map(([, letter, mark = ""]) => [`-${letter}`, kindOf(mark)] as const),
    ...names.map(([entry, name, mark = ""]) => [`--${name}`, kindOf(entry.endsWith("=") ? "=" : mark)] as const),
  ];
}
