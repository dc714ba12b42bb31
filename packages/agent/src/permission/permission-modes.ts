/** The texts about a mode. */
export interface PermissionModeFacts {
  /** A short name, for where there is little room. */
  readonly title: string;
  /** What happens to a call that no rule matches, in a few words. */
  readonly about: string;
  /** Whether the key that switches modes in a conversation includes it. */
  readonly isInConversation: boolean;
}

/** The modes, in the order in which they are offered. */
export const permissionModeTable = {
  ask: { title: "ask", about: "ask (with -p: deny)", isInConversation: true },
  edits: {
    title: "allow edits",
    about: "like ask, but ikigai's file tools may change the project",
    isInConversation: true,
  },
  auto: {
    title: "auto",
    about: "run it in the sandbox; ask for what needs to leave it",
    isInConversation: true,
  },
  plan: { title: "plan", about: "read only: change nothing, whatever rules allow", isInConversation: true },
  allow: { title: "allow all", about: "run it", isInConversation: true },
  deny: { title: "deny all", about: "deny it", isInConversation: false },
} as const satisfies Readonly<Record<PermissionMode, PermissionModeFacts>>;

/**
 * Decides calls that no rule matches: `ask`, `edits` (like `ask`, but ikigai's file tools may change the project), `auto` (run in the
 * sandbox, or ask), `plan` (read only), `allow` or `deny`.
 */
export type PermissionMode = "ask" | "edits" | "auto" | "plan" | "allow" | "deny";

/** All modes, in the same order. */
export const permissionModes = Object.keys(permissionModeTable) as PermissionMode[];

/** The modes that a key switches between in a conversation, in order. */
export const conversationModes = permissionModes.filter((mode) => permissionModeTable[mode].isInConversation);
