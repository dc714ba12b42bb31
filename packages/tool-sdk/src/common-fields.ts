import type { Visual } from "@ikigai/protocol";
import type { ObjectSchema } from "./any-tool.ts";
import type { Serialize } from "./with-ignored.ts";

/** What every answer may have besides the fields of its schema. */
export interface CommonFields {
  /** Whether something is missing, because it would not fit or the call was stopped. `serve` sets it when it cuts an answer. */
  readonly truncated?: boolean;
  /** What the host draws for the user; the model gets the texts in `alt`. At most 8. */
  readonly visual?: readonly Visual[];
}

/** Adds these fields to the end of an answer, unless its schema prints fields of these names. */
export function withCommonFields(serialize: Serialize, { properties, additionalProperties }: ObjectSchema): Serialize {
  if (additionalProperties) return serialize;
  const isAdded = (name: string) => !(name in properties);
  return (answer) => {
    const json = serialize(answer);
    const { truncated, visual, job } = answer as CommonFields & { readonly job?: boolean };
    const added = {
      ...(job === true && isAdded("job") && { job }),
      ...(truncated === true && isAdded("truncated") && { truncated }),
      ...(Array.isArray(visual) && visual.length > 0 && isAdded("visual") && { visual }),
    };
    if (Object.keys(added).length === 0) return json;
    const start = json.slice(0, -1);
    return `${start}${start === "{" ? "" : ","}${JSON.stringify(added).slice(1)}`;
  };
}
