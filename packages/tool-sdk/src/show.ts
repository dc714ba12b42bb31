import type { Visual } from "@ikigai/protocol";
import { hasHostMethod, requestHost } from "./request-host.ts";

/**
 * Draws something for the user at once, during the call; see `visual` in the protocol. The tool must declare `"host": ["show"]`, and has
 * one process per call. The model does not get it: what it needs to know belongs in the answer.
 *
 * @returns whether it was drawn: not in print mode, under hosts that do not have this method, and for an image that cannot be read.
 * @throws ToolFailure with the host's code: `INVALID_REQUEST` for a visual that the protocol does not permit. Error if the tool does
 * not declare the method.
 *
 * @example
 * await show({ type: "chart", kind: "bar", labels: ["a.ts"], series: [{ name: "%", values: [80] }], alt: "a.ts 80 %" });
 */
export async function show(visual: Visual): Promise<boolean> {
  if (!hasHostMethod("show")) return false;
  const result = (await requestHost("show", { visual })) as { readonly shown?: boolean } | undefined;
  return result?.shown === true;
}
