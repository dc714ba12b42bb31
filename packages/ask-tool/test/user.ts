import { spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { ownExecutable } from "@ikigai/testing";

export const bin = ownExecutable(import.meta.url);

/** Says what a host writes for a request; `undefined`: it closes the connection. */
export type Host = (request: JsonObject) => string | undefined;

/** Calls the tool under a host. Returns its answer and the requests that it made. */
export async function askUser(args: object, host: Host, methods = "ask") {
  const env = { ...process.env, IKIGAI_HOST_METHODS: methods };
  const child = spawn(bin, [], { env, stdio: ["pipe", "pipe", "inherit", "pipe"] });
  const socket = child.stdio[3] as Duplex;
  const requests: JsonObject[] = [];
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk;
    for (let end = received.indexOf("\n"); end >= 0; end = received.indexOf("\n")) {
      const request: unknown = JSON.parse(received.slice(0, end));
      received = received.slice(end + 1);
      if (!isJsonObject(request)) throw new Error("not an object");
      requests.push(request);
      const reply = host(request);
      if (reply === undefined) socket.destroy();
      else socket.write(reply);
    }
  });
  let stdout = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stdin?.end(JSON.stringify(args));
  const exitCode = await new Promise((settle) => child.once("close", settle));
  return { exitCode, result: stdout === "" ? undefined : JSON.parse(stdout), requests };
}

/** A host whose user answers this. */
export const answering =
  (result: object): Host =>
  ({ id }) =>
    `${JSON.stringify({ id, result })}\n`;
