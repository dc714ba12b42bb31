import { textStart } from "@ikigai/protocol";

/** The most ignored fields that an answer lists, and the longest name, because a model can write anything. */
const maxNames = 10;
const maxNameLength = 40;

/** Converts an answer to JSON. */
export type Serialize = (answer: unknown) => string;

/** The schema of the field `ignored`, which every answer may have. */
export const ignoredSchema = {
  type: "array",
  items: { type: "string" },
  description: "Unknown arguments, which the tool ignored",
} as const;

/** Adds the ignored fields to the end of an answer. */
export function withIgnored(serialize: Serialize, ignored: readonly string[]): Serialize {
  if (ignored.length === 0) return serialize;
  const left = ignored.length - maxNames;
  const names = [...ignored.slice(0, maxNames).map(shorten), ...(left > 0 ? [`… ${left} more`] : [])];
  const field = `"ignored":${JSON.stringify(names)}}`;
  return (answer) => {
    const start = serialize(answer).slice(0, -1);
    return start === "{" ? start + field : `${start},${field}`;
  };
}

function shorten(name: string): string {
  return name.length <= maxNameLength ? name : `${textStart(name, maxNameLength)}…`;
}
