import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type Progress } from "@ikigai/protocol";
import { makePrivateDirectory, privateFileMode } from "@ikigai/system";
import type { RequestOptions, Progress as ServerProgress } from "@modelcontextprotocol/client";
import { removeOldest } from "../server/remove-oldest.ts";
import type { AddedTool } from "../server/server-file.ts";
import type { Connection } from "./connect.ts";
import { shortened } from "./error-words.ts";
import { requestFailure } from "./request-failure.ts";
import type { ServerPlace } from "./server-place.ts";
import { resourceText, type SaveFile, toAnswer } from "./to-answer.ts";
import { untilComplete } from "./until-complete.ts";

/** A call of a server's tool. */
interface ServerCall {
  readonly tool: AddedTool;
  readonly arguments: JsonObject;
  /** How long it may take, in milliseconds. Progress does not extend it. */
  readonly timeoutMs: number;
  /** Cancels it, also on the server. */
  readonly signal: AbortSignal;
  readonly report: (progress: Progress) => void;
}

/**
 * Makes one call, once: the library would repeat one that it gives no definition of.
 *
 * @returns the answer.
 * @throws BridgeError; the signal's reason.
 */
export async function callServer(connection: Connection, place: ServerPlace, call: ServerCall): Promise<JsonObject> {
  const { signal, tool } = call;
  const onprogress = reporting(call.report);
  const options = (timeoutMs: number) => ({
    signal,
    timeout: timeoutMs,
    maxTotalTimeout: timeoutMs,
    onprogress,
    allowInputRequired: true,
  });
  try {
    await connection.rootsTaken();
    signal.throwIfAborted();
    if (tool.isResource) return await readResources(connection, place, call, options);
    const { name, inputSchema } = tool.definition;
    // Without the schema of the answer, which the library would check and then drop the answer.
    const toolDefinition = { name, inputSchema: { ...inputSchema, type: "object" as const } };
    const result = await untilComplete(place, call, (answers, timeoutMs) => {
      const params = { name, arguments: call.arguments, ...answers };
      return connection.client.callTool(params, { ...options(timeoutMs), toolDefinition });
    });
    const answer = toAnswer(result, saveBelow(place.dataDir));
    const isMissingFile = /\bENOENT\b|no such file/i.test(String(answer.error ?? ""));
    if (!isMissingFile || !("cwd" in place.target)) return answer;
    return { ...answer, hint: `The MCP server runs in ${place.target.cwd}: give it absolute paths.` };
  } catch (error) {
    signal.throwIfAborted();
    throw await requestFailure(connection, place, error, "call");
  }
}

/** Lists the resources of a server, or reads one. */
async function readResources(
  { client }: Connection,
  place: ServerPlace,
  call: ServerCall,
  options: (timeoutMs: number) => RequestOptions,
): Promise<JsonObject> {
  const { uri } = call.arguments;
  const cacheMode = "bypass";
  const save = saveBelow(place.dataDir);
  if (typeof uri === "string") {
    const { contents } = await untilComplete(place, call, (answers, timeoutMs) =>
      client.readResource({ uri, ...answers }, { ...options(timeoutMs), cacheMode }),
    );
    const parts = Array.isArray(contents) ? contents.filter(isJsonObject) : [];
    return { output: parts.map((part) => resourceText(part, save)).join("\n") };
  }
  const { resources } = await untilComplete(place, call, (_, timeoutMs) =>
    client.listResources(undefined, { ...options(timeoutMs), cacheMode }),
  );
  const lines = (Array.isArray(resources) ? resources.filter(isJsonObject) : []).map(
    ({ uri: address, name, description }) =>
      [address, name, description].filter((part) => typeof part === "string").join("  "),
  );
  return { output: lines.join("\n") };
}

/** How many reports of progress are passed on in a second: a server may send any number. */
const maxReports = 50;

/** Passes on what the protocol has of reports of progress. */
function reporting(report: ServerCall["report"]): (progress: ServerProgress) => void {
  let [reports, sinceMs] = [0, 0];
  return ({ progress, total, message }) => {
    const nowMs = performance.now();
    if (nowMs - sinceMs > 1_000) [reports, sinceMs] = [0, nowMs];
    if (++reports > maxReports) return;
    report({
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message: shortened(message) }),
    });
  };
}

/** How many files of results are kept; the oldest go first. A result cannot have more. */
const maxFiles = 64;

/** The name of a file: other files in the directory are not ours. */
const ownName = /^\d+-\d+-\d+\.[a-z0-9]+$/;

const endings: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "application/json": "json",
  "application/pdf": "pdf",
  "text/plain": "txt",
};

/** Returns a function that stores what comes with results below a data directory. @throws the system's error when it is called. */
function saveBelow(dataDir: string): SaveFile {
  let saved = 0;
  return (bytes, mimeType) => {
    if (saved === maxFiles) return undefined;
    const directory = join(dataDir, "files");
    makePrivateDirectory(directory);
    const ending = Object.hasOwn(endings, mimeType) ? endings[mimeType] : "bin";
    const path = join(directory, `${Date.now()}-${process.pid}-${++saved}.${ending}`);
    writeFileSync(path, bytes, { mode: privateFileMode, flag: "wx" });
    removeOldest(directory, maxFiles, ownName);
    return path;
  };
}
