/** The texts about a mode. */
export interface PermissionModeFacts {
  /** A short name, for where there is little room. */
  readonly title: string;
  /** What happens to a call that no rule matches, in a few words. */
  readonly about: string;
}

/** The modes, in the order in which they are offered. */
export const permissionModeTable = {
  ask: { title: "ask", about: "ask (with -p: deny)" },
  edits: {
    title: "allow edits",
    about: "like ask, but ikigai's file tools may change the project",
  },
  auto: {
    title: "auto",
    about: "run it in the sandbox; ask for what needs to leave it",
  },
  plan: { title: "plan", about: "read only: change nothing, whatever rules allow" },
  allow: { title: "allow all", about: "run it" },
  deny: { title: "deny all", about: "deny it" },
} as const satisfies Readonly<Record<PermissionMode, PermissionModeFacts>>;

/**
 * Decides calls that no rule matches: `ask`, `edits` (like `ask`, but ikigai's file tools may change the project), `auto` (run in the
 * sandbox, or ask), `plan` (read only), `allow` or `deny`.
 */
export type PermissionMode = "ask" | "edits" | "auto" | "plan" | "allow" | "deny";

/** All modes, in the same order. */
export const permissionModes = Object.keys(permissionModeTable) as PermissionMode[];

/** The modes that a key switches between in a conversation, in order. @param hasSandbox whether calls can run in the sandbox. */
export function conversationModes(hasSandbox: boolean): readonly PermissionMode[] {
  return hasSandbox ? ["plan", "ask", "auto"] : ["plan", "ask", "edits", "allow"];
}
