// What this installation consists of: its programs, the clone that it was built in, its version.

import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isProgram } from "@ikigai/system/paths";

/** The command's own program, which runs agents. The build puts it beside the file that contains this one. */
export const binPath = fileURLToPath(new URL("ikigai.js", import.meta.url));

/** The program that other agents start for an exported tool. */
export const exportedToolPath = fileURLToPath(new URL("exported-tool.mjs", import.meta.url));

/** The directory with the tools as commands of the user's shell. @param home the user's directory. */
export function commandsOfUser(home: string): string {
  return join(home, "bin");
}

/** The program that speaks MCP. The build puts it next to dist/, which contains this file. */
export const bridgePath = fileURLToPath(new URL("../libexec/ikigai-mcp/bridge.mjs", import.meta.url));

/** Names it to the tools of MCP servers, whose own may be gone: that of an ikigai that has been moved since they were added. */
export function putBridgeInEnvironment(env: NodeJS.ProcessEnv): void {
  env.IKIGAI_MCP_BRIDGE = bridgePath;
}

/** The clone of the repository that this command was built in; `undefined` if it was installed. */
export function ownClone(): string | undefined {
  // The build puts this file into apps/cli/dist/.
  const root = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
  const marks = ["scripts/pack-libraries.mjs", "packages/tool-sdk/src/index.ts"];
  return marks.every((file) => existsSync(join(root, file))) ? root : undefined;
}

/** The default of shells if PATH is not set. */
const usualPath = "/usr/local/bin:/usr/bin:/bin";

/** Appends the current Node to PATH if PATH has none: the shipped tools begin with `#!/usr/bin/env node`. */
export function putNodeOnPath(env: NodeJS.ProcessEnv): void {
  const path = env.PATH || usualPath;
  // A relative entry could be in the project.
  if (
    path
      .split(":")
      .filter(isAbsolute)
      .some((directory) => isProgram(join(directory, "node")))
  )
    return;
  env.PATH = `${path}:${dirname(process.execPath)}`;
}

declare const IKIGAI_VERSION: string;

/** The version of `@ikigai/cli`, set by the build. */
export const version: string = IKIGAI_VERSION;
