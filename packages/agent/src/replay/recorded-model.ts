import { type Model, type ModelEvent, readFinishReason } from "../model/model.ts";
import { ModelError } from "../model/model-error.ts";
import type { RecordedStep, Recording } from "./recording.ts";

/**
 * The model of a session: repeats its recorded responses one by one, regardless of the prompt. Needs no network and no key.
 */
export function recordedModel({ id, steps }: Pick<Recording, "id" | "steps">): Model {
  let next = 0;
  return {
    id: steps[0]?.model ?? `recorded/${id}`,
    async *stream() {
      const step = steps[next++];
      if (!step) {
        const text = `The replayed session ${id} has only ${steps.length} responses, and the model was asked for another one.`;
        throw new ModelError("configuration", text);
      }
      yield* say(step);
    },
  };
}

function* say({ parts, finish, usage }: RecordedStep): Generator<ModelEvent> {
  for (const [index, part] of parts.entries()) {
    if (part.type === "tool_call") {
      yield { type: "tool_call_start", id: part.id, name: part.name };
      yield part;
      continue;
    }
    const block = String(index);
    yield { type: part.type, text: part.text, block };
    if (part.metadata) yield { type: "metadata", block, metadata: part.metadata };
  }
  if (finish === "interrupted" || finish === "failed") {
    throw new ModelError("bad_stream", "The recorded response broke off here.");
  }
  yield { type: "finish", reason: readFinishReason(finish), usage };
}
