import type { JsonObject } from "./json.ts";
import type { ToolAccess } from "./tool-access.ts";

/** What `X-tool --schema` prints, in the form a host works with: aliases and the older parameter form are resolved. */
export interface ToolSchema {
  name: string;
  description: string;
  /** A JSON Schema of type `object`. */
  parameters: JsonObject;
  /** A name for people. */
  title?: string;
  /** A JSON Schema of the tool's answer. */
  outputSchema?: JsonObject;
  annotations?: ToolAnnotations;
  ikigai?: ToolExtensions;
}

/** What a tool says of itself, in the words of MCP. Hints only: no host lowers its guard because of them. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** What a tool may ask of a host. A host that knows none of it runs the tool all the same. */
export interface ToolExtensions {
  version?: string;
  /** The time a call may take, in milliseconds; at most `maxTimeoutMs`. */
  timeoutMs?: number;
  /** The parameter that sets the time for one call, in milliseconds. */
  timeoutArgument?: string;
  /** How much output reaches the model, in bytes; at most `maxMaxOutputBytes`. */
  maxOutputBytes?: number;
  /** Environment variables the tool wants although they hold a model provider's key. */
  env?: readonly string[];
  /**
   * The tool does nothing before it has read stdin, so a host may start it ahead of the call; and nothing after it has closed
   * stdout, so a host may end it then.
   */
  prestart?: boolean;
  /** What a call reads, writes or runs. A host believes it only of tools that came with it. */
  access?: ToolAccess;
}
