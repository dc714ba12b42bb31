import { randomBytes } from "node:crypto";
import type { AssistantPart, ModelEvent, ProviderMetadata, ToolCallPart } from "@ikigai/models";

/** Assembles a response from its pieces. */
export interface StepCollector {
  /** Returns the ID of a call that begins: the provider's, unless the conversation has it already. */
  begin(id: string): string;
  add(event: ModelEvent): void;
  /** All parts, in the order in which they began. */
  parts(): AssistantPart[];
  /** The parts to keep of a response that broke off: text only. Incomplete calls and unsigned reasoning are useless. */
  keptParts(): AssistantPart[];
  text(): string;
}

/** A part that may still grow. */
interface OpenPart {
  readonly type: "text" | "reasoning";
  readonly block: string | undefined;
  readonly pieces: string[];
  metadata?: ProviderMetadata;
}

/** @param isUsed whether a call ID exists in the conversation. */
export function collectStep(isUsed: (id: string) => boolean): StepCollector {
  const parts: (OpenPart | ToolCallPart)[] = [];
  const ids = new Set<string>();
  const begun = new Map<string, string[]>();

  const uniqueId = (wanted: string): string => {
    let id = wanted || `call_${randomBytes(8).toString("hex")}`;
    for (let number = 2; ids.has(id) || isUsed(id); number++) id = `${wanted}_${number}`;
    ids.add(id);
    return id;
  };
  const openPart = (type: OpenPart["type"], block: string | undefined): OpenPart => {
    const last = parts.at(-1);
    const known =
      block === undefined
        ? last?.type === type && last.block === undefined && last
        : parts.find((part): part is OpenPart => part.type === type && part.block === block);
    if (known) return known;
    const part: OpenPart = { type, block, pieces: [] };
    parts.push(part);
    return part;
  };
  const finished = () => parts.map(close);

  return {
    begin(wanted) {
      const id = uniqueId(wanted);
      begun.set(wanted, [...(begun.get(wanted) ?? []), id]);
      return id;
    },
    add(event) {
      if (event.type === "text" || event.type === "reasoning") {
        const part = openPart(event.type, event.block);
        if (event.text !== "") part.pieces.push(event.text);
      } else if (event.type === "metadata") {
        const part = parts.find((one): one is OpenPart => one.type !== "tool_call" && one.block === event.block);
        if (part) part.metadata = merge(part.metadata, event.metadata);
      } else if (event.type === "tool_call") {
        const { name, arguments: args, metadata } = event;
        const id = begun.get(event.id)?.shift() ?? uniqueId(event.id);
        parts.push({ type: "tool_call", id, name, arguments: args, ...(metadata && { metadata }) });
      }
    },
    parts: () => finished().filter((part) => part.type === "tool_call" || part.text !== "" || part.metadata),
    keptParts: () => finished().flatMap((part) => (isKept(part) ? [{ type: part.type, text: part.text }] : [])),
    text: () =>
      finished()
        .flatMap((part) => (part.type === "text" ? [part.text] : []))
        .join(""),
  };
}

function isKept(part: AssistantPart): part is AssistantPart & { type: "text" } {
  return part.type === "text" && part.text.trim() !== "";
}

function close(part: OpenPart | ToolCallPart): AssistantPart {
  if (part.type === "tool_call") return part;
  const { type, pieces, metadata } = part;
  return { type, text: pieces.join(""), ...(metadata && { metadata }) };
}

/** Later values win; others stay. */
function merge(old: ProviderMetadata = {}, next: ProviderMetadata): ProviderMetadata {
  const merged: Record<string, ProviderMetadata[string]> = { ...old };
  for (const [provider, values] of Object.entries(next)) merged[provider] = { ...merged[provider], ...values };
  return merged;
}
