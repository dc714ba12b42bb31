/** What a plain request comes down to: one call, or words. */
export type PlainRequest =
  | { readonly type: "call"; readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly type: "help" }
  | { readonly type: "unknown" };

export function callOf(tool: string, args: Readonly<Record<string, unknown>>): PlainRequest {
  return { type: "call", tool, args };
}
