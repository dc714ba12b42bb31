/** What a mode is for people. */
export interface PermissionModeFacts {
  /** What it is called where there is little room. */
  readonly title: string;
  /** What happens to a call that no rule matches, in a few words. */
  readonly about: string;
  /** Whether it is of use in a conversation, in which a key goes from mode to mode. */
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
  plan: { title: "plan", about: "read only: change nothing, whatever rules allow", isInConversation: true },
  allow: { title: "allow all", about: "run it", isInConversation: true },
  deny: { title: "deny all", about: "deny it", isInConversation: false },
} as const satisfies Readonly<Record<string, PermissionModeFacts>>;

/** What happens to a call that no rule speaks of. */
export type PermissionMode = keyof typeof permissionModeTable;

/** All modes, in the same order. */
export const permissionModes = Object.keys(permissionModeTable) as PermissionMode[];

/** Those that a key goes through in a conversation, one after the other. */
export const conversationModes = permissionModes.filter((mode) => permissionModeTable[mode].isInConversation);
