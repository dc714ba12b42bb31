import { tempDir } from "@ikigai/testing";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { bin, cleanEnv } from "./ikigai.ts";
import { type Peer, type PeerMessage, startPeer } from "./json-rpc-peer.ts";

export interface ServeOptions {
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly home?: string;
}

/** A client of the SDK, connected to `ikigai mcp serve`. */
export async function connect(
  { args = [], cwd, home }: ServeOptions = {},
  era: "legacy" | "auto" = "auto",
): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, "mcp", "serve", ...args],
    env: await cleanEnv(home),
    cwd: cwd ?? (await tempDir()),
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1.2.3" }, { versionNegotiation: { mode: era } });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

/** A JSON-RPC message of ikigai, with the fields that tests read; which of them there are depends on the method. */
interface McpMessage extends PeerMessage {
  readonly result?: {
    readonly protocolVersion?: string;
    readonly content?: readonly { readonly text: string }[];
    readonly isError?: boolean;
    readonly structuredContent?: { readonly bytes?: number };
  };
}

/** A client that may send anything. */
export async function rawClient({ args = [], cwd, home }: ServeOptions = {}): Promise<Peer<McpMessage>> {
  return startPeer({ args: ["mcp", "serve", ...args], cwd: cwd ?? (await tempDir()), home });
}

/** The parameters of a `tools/call`. */
export function calling(name: string, args: Record<string, unknown> = {}) {
  return { name, arguments: args };
}
