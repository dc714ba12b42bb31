import { chmodSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execute, type RegisteredTool, type SandboxSettings } from "@ikigai/core";
import { type Inspection, inspectText, packageName, type ServerEntry, toolPrefix } from "@ikigai/mcp";
import { isJsonObject, type JsonObject, type ToolNeeds } from "@ikigai/protocol";
import { makePrivateDirectory, privateDirectoryMode, privateFileMode, tellingLine } from "@ikigai/system";
import { bridgePath } from "../bridge-path.ts";
import { version } from "../version.ts";

/** What to ask, and how. */
export interface ListRequest {
  readonly name: string;
  /** Without secrets, which are in its data directory. */
  readonly entry: ServerEntry;
  readonly isLiteral: boolean;
  /** The environment variables that its entry names. */
  readonly variables: readonly string[];
  /** What it needs besides them in the sandbox. */
  readonly needs: ToolNeeds | undefined;
  /** The directory of the conversation. */
  readonly own: string;
  readonly dataDir: string;
  readonly places: { readonly home: string; readonly projectDir: string };
  readonly env: NodeJS.ProcessEnv;
  readonly sandbox: SandboxSettings | undefined;
  readonly sessionId: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The longest list, in bytes: 200 tools take less than half of it. */
const maxListBytes = 4 * 1_048_576;

/** How long the program that speaks MCP gets to end a server that says nothing, in milliseconds. */
const reserveMs = 3_000;

/** What the server has; or why it cannot be used, a sentence. */
export type Listed = Inspection | { readonly problem: string };

/**
 * Starts a server, lists its tools, and ends it. It runs as a tool's call does: in the same sandbox, with a limit, and it does not
 * outlive ikigai.
 */
export async function listServer(request: ListRequest): Promise<Listed> {
  const { name, entry, isLiteral, dataDir, places, timeoutMs } = request;
  const tool = listingTool(request);
  const asked = {
    ...{ name, entry, isLiteral, dataDir, packageDir: dirname(tool.path), projectDir: places.projectDir },
    loginCommand: `ikigai mcp add ${name} URL`,
    timeoutMs: Math.max(1, timeoutMs - reserveMs),
  };
  const { env, sandbox, sessionId, signal, own } = request;
  const { envelope, overflowFile } = await execute(tool, JSON.stringify(asked), {
    ...{ cwd: places.projectDir, projectDir: places.projectDir, home: places.home, env, sandbox, sessionId, signal },
    ...{ timeoutMs, maxOutputBytes: maxListBytes, overflowDir: join(own, "outputs"), serve: false },
  });
  if (overflowFile !== undefined) return tooLong(name);
  if (envelope.tool_success) return answerOf(envelope.result);
  if (envelope.error_code === "OUTPUT_TOO_LARGE") return tooLong(name);
  if (envelope.error_code === "TOOL_TIMEOUT" || envelope.error_code === "TOOL_CANCELLED")
    return { problem: `The MCP server ${name} did not list its tools in time.` };
  const said = tellingLine(envelope.stderr);
  const printed = said === "" ? "" : ` It printed: ${said}`;
  return { problem: `Cannot list what the MCP server ${name} offers: ${envelope.error}.${printed}` };
}

/** The program that asks, as a tool of the conversation. Discovery does not find it. */
function listingTool({ name, own, variables, needs }: ListRequest): RegisteredTool {
  const path = join(own, "packages", packageName(name), "inspect");
  makePrivateDirectory(dirname(path));
  writeFileSync(path, inspectText({ node: process.execPath, bridge: bridgePath, version }), { mode: privateFileMode });
  chmodSync(path, privateDirectoryMode);
  const toolName = `${toolPrefix(name)}list`;
  const schema = { name: toolName, description: "", parameters: {}, ikigai: { needs: { ...needs, env: variables } } };
  const identity = { realPath: path, stamp: "" };
  return { name: toolName, path, scope: "user", schema, identity, shadows: [], warnings: [], home: own };
}

function answerOf(answer: JsonObject): Listed {
  const { error, help } = answer;
  // The program that speaks MCP is ours.
  if (typeof error !== "string") return answer as unknown as Inspection;
  const steps = isJsonObject(help) && Array.isArray(help.steps) ? help.steps : [];
  return { problem: steps.length === 0 ? error : `${error} To fix it: ${steps.join("; ")}` };
}

function tooLong(name: string): Listed {
  return { problem: `The MCP server ${name} has a list of more than ${maxListBytes} bytes.` };
}
