import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { JsonObject, JsonValue } from "@ikigai/protocol";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { shortened, statusFailure } from "../src/bridge/bridge-error.ts";
import { untilComplete } from "../src/bridge/call-server.ts";
import { type Connection, ServerStderr } from "../src/bridge/connect.ts";
import { limitedBody } from "../src/bridge/http/http-fetch.ts";
import { listTools, serverInfo } from "../src/bridge/inspect.ts";
import { serverPlace } from "../src/bridge/server-place.ts";
import { toolSchemaLine } from "../src/definitions/define-tools.ts";
import { readListedTool } from "../src/definitions/listed-tool.ts";
import { nameServers } from "../src/definitions/server-names.ts";
import { readServerConfig } from "../src/server/read-server-config.ts";
import { readSecrets, writeSecrets } from "../src/server/secrets-file.ts";

const x = (length: number) => "x".repeat(length);

/** An object with so many levels below it. */
function nested(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

const dir = await tempDir();
const place = serverPlace({
  name: "test",
  entry: { command: "true", args: [], env: {} },
  packageDir: dir,
  dataDir: dir,
  env: {},
  projectDir: dir,
});

/** Connected to a server that lists this on each of so many pages. */
function connected(tools: readonly JsonValue[], pages = 1) {
  let page = 0;
  const client = {
    getServerCapabilities: () => ({ tools: {} }),
    getServerVersion: () => ({ name: tools[0], version: tools[0] }),
    request: async () => ({ tools, ...(++page < pages && { nextCursor: String(page) }) }),
  };
  return { client, lastWords: () => "" } as unknown as Connection;
}

const isListed = async (tools: readonly JsonValue[], pages = 1) =>
  listTools(connected(tools, pages), place, 1_000).then(
    (listed) => listed.length === tools.length * pages,
    () => false,
  );

const tool = (more: JsonObject = {}) => ({ name: "t", inputSchema: {}, ...more });

const isAnswered = async (result: (round: number) => object) => {
  let round = 0;
  const send = async () => result(++round);
  const time = { timeoutMs: 1_000, signal: new AbortController().signal };
  return untilComplete(place, time, send).then(
    () => true,
    () => false,
  );
};

const asked = { resultType: "input_required", inputRequests: { where: { method: "roots/list" } } };

async function bytesRead(length: number, facts: object): Promise<boolean> {
  const message = Object.assign(Readable.from([Buffer.alloc(length)]), { headers: {}, ...facts });
  try {
    for await (const _ of limitedBody(message as unknown as IncomingMessage, (error) => error));
    return true;
  } catch {
    return false;
  }
}

const written = (line: string) => {
  let text = "";
  const lines = new ServerStderr([], (part) => {
    text += part;
  });
  lines.push(`${line}\n`);
  return text.length - 1;
};

const shared = (length: number) => nameServers([x(length), x(length).toUpperCase()])[0];

const shownName = (length: number) => {
  const read = readServerConfig(JSON.stringify({ mcpServers: { [x(length)]: { command: "x" } } }), {
    directory: "/",
    projectDir: "/",
  });
  return "servers" in read ? read.servers[0]?.given : undefined;
};

test.each<[string, number, (size: number) => unknown]>([
  ["characters in the name of a listed tool", 1_000, (size) => readListedTool(tool({ name: x(size) })) !== undefined],
  ["tools in a list", 5_000, (size) => isListed(Array(size).fill(tool()))],
  ["pages of a list", 64, (size) => isListed([tool()], size)],
  [
    "bytes in a list",
    16 * 1_048_576,
    (size) => isListed([tool({ title: x(size - JSON.stringify(tool({ title: "" })).length) })]),
  ],
  ["levels in a listed tool", 1_000, (size) => isListed([tool({ inputSchema: nested(size - 1) })])],
  [
    "characters in the name of a server as it calls itself",
    100,
    (size) => serverInfo(connected([x(size)]))?.name.length === size,
  ],
  ["characters in the version of a server", 100, (size) => serverInfo(connected([x(size)]))?.version.length === size],
  [
    "bytes in a schema that is shortened",
    262_144,
    (size) => {
      const schema = (length: number) => ({ type: "object", $comment: x(length) });
      // With its line break.
      const empty = JSON.stringify(schema(0)).length + 1;
      const target = { name: "t", server: "s", variables: [], hasHeaders: false };
      return "line" in toolSchemaLine({ name: "t", inputSchema: schema(size - empty) }, target);
    },
  ],
  ["characters before the hash in a server's name", 13, (size) => shared(size)?.startsWith(`${x(size)}-`)],
  ["characters of a given name that count", 200, (size) => nameServers([`${" ".repeat(size - 1)}x`])[0] === "x"],
  ["characters of a server's name that are shown", 60, (size) => shownName(size) === x(size)],
  [
    "bytes of secrets",
    1_048_576,
    (size) => {
      const around = `${JSON.stringify({ k: "" })}\n`.length;
      writeSecrets(dir, { k: x(size - around) });
      return readSecrets(dir).k !== undefined;
    },
  ],
  ["rounds of questions", 10, (size) => isAnswered((round) => (round < size ? asked : {}))],
  ["levels in an answer", 1_000, (size) => isAnswered(() => nested(size))],
  ["characters in a line of stderr", 8_192, (size) => written(x(size)) === size],
  ["characters of a body in an error", 200, (size) => statusFailure(500, x(size)).message.endsWith(`: ${x(size)}`)],
  ["characters of a server's text in an error", 1_000, (size) => shortened(x(size)) === x(size)],
  ["bytes of a response that reports an error", 262_144, (size) => bytesRead(size, { statusCode: 500 })],
  ["bytes of another response", 64 * 1_048_576, (size) => bytesRead(size, { statusCode: 200 })],
])("%s: %i, and not one more", async (_, most, fits) => {
  expect([await fits(most), await fits(most + 1)]).toEqual([true, false]);
});
