import { fileURLToPath } from "node:url";

/** The program that speaks MCP. The build puts it next to dist/, which contains this file. */
export const bridgePath = fileURLToPath(new URL("../libexec/ikigai-mcp/bridge.mjs", import.meta.url));
