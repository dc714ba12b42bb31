import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

const answers: Readonly<Record<string, (params: { arguments?: { message?: string } }) => object>> = {
  initialize: () => ({
    protocolVersion: "2024-11-05",
    capabilities: { tools: {} },
    serverInfo: { name: "old", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "echo", description: "Says it", inputSchema: { type: "object" } }] }),
  "tools/call": (params) => ({ content: [{ type: "text", text: `Echo: ${params.arguments?.message}` }] }),
};

/** A server that speaks HTTP with SSE, as those of 2024 do. */
export async function sseServer() {
  let stream: ServerResponse | undefined;
  const counts = { calls: 0 };
  const server = createServer(async (request, response) => {
    if (request.method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      return void stream.write("event: endpoint\ndata: /messages\n\n");
    }
    if (request.url !== "/messages") return void response.writeHead(405).end();
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const { id, method, params } = JSON.parse(text);
    if (method === "tools/call") counts.calls++;
    response.writeHead(202).end();
    const result = answers[method]?.(params);
    if (result) stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/sse`,
    get calls() {
      return counts.calls;
    },
    /** Ends the stream of events. */
    drop: () => stream?.end(),
  };
}
