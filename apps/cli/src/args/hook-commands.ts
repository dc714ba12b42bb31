import type { HookEvent } from "@ikigai/core/internal";
import type { CommandSyntax } from "./option.ts";

/** The events of hooks, in the order of a session. Repeated here, because core is not loaded to read a command line. */
export const hookEventWords = [
  "session-start",
  "prompt",
  "before-call",
  "question",
  "after-call",
  "stop",
  "session-end",
] as const satisfies readonly HookEvent[];

/** The subcommands about hooks. */
export const hookCommands = {
  "hook list": {
    name: "hook list",
    summary: "list the hooks, and those that cannot be run",
    operands: [],
    options: { json: { summary: "print JSON" } },
  },
  "hook test": {
    name: "hook test",
    summary: "run the hooks of an event, and show their answers",
    operands: [
      { name: "EVENT", oneOf: hookEventWords },
      { name: "JSON | -", isOptional: true },
    ],
    options: {
      tool: { value: "NAME", completes: "tool", summary: "the tool that is called, for before-call and after-call" },
    },
  },
} as const satisfies Readonly<Record<string, CommandSyntax>>;
