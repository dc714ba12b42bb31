import type { HostErrorCode } from "./error-code.ts";
import type { JsonObject } from "./json.ts";
import type { IgnoredVisual } from "./visual.ts";

/** The answer of a tool that worked, as the model gets it. */
export interface SuccessEnvelope {
  /** Tells it from a `FailureEnvelope`. */
  tool_success: true;
  /** The object the tool printed, also if it reports an error (`ErrorAnswer`). */
  result: JsonObject;
  /** The images of the answer that the model does not see; absent if it sees all. */
  images_ignored?: readonly IgnoredImage[];
  /** The visuals of the answer that are not drawn; absent if all are. */
  visual_ignored?: readonly IgnoredVisual[];
  /** Text for the model: what the user's hooks add, and how the user changed the call. */
  hook_context?: string;
}

/** An image of an answer that the host ignores. */
export interface IgnoredImage {
  /** As the tool named it. */
  path: string;
  /** Why: the end of a sentence. */
  reason: string;
}

/** The answer for a call that gave no result, as the model gets it: the same shape for every failure. */
export interface FailureEnvelope {
  /** Tells it from a `SuccessEnvelope`. */
  tool_success: false;
  /** One sentence for the model. */
  error: string;
  /** Why there is no result. */
  error_code: HostErrorCode;
  /** 128+N after signal N; null if the tool never ran or was ended by the host. */
  exit_code: number | null;
  /** Head and tail of the tool's stdout, at most `maxFailureStreamBytes`. */
  stdout: string;
  /** Head and tail of the tool's stderr, at most `maxFailureStreamBytes`. */
  stderr: string;
  /** Text for the model: what the user's hooks add, and how the user changed the call. */
  hook_context?: string;
}

/** The result of a call, as the model gets it. */
export type Envelope = SuccessEnvelope | FailureEnvelope;

/** What a tool prints if its operation failed: exit code 0 and this object. */
export interface ErrorAnswer {
  /** One sentence for the model. */
  error: string;
  /** One of `ToolErrorCode`, or the tool's own. */
  error_code: string;
  /** What the user can do about it, one step per sentence. */
  help?: {
    /** One sentence each. */
    steps: string[];
  };
}
