import { setupTextInConversation, shortSetupText } from "@ikigai/agent/internal";

/**
 * Why the interpreter answers: the command line names it, the conversation does (`/model`, or a resumed session), the
 * configuration does, or no model is set up.
 */
export type OfflineReason = "named" | "chosen" | "configured" | "no model";

/** How to use a language model instead: the end of a sentence, and whole sentences. */
interface OfflineAdvice {
  readonly short: string;
  readonly long: string;
}

/** A key or a server in the environment is used only if nothing names the interpreter. */
export const offlineAdvice: Readonly<Record<OfflineReason, OfflineAdvice>> = {
  named: {
    short: "start ikigai without --model offline, or type /model PROVIDER/MODEL",
    long: "To use a language model, start ikigai without --model offline.\nIn a conversation: /model PROVIDER/MODEL. To set one up, in a shell: ikigai setup",
  },
  chosen: {
    short: "type /model PROVIDER/MODEL, or run ikigai setup in a shell",
    long: "To use a language model: /model PROVIDER/MODEL\nTo set one up, in a shell: ikigai setup",
  },
  configured: {
    short: "in a shell, run ikigai setup, or ikigai config unset model and then set a key",
    long: `The configured model is offline. To choose a language model, run ikigai setup in a shell.
Or run ikigai config unset model there, set a key and start again. The keys: ikigai help models`,
  },
  // Only a conversation starts then: -p ends before.
  "no model": { short: shortSetupText, long: setupTextInConversation },
};
