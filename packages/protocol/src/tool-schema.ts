import type { JsonObject } from "./json.ts";
import type { ToolAccess } from "./tool-access.ts";

/** The answer to `X-tool --schema` in the form a host uses: aliases and the older parameter form are resolved. */
export interface ToolSchema {
  /** As the model calls it. */
  name: string;
  /** What the tool does, for the model. */
  description: string;
  /** A JSON Schema of type `object`. */
  parameters: JsonObject;
  /** A display name for people. */
  title?: string;
  /** A JSON Schema of the tool's answer. */
  outputSchema?: JsonObject;
  /** MCP's hints. */
  annotations?: ToolAnnotations;
  /** ikigai's own extensions. */
  ikigai?: ToolExtensions;
}

/** MCP's hints about a tool's behaviour. A host must not relax its permissions because of them. */
export interface ToolAnnotations {
  /** A display name for people. */
  title?: string;
  /** Calls change nothing. */
  readOnlyHint?: boolean;
  /** Calls may delete or overwrite data. */
  destructiveHint?: boolean;
  /** Repeating a call has no further effect. */
  idempotentHint?: boolean;
  /** Calls reach beyond this machine, for instance the web. */
  openWorldHint?: boolean;
}

/** Optional requests of a tool to a host. A host that does not know them still runs the tool. */
export interface ToolExtensions {
  /** The tool's version, for display. */
  version?: string;
  /** Time limit of a call, in milliseconds; at most `maxTimeoutMs`. */
  timeoutMs?: number;
  /** Name of the parameter that sets the time limit of a single call, in milliseconds. */
  timeoutArgument?: string;
  /** How much of the answer reaches the model, in bytes; at most `maxMaxOutputBytes`. */
  maxOutputBytes?: number;
  /** Environment variables the tool needs although they hold a model provider's key. */
  env?: readonly string[];
  /**
   * The tool does nothing before it has read stdin, so a host may start it ahead of a call, and nothing after it has closed
   * stdout, so a host may kill it then.
   */
  prestart?: boolean;
  /** One process can answer many calls, one after the other, and keeps nothing between them. */
  serves?: boolean;
  /** Name of the service that answers the tool's calls from one process with state. Takes precedence over `serves`. */
  service?: string;
  /** The fields of an answer that may differ between identical calls, such as a process id. */
  varies?: readonly string[];
  /**
   * The tool starts agents: a host may give its calls a grant and its own program. Only for tools of the system and the user that have
   * one process per call.
   */
  agent?: boolean;
  /**
   * The tool loads other tools and skills: it gets the list of them (`IKIGAI_CATALOG`), and a host sends the schemas of the tools that
   * its answer names in `introduces`.
   */
  catalog?: boolean;
  /** `false`: a host with many tools sends this schema with every request. Default: the host decides. */
  defer?: boolean;
  /**
   * The methods of the host that the tool calls over the descriptor for progress, such as `ask`; see `HostMethod`. Its calls have one
   * process each.
   */
  host?: readonly string[];
  /** The tool keeps something for the length of a session, in `IKIGAI_STATE_DIR`. Not for a project's tools. */
  state?: boolean;
  /** What a call reads, writes or runs. A host trusts this only for tools that ship with it. */
  access?: ToolAccess;
}
