import { textStart } from "@ikigai/protocol";

/** How many ignored fields an answer names, and how much of each name: a model can write anything. */
const maxNames = 10;
const maxNameLength = 40;

/** Turns an answer into JSON. */
type Serialize = (answer: unknown) => string;

/** What the field `ignored` of every answer is, for `--schema`. */
export const ignoredSchema = {
  type: "array",
  items: { type: "string" },
  description: "Arguments that the tool does not know and did not use",
} as const;

/** Makes a serializer name the ignored fields behind everything else in an answer. */
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
