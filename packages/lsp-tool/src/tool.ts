// The tool: answers a model about a symbol or a file, and the host about what an edit breaks.

import { existsSync } from "node:fs";
import { checkPath } from "@ikigai/tool-files";
import { defineService, defineTool, ToolFailure } from "@ikigai/tool-sdk";
import { actions, rename } from "./change.ts";
import type { LanguageServer } from "./language-server.ts";
import { definition, hover, references, symbols } from "./look-up.ts";
import { problemText } from "./problems.ts";
import { output, parameters } from "./schema.ts";
import { extensionOf, programsByExtension } from "./servers.ts";
import { type EditReport, Workspace } from "./workspace.ts";

/** How long an edit waits to be checked, in milliseconds: less than the host does. */
const editMs = 1_400;

/** How many new problems a report names. */
const maxNew = 10;

/** What a host adds to the action `diagnostics`: see agent/src/turn/edit-check.ts. The schema shows it to no model. */
interface HostArguments {
  /** `false`: the file was read and may be edited next, so its server starts. There is nothing to answer. */
  readonly wait?: unknown;
  /** The file's text before an edit, `false` if it did not exist; `true` if any file of the project may have changed. */
  readonly before?: unknown;
}

const hostArguments = ["before", "wait"] as const satisfies readonly (keyof HostArguments)[];

export const lspTool = defineTool({
  name: "lsp",
  description:
    "Ask the language server about a symbol, named by its line and text: definition, references, hover, rename in all files. Or about a file: symbols (with symbol: those of the project that match), diagnostics, actions for a line, such as quick fixes. For plain text use grep. What an edit breaks comes with its result anyway.",
  parameters,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  errorCodes: ["NO_SERVER", "SERVER_FAILED"],
  ikigai: {
    access: { kind: "read-file", path: "path" },
    answerBytes: 12_000,
    timeoutMs: 90_000,
    diagnostics: programsByExtension(),
  },
  service: defineService({
    name: "lsp",
    open: () => new Workspace(),
    close: (workspace) => workspace.close(),
  }),
  accepts: hostArguments,
  async run({ action, path: given, line, symbol, new_name, title, apply = false, ...others }, { state, fail }) {
    const path = state.fileOf(checkPath("path", given));
    const forHost = action === "diagnostics" ? await answerHost(state, path, others) : undefined;
    if (forHost) return forHost;
    if (!existsSync(path)) return fail("FILE_NOT_FOUND", "File not found");
    if (action === "diagnostics") return listed(state, path, fail);
    const watcher = state.serverFor(path);
    if (!watcher) return fail("NO_SERVER", `No language server for .${extensionOf(path)} files is installed`);
    const spot = { path, line, symbol };
    const wish = { apply, path, projectDir: state.projectDir };
    const work = async (server: LanguageServer) => {
      switch (action) {
        case "definition":
          return definition(server, spot, state.projectDir);
        case "references":
          return references(server, spot, state.projectDir);
        case "hover":
          return hover(server, spot);
        case "symbols":
          return symbols(server, spot, state.projectDir);
        case "rename":
          return rename(server, spot, new_name, wish);
        case "actions":
          return actions(server, spot, title, wish);
        default:
          return action satisfies never;
      }
    };
    try {
      return await watcher.use(path, work);
    } catch (error) {
      if (error instanceof ToolFailure) throw error;
      return fail("SERVER_FAILED", `The language server failed: ${(error as Error).message}`);
    }
  },
});

/** Answers what a host asks after a call; `undefined` if a model asks. */
async function answerHost(workspace: Workspace, path: string, { wait, before }: HostArguments) {
  if (wait === false) {
    workspace.opened(path);
    return {};
  }
  if (before === true) return reported(await workspace.changed(editMs));
  if (before === false) return reported(await workspace.edited(path, null, editMs));
  return typeof before === "string" ? reported(await workspace.edited(path, before, editMs)) : undefined;
}

async function listed(workspace: Workspace, path: string, fail: (code: "NO_SERVER", message: string) => never) {
  const problems = await workspace.problemsOf(path);
  if (!problems) return fail("NO_SERVER", `Nothing that checks .${extensionOf(path)} files is installed`);
  return { output: problems.map(problemText).join("\n"), count: problems.length };
}

function reported({ added, fixed, isPending }: EditReport) {
  return {
    new: added.slice(0, maxNew),
    ...(added.length > maxNew && { more: added.length - maxNew }),
    fixed,
    ...(isPending && { pending: true }),
  };
}
