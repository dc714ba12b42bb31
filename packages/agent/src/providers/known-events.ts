import type { EventFilter } from "./skip-unknown.ts";

const events = new Set([
  ...["message_start", "content_block_start", "content_block_delta", "content_block_stop"],
  ...["message_delta", "message_stop", "ping", "error"],
]);

/** Blocks that ikigai can receive: it uses none of the provider's own tools. */
const blocks = new Set(["text", "thinking", "redacted_thinking", "tool_use", "compaction", "fallback"]);

const deltas = new Set([
  ...["input_json_delta", "text_delta", "thinking_delta", "signature_delta"],
  ...["compaction_delta", "citations_delta"],
]);

/** Recognises the events of Anthropic's format. Every event of an unknown block is unknown. */
export function anthropicEvents(): EventFilter {
  const skippedBlocks = new Set<unknown>();
  return {
    unknownKind({ type, index, content_block: block, delta }) {
      if (typeof type !== "string") return undefined;
      if (!events.has(type)) return `event ${type}`;
      if (type === "content_block_start") {
        const kind = typeOf(block);
        skippedBlocks.delete(index);
        if (kind === undefined || blocks.has(kind)) return undefined;
        skippedBlocks.add(index);
        return `block ${kind}`;
      }
      if (type !== "content_block_delta" && type !== "content_block_stop") return undefined;
      if (skippedBlocks.has(index)) return `part of an unknown block`;
      const kind = typeOf(delta);
      return kind === undefined || deltas.has(kind) ? undefined : `delta ${kind}`;
    },
  };
}

function typeOf(value: unknown): string | undefined {
  const type = (value as { type?: unknown } | null | undefined)?.type;
  return typeof type === "string" ? type : undefined;
}

/** Recognises the events of OpenAI's chat format. An event of another type without choices is not part of a response. */
export function chatEvents(): EventFilter {
  return {
    unknownKind({ type, object, choices, error }) {
      if (choices !== undefined || error !== undefined || type === "error") return undefined;
      const kind = type ?? object;
      return typeof kind === "string" ? `event ${kind}` : undefined;
    },
  };
}

/** What a response says that the package does not pass on. */
export interface ChatFacts {
  /** The response had reasoning in the field `reasoning`, not `reasoning_content`. */
  readonly hasReasoningField?: boolean;
  /** An ID of a call began more than one: then one may be a repetition. */
  readonly repeatsIds?: boolean;
  /** The IDs of the calls. */
  readonly ids?: readonly string[];
}

/** The part of an event that is looked at. */
interface ChatEvent {
  readonly choices?: readonly {
    readonly delta?: {
      readonly reasoning?: unknown;
      readonly reasoning_content?: unknown;
      readonly tool_calls?: readonly { readonly id?: unknown; readonly function?: { readonly name?: unknown } }[];
    };
  }[];
}

/** Looks at the events of a response in OpenAI's chat format. */
export function chatFacts() {
  const begun = new Set<string>();
  let hasReasoningField = false;
  let repeatsIds = false;
  return {
    processChunk(event: unknown) {
      const delta = (event as ChatEvent | null)?.choices?.[0]?.delta;
      if (delta?.reasoning && !delta.reasoning_content) hasReasoningField = true;
      for (const { id, function: called } of delta?.tool_calls ?? []) {
        if (typeof id !== "string" || id === "" || !called?.name) continue;
        repeatsIds ||= begun.has(id);
        begun.add(id);
      }
    },
    buildMetadata: () => ({ ikigai: { hasReasoningField, repeatsIds, ids: [...begun] } satisfies ChatFacts }),
  };
}
