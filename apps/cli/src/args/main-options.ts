import { permissionModes } from "@ikigai/agent/permission-modes";
import type { Options } from "./option.ts";

export const outputFormats = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof outputFormats)[number];

export const sandboxOptions = {
  sandbox: { summary: "let tools change the project only, without a network" },
  "sandbox-network": { summary: "the same, with the network" },
} as const satisfies Options;

/** The options of ikigai itself: of the REPL and of `-p`. */
export const mainOptions = {
  print: { short: "p", summary: "do one task and print the answer; what nobody allowed is refused" },
  "output-format": { value: "FORMAT", oneOf: outputFormats, summary: "what -p prints (default: text)" },
  model: {
    value: "PROVIDER/MODEL",
    completes: "model",
    summary: "of anthropic, openai, google or openai-compatible; or offline",
  },
  "max-turns": { value: "N", summary: "how many requests to the model one message may take (default: 500)" },
  "permission-mode": {
    value: "MODE",
    oneOf: permissionModes,
    summary: "what happens to a call that no rule decides (default: ask)",
  },
  allow: {
    value: "RULE",
    repeated: true,
    completes: "rule",
    summary: 'allow calls without a question: bash, or "bash(npm test*)"; can be repeated',
  },
  ...sandboxOptions,
  replay: {
    value: "SESSION",
    completes: "session",
    summary: "with -p: give what was recorded again, and run nothing; with --model, ask that model",
  },
  continue: { short: "c", summary: "continue the last session of this directory" },
  resume: {
    value: "ID",
    valueOptional: true,
    completes: "session",
    summary: "resume a session; without an ID, choose one",
  },
  fork: { summary: "with --continue or --resume: work on a copy" },
  plain: { summary: "lines instead of the full screen" },
  help: { short: "h", summary: "say how a command is used" },
  version: { short: "v", summary: "print the version" },
} as const satisfies Options;

/** The ways to call ikigai, and what each is for. */
export const synopsis = [
  ['ikigai [OPTIONS] ["PROMPT"]', "talk to it; the prompt is said first"],
  ['ikigai -p "PROMPT" [OPTIONS]', "do one task and print the answer; what is piped in is added to the prompt"],
  ["ikigai COMMAND …", "see below; ikigai COMMAND --help explains one"],
] as const;
