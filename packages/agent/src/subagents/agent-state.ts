import type { UserMessage } from "@ikigai/models";
import type { PermissionLimit } from "@ikigai/permission";
import type { Conversation } from "@ikigai/session";
import type { Grant } from "./grant.ts";
import type { ParentUser } from "./question-link.ts";

/** What a process may do with agents. */
export interface AgentRights {
  /** The program that runs them; without it no agent is started. */
  readonly bin: string | undefined;
  /** How deeply this process is nested: 0 for the user's own. */
  readonly depth: number;
  readonly maxDepth: number;
  readonly maxTokens: number;
  /** How many agents a session may start. */
  readonly maxStarted: number;
  /** What the agent that started this one grants. */
  readonly grant: Grant | undefined;
}

/** What a conversation knows about agents: those that it may start, and the one that it is. */
export interface Agents extends AgentRights {
  /** The slot of this agent in the session that started it. */
  readonly ownSlot: OwnSlot | undefined;
  /** The user of that session, if this agent can ask. */
  readonly parentUser: ParentUser | undefined;
  /** Calls that are starting an agent or wait for one, with their slots. */
  readonly starting: Map<string, number>;
  /** Returns those of the problems with files of agents that the user has not been told. */
  newProblems(problems: readonly string[]): readonly string[];
  /** Runs a call when fewer than `maxRunning` others are running. */
  readonly limit: <Value>(run: () => Promise<Value>) => Promise<Value>;
}

/** This agent's slot in the session that started it. */
export interface OwnSlot {
  /** Returns how many tokens the agent may still use, with the agents that it starts. */
  left(agents: Agents, conversation: Conversation): number;
  /** Records how many tokens it has used. A full disk costs the agent its whole share. */
  record(agents: Agents, conversation: Conversation, isOver: boolean): void;
  /** Takes the messages to this agent. */
  takeMessages(conversation: Conversation): readonly Pick<UserMessage, "text">[];
}

/** What an agent may do, and what keeps it to that. */
export interface HeldGrant {
  readonly grant: Grant;
  /** Returns what limits the permission of the agent; see `limitsFor`. */
  limitsFor(place: AgentPlace): PermissionLimit[];
  /** Returns the user of the session that started the agent; `undefined` if it cannot ask. @param directory where the agent works. */
  parentUser(env: NodeJS.ProcessEnv, directory: string): ParentUser | undefined;
  /** Uses up the grant; see `claimOwnSlot`. */
  claim(home: string, conversation: Conversation): OwnSlot;
}

/** Where an agent runs. */
export interface AgentPlace {
  readonly userHome: string;
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
}
