// The program that another agent starts for an exported tool: `node exported-tool.mjs FILE NAME` serves the tool over MCP; with
// `--call`, it reads the arguments of one call from stdin, writes MCP's result to stdout and ends. It needs no other file of ikigai.
// The directory above its own is the user's: a tool finds the data there that it has in ikigai. With `--shell`, it is the command of a
// tool in the shells of a conversation: the words are its arguments, and IKIGAI_HOME is the user's directory. `--log FILE` before these adds
// the answers to a file: `ikigai tool export --check` compares them with what the agent's model got.

import { appendFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { withImages } from "@ikigai/agent/internal";
import { callTool, discover, type ExecuteOptions, findTool, type Outcome, type Registry } from "@ikigai/core";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { UsageError } from "../args/usage-error.ts";
import { explainCall, printedInShell, readArguments } from "../help/call-words.ts";
import { exitCodes } from "../host/terminal/exit.ts";
import { callResult, createServer } from "./create-server.ts";
import { clientTransport } from "./stdio-transport.ts";

const [file = "", name = "", ...rest] = process.argv.slice(2);
const [mark, log] = rest;
const [mode, ...words] = mark === "--log" ? rest.slice(2) : rest;
const { IKIGAI_HOME, IKIGAI_TOOL_SCOPE } = process.env;
const home = (mode === "--shell" && IKIGAI_HOME) || dirname(dirname(fileURLToPath(import.meta.url)));
const isProject = mode === "--shell" && IKIGAI_TOOL_SCOPE === "project";
/** A project's tools are in its `.ikigai/tools`. */
const projectDir = isProject ? dirname(dirname(dirname(file))) : process.cwd();
const directory = { path: dirname(file), scope: "user", only: basename(file) } as const;
/** Where the tool may put files for the model. */
const overflowDir = join(tmpdir(), `ikigai-export-${process.pid}`);
process.on("exit", () => rmSync(overflowDir, { recursive: true, force: true }));
const ending = new AbortController();
const calls = new Set<Promise<unknown>>();

/** Reads the tool's description again if its file has changed. */
async function currentTool() {
  const registry = await discover({ home, projectDir, directories: [directory] });
  // The sandbox hides the user's approvals. A conversation has commands only of what is approved.
  return isProject
    ? { ...registry, tools: registry.tools.map((tool) => ({ ...tool, scope: "project" as const })) }
    : registry;
}

async function call(args: string, options: Pick<ExecuteOptions, "signal" | "onProgress">) {
  const running = currentTool().then((registry) =>
    seenBy(registry, callTool(registry, name, args, { ...options, home, overflowDir, answerBytes: "declared" })),
  );
  calls.add(running);
  return running.finally(() => calls.delete(running));
}

/** Runs it as a command; returns the exit code. */
async function runInShell(): Promise<number> {
  const registry = await currentTool();
  const tool = findTool(registry, name);
  if (!tool) {
    const { detail = "it is gone" } = registry.failed[0] ?? {};
    process.stderr.write(`${name}: ${detail}\n`);
    return exitCodes.failed;
  }
  if (words.some((word) => word === "--help" || word === "-h")) {
    process.stdout.write(explainCall(name, tool.schema, { isProgram: true }));
    return exitCodes.done;
  }
  const args = await readArguments({ name, tool, words, cwd: process.cwd(), command: name });
  const outcome = await callTool(registry, name, args ?? "", { home, projectDir, signal: ending.signal });
  const { stdout, stderr, exitCode } = printedInShell(name, outcome, tool.plain !== undefined);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  return exitCode;
}

/** With the images that the answer names: files of the project, of the tool's data or of this process's temporary directory. */
async function seenBy(registry: Registry, running: Promise<Outcome>) {
  const [outcome, tool] = [await running, findTool(registry, name)];
  const cwd = process.cwd();
  const seen = tool ? withImages(outcome, tool, { cwd, projectDir, home, sandbox: undefined, overflowDir }) : outcome;
  if (mark === "--log" && log !== undefined) {
    const { content, isError = false } = callResult(seen);
    const [first] = content;
    appendFileSync(log, `${JSON.stringify({ text: first?.type === "text" ? first.text : "", isError })}\n`);
  }
  return seen;
}

async function stop(): Promise<void> {
  ending.abort();
  await Promise.allSettled(calls);
}

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
  process.once(signal, () => void stop().then(() => process.exit(1)));

if (mode === "--shell") {
  const running = runInShell().catch((error: Error) => {
    process.stderr.write(`${name}: ${error.message}\n`);
    return error instanceof UsageError ? exitCodes.usage : exitCodes.bug;
  });
  calls.add(running);
  process.exitCode = await running;
} else if (mode === "--call") {
  process.stdout.write(JSON.stringify(callResult(await call(await text(process.stdin), { signal: ending.signal }))));
} else {
  const transport = clientTransport(stop);
  serveStdio(
    () =>
      createServer({
        async tools() {
          const registry = await currentTool();
          const tool = findTool(registry, name);
          for (const { path, detail } of registry.failed) process.stderr.write(`${path} cannot be used: ${detail}\n`);
          return tool ? [tool] : [];
        },
        listed() {},
        call: ({ arguments: args, signal, onProgress }) =>
          call(args, { signal: AbortSignal.any([signal, ending.signal]), onProgress }),
      }),
    { transport },
  );
  await transport.ended;
}
