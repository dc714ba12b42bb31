import { permissionModes } from "@ikigai/agent/permission-modes";
import type { Options } from "./option.ts";

export const outputFormats = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof outputFormats)[number];

export const sandboxOptions = {
  sandbox: { summary: "let tools change only the project, and reach only hosts that you allow" },
  "sandbox-network": { summary: "like --sandbox, with all hosts on the internet allowed" },
} as const satisfies Options;

/** What a conversation is held with, in the REPL, with `-p` and in an editor. */
export const conversationOptions = {
  model: {
    short: "m",
    value: "PROVIDER/MODEL",
    completes: "model",
    summary: "use this model, e.g. anthropic/claude-sonnet-5-5, or offline",
  },
  "max-turns": { value: "N", summary: "limit the requests to the model per message (default: 500)" },
  "permission-mode": {
    value: "MODE",
    oneOf: permissionModes,
    summary: "decide calls that no rule covers (default: auto if sandboxed, else ask; -p: ask)",
  },
  allow: {
    value: "RULE",
    repeated: true,
    completes: "rule",
    summary: 'allow calls, over configured rules: bash, or "bash(npm test*)"; can be repeated',
  },
  ...sandboxOptions,
} as const satisfies Options;

/** The options of ikigai itself, for the REPL and `-p`. */
export const mainOptions = {
  print: { short: "p", summary: "do one task and print the answer; calls that are not allowed are denied" },
  "output-format": { value: "FORMAT", oneOf: outputFormats, summary: "set what -p prints (default: text)" },
  "output-schema": {
    value: "FILE",
    completes: "file",
    summary: "with -p: answer with JSON that fits the JSON Schema in FILE",
  },
  ...conversationOptions,
  mcp: {
    value: "FILE",
    repeated: true,
    completes: "file",
    summary: "use the MCP servers in FILE for this conversation; can be repeated",
  },
  replay: {
    value: "SESSION",
    completes: "session",
    summary: "with -p: replay SESSION without running tools; with --model, that model answers",
  },
  continue: { short: "c", summary: "continue this directory's last conversation; with -p, also what -p did last" },
  resume: {
    short: "r",
    value: "ID",
    valueOptional: true,
    completes: "session",
    summary: "resume a session; without an ID, choose one",
  },
  fork: { summary: "with --continue or --resume: work on a copy" },
  plain: { summary: "print lines instead of the full screen" },
  help: { short: "h", summary: "show help" },
  version: { short: "v", summary: "print the version" },
} as const satisfies Options;

/** The ways to call ikigai. */
export const synopsis = [
  ['ikigai [OPTIONS] ["PROMPT"]', "start a conversation, optionally with PROMPT"],
  ['ikigai -p "PROMPT" [OPTIONS]', "do one task and print the answer; piped input is added to the prompt"],
  ["ikigai COMMAND …", "run a command; ikigai COMMAND --help explains it"],
] as const;
