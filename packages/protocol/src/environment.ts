// What a tool finds when it starts: the variables of its environment, and the lines that it may exchange with the host.

/** The version of this protocol: the value of `IKIGAI_PROTOCOL`. */
export const protocolVersion = "1";

/** The descriptor on which a tool may report progress: one JSON object (`Progress`) per line. */
export const progressFd = 3;

/** Where a tool was found: shipped with the host, the user's own, or the project's. A nearer scope overrides a farther one. */
export type ToolScope = "system" | "user" | "project";

/** The environment variables a host sets for a tool. */
export interface ToolEnvironment {
  /** The protocol's version. */
  IKIGAI_PROTOCOL: typeof protocolVersion;
  /** The tool's name, as the model uses it. */
  IKIGAI_TOOL_NAME: string;
  /** The directory of the tool's file. */
  IKIGAI_TOOL_DIR: string;
  /** Where the tool was found. */
  IKIGAI_TOOL_SCOPE: ToolScope;
  /** Real path of the tool of the same name that this one overrides; not set if it overrides no tool. */
  IKIGAI_SHADOWED_TOOL?: string;
  /** The shell that the user has chosen for the tool's commands: absolute path; not set if the user has chosen none. */
  IKIGAI_SHELL?: string;
  /** The project the tool works for. */
  IKIGAI_PROJECT_DIR: string;
  /** Identifies the conversation. */
  IKIGAI_SESSION_ID: string;
  /** Identifies the call. Processes that inherit it are killed when the call ends. */
  IKIGAI_CALL_ID: string;
  /** Identifies the host. Together with the call's id it marks the processes of a call. */
  IKIGAI_HOST_ID?: string;
  /** Time limit of the call, in milliseconds. */
  IKIGAI_TIMEOUT_MS: string;
  /** Size limit of the answer, in bytes. */
  IKIGAI_MAX_OUTPUT_BYTES: string;
  /** In a conversation: how much of the answer is worth a model's reading, in bytes. */
  IKIGAI_ANSWER_BYTES?: string;
  /** The descriptor for progress reports, as a number. */
  IKIGAI_PROGRESS_FD: string;
  /** Set if the tool was started ahead of its call: it may warm up until its input arrives. */
  IKIGAI_PRESTART?: string;
  /** `1` if the process is to answer several calls. */
  IKIGAI_SERVE?: string;
  /** Identifies the service that the process belongs to. Processes that inherit it are killed when the service ends. */
  IKIGAI_SERVICE_ID?: string;
  /** A directory for what the tool keeps between calls. */
  IKIGAI_DATA_DIR?: string;
  /** A file with a line of JSON (`CatalogEntry`) for each tool and skill; for tools that declare `catalog`. */
  IKIGAI_CATALOG?: string;
  /** The methods of the host that work in this call, separated by spaces; not set if none does. */
  IKIGAI_HOST_METHODS?: string;
  /** A directory for what the tool keeps for the length of a session. */
  IKIGAI_STATE_DIR?: string;
  /** A directory of the session for the whole of an answer that shows only a part. */
  IKIGAI_OUTPUTS_DIR?: string;
  /** Set to the sandbox's name if the tool runs in one: everything it starts ends with the process of the call. */
  IKIGAI_SANDBOX?: string;
  /** `1` if the process may go on as a job after its answer; for tools that declare `jobs`. */
  IKIGAI_JOBS?: string;
  /** How deeply an agent that the tool starts is nested: 1 for a tool of the user's own session. */
  IKIGAI_DEPTH?: string;
  /** The host's own program, for a tool that starts agents. */
  IKIGAI_BIN?: string;
  /** What an agent that the tool starts may do, as JSON. */
  IKIGAI_AGENT_GRANT?: string;
  /** The agent that runs the tool, as other agents set it. */
  AGENT: "ikigai";
}

/** One line on the progress descriptor, with the fields of MCP. */
export interface Progress {
  /** How far the work is, in any unit. */
  progress: number;
  /** The value of `progress` when the work is done, if known. */
  total?: number;
  /** What the tool is doing, for people. */
  message?: string;
}

/** One line of the catalog, the file that `IKIGAI_CATALOG` names: a tool or a skill that a model can load. */
export interface CatalogEntry {
  /** What it is. */
  readonly kind: "tool" | "skill";
  /** Its name. A tool and a skill may have the same one. */
  readonly name: string;
  /** What it does. */
  readonly description: string;
  /** The names of a tool's parameters. */
  readonly parameters?: readonly string[];
  /** A skill's `SKILL.md`. */
  readonly path?: string;
  /** SHA-256 of that file as the user approved it, in hexadecimal; for a project's skill. */
  readonly sha256?: string;
  /** The tools that come with a skill. */
  readonly introduces?: readonly string[];
}
