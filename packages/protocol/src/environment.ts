/** The version of this protocol: the value of `IKIGAI_PROTOCOL`. */
export const protocolVersion = "1";

/** The descriptor on which a tool may report progress, one JSON object a line. */
export const progressFd = 3;

/** Where a tool was found. A nearer scope overrides a farther one. */
export type ToolScope = "system" | "user" | "project";

/** The environment variables a host sets for a tool. */
export interface ToolEnvironment {
  IKIGAI_PROTOCOL: typeof protocolVersion;
  IKIGAI_TOOL_NAME: string;
  /** The directory of the tool's file. */
  IKIGAI_TOOL_DIR: string;
  IKIGAI_TOOL_SCOPE: ToolScope;
  /** The real path of the tool of the same name that this one overrides; not set when there is none. */
  IKIGAI_SHADOWED_TOOL?: string;
  IKIGAI_PROJECT_DIR: string;
  IKIGAI_SESSION_ID: string;
  IKIGAI_CALL_ID: string;
  /** Names the host among all others. With the call's id it marks the processes that belong to a call. */
  IKIGAI_HOST_ID?: string;
  /** Milliseconds the call may take. */
  IKIGAI_TIMEOUT_MS: string;
  /** Bytes the answer may have. */
  IKIGAI_MAX_OUTPUT_BYTES: string;
  IKIGAI_PROGRESS_FD: string;
  /** Set, to anything, when the tool was started ahead of its call: it may spend the time until its input comes on warming up. */
  IKIGAI_PRESTART?: string;
  /** Set, to the name of what it is, when the tool runs in a sandbox: whatever it starts ends with the call. */
  IKIGAI_SANDBOX?: string;
  AGENT: "ikigai";
}

/** One line on the progress descriptor: MCP's fields. */
export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}
