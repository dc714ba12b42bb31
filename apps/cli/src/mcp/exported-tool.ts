// The program that another agent starts for an exported tool: `node exported-tool.mjs FILE NAME` serves the tool over MCP; with
// `--call`, it reads the arguments of one call from stdin, writes MCP's result to stdout and ends. It needs no other file of ikigai.
// The directory above its own is the user's: a tool finds the data there that it has in ikigai.

import { basename, dirname } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { callTool, discover, type ExecuteOptions, findTool } from "@ikigai/core";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { callResult, createServer } from "./create-server.ts";
import { clientTransport } from "./stdio-transport.ts";

const [file = "", name = "", mode] = process.argv.slice(2);
const home = dirname(dirname(fileURLToPath(import.meta.url)));
const directory = { path: dirname(file), scope: "user", only: basename(file) } as const;
const ending = new AbortController();
const calls = new Set<Promise<unknown>>();

/** Reads the tool's description again if its file has changed. */
function currentTool() {
  return discover({ home, directories: [directory] });
}

async function call(args: string, options: Pick<ExecuteOptions, "signal" | "onProgress">) {
  const running = currentTool().then((registry) =>
    callTool(registry, name, args, { ...options, home, answerBytes: "declared" }),
  );
  calls.add(running);
  return running.finally(() => calls.delete(running));
}

async function stop(): Promise<void> {
  ending.abort();
  await Promise.allSettled(calls);
}

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
  process.once(signal, () => void stop().then(() => process.exit(1)));

if (mode === "--call") {
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
