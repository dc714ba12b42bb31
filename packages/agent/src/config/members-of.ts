import type { Node } from "jsonc-parser/lib/esm/main.js";

/** A name of an object and its value. */
export interface Member {
  readonly name: string;
  /** Where the name is in the text. */
  readonly offset: number;
  readonly value: Node;
}

/** The members of an object, also those with a name twice; none of anything else. */
export function membersOf({ type, children = [] }: Node): Member[] {
  if (type !== "object") return [];
  return children.flatMap(({ children: [name, value] = [] }) => {
    return name && value ? [{ name: String(name.value), offset: name.offset, value }] : [];
  });
}
