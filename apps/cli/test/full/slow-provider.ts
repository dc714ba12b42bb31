import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A provider whose list of models takes some time, in milliseconds. */
export async function slowProvider(ms: number): Promise<Readonly<Record<string, string>>> {
  const server = createServer((_, response) => {
    const models = { object: "list", data: [{ id: "m" }, { id: "sonnet" }] };
    setTimeout(() => response.setHeader("content-type", "application/json").end(JSON.stringify(models)), ms);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1` };
}
