// A command of ikigai that speaks JSON-RPC over stdin and stdout, as another program starts it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { ikigai } from "./measure.mjs";

/**
 * Starts it.
 *
 * @param args the command and its options
 * @param place the working directory and the home
 * @returns `ask(id, method, params)`, which resolves to the result, and `end()`
 */
export function startServer(args, { cwd, home }) {
  const { PATH, NODE_EXTRA_CA_CERTS } = process.env;
  const env = { PATH, HOME: home, ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }) };
  const child = spawn(process.execPath, [ikigai, ...args], { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result, error } = JSON.parse(line);
    waiting.get(id)?.(error ? Promise.reject(new Error(error.message)) : result);
    waiting.delete(id);
  });
  return {
    ask(id, method, params) {
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      return new Promise((settle) => waiting.set(id, settle));
    },
    async end() {
      child.stdin.end();
      await once(child, "close");
    },
  };
}

export const mcpHello = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
};

/**
 * Starts `ikigai mcp serve`.
 *
 * @returns `call`, which calls a tool and rejects if that fails, `ask`, which resolves to what the client gets (its text, the document in
 * it, and the code of an error), and `end()`
 */
export async function startMcp(place, ...options) {
  const server = startServer(["mcp", "serve", ...options], place);
  await server.ask("hello", "initialize", mcpHello);
  let calls = 0;
  const result = (name, args) => server.ask(++calls, "tools/call", { name, arguments: args });
  return {
    async call(name, args) {
      const answer = await result(name, args);
      if (answer.isError) throw new Error(JSON.stringify(answer));
    },
    async ask(name, args) {
      const { content, structuredContent, isError } = await result(name, args);
      const text = content.map((block) => block.text ?? "").join("\n");
      const document = structuredContent ?? parsed(text);
      return { text, document, error: isError ? (document?.error_code ?? "ERROR") : undefined };
    },
    end: server.end,
  };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
