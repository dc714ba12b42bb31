import type { RegisteredTool } from "@ikigai/core";
import type { Permission } from "./permission.ts";

/** A tool that the user has agreed to what it needs: for this conversation, or with `isForOnce` for one call. */
export function withAgreedNeeds(
  tool: RegisteredTool,
  { agreedNeeds }: Pick<Permission, "agreedNeeds">,
  isForOnce = false,
): RegisteredTool {
  const { openNeeds, ...settled } = tool;
  return openNeeds && (isForOnce || agreedNeeds?.has(needsKey(tool))) ? settled : tool;
}

/** What a yes for the length of a conversation is about: this content of the tool's file, and these needs. */
export function needsKey({ path, identity, schema }: RegisteredTool): string {
  return JSON.stringify([path, identity.stamp, schema.ikigai?.needs]);
}
