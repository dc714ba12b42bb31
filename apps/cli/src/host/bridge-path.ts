import { fileURLToPath } from "node:url";

/** The program that speaks MCP. The build puts it next to dist/, which contains this file. */
export const bridgePath = fileURLToPath(new URL("../libexec/ikigai-mcp/bridge.mjs", import.meta.url));

/** Names it to the tools of MCP servers, whose own may be gone: that of an ikigai that has been moved since they were added. */
export function putBridgeInEnvironment(env: NodeJS.ProcessEnv): void {
  env.IKIGAI_MCP_BRIDGE = bridgePath;
}
