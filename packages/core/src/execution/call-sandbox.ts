import { sandboxPlace } from "../place/sandbox/sandbox-place.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import type { CallSandbox, ExpectedCall } from "./call-options.ts";
import { dataDirectory } from "./data-directory.ts";

/**
 * Returns the sandbox for a call of this tool; `undefined` without sandbox settings, and for a tool behind a launcher.
 *
 * @param known reused if it was made for the same inputs.
 */
export function callSandbox(tool: RegisteredTool, options: ExpectedCall, known?: CallSandbox): CallSandbox | undefined {
  const { projectDir, sandbox, home, env = process.env } = options;
  const { path, identity, scope, shadowed, schema, launcher } = tool;
  if (!sandbox || launcher) return undefined;
  const toolFiles = [path, identity.realPath, ...(shadowed === undefined ? [] : [shadowed])];
  const wantedKeys = scope === "project" ? [] : schema.ikigai?.env;
  const dataDir = home === undefined ? undefined : dataDirectory(tool, { home, projectDir });
  const key = JSON.stringify([projectDir, sandbox, toolFiles, wantedKeys, dataDir, env]);
  if (known?.key === key) return known;
  return { key, place: sandboxPlace(sandbox, { projectDir, isReadOnly: false, toolFiles, wantedKeys, dataDir }) };
}
