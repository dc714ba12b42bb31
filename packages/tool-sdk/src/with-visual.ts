import type { Visual } from "@ikigai/protocol";
import type { Serialize } from "./with-ignored.ts";

/** What every answer may have besides the fields of its schema. */
export interface WithVisual {
  /** What the host draws for the user; the model gets the texts in `alt`. At most 8. */
  readonly visual?: readonly Visual[];
}

/** Adds the visuals to the end of an answer, unless its schema has a field of that name. */
export function withVisual(serialize: Serialize, ownFields: object): Serialize {
  if ("visual" in ownFields) return serialize;
  return (answer) => {
    const json = serialize(answer);
    const { visual } = answer as { readonly visual?: unknown };
    if (!Array.isArray(visual) || visual.length === 0) return json;
    const start = json.slice(0, -1);
    return `${start}${start === "{" ? "" : ","}"visual":${JSON.stringify(visual)}}`;
  };
}
