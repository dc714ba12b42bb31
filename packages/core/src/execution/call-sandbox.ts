import { sandboxPlace } from "../place/sandbox/sandbox-place.ts";
import type { SandboxSettings } from "../place/sandbox/sandbox-policy.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { type Catalog, catalogFor } from "../skills/catalog.ts";
import type { CallSandbox, ExpectedCall } from "./call-options.ts";
import { dataDirectory } from "./data-directory.ts";
import { stateDirectory } from "./state-directory.ts";

/**
 * Returns the sandbox for a call of this tool; `undefined` without sandbox settings, and for a tool behind a launcher.
 *
 * @param known reused if it was made for the same inputs.
 */
export function callSandbox(tool: RegisteredTool, options: ExpectedCall, known?: CallSandbox): CallSandbox | undefined {
  const { projectDir, home, env = process.env } = options;
  const sandbox = withCatalog(options.sandbox, catalogFor(tool, options));
  const { path, identity, scope, shadowed, schema, launcher } = tool;
  if (!sandbox || launcher) return undefined;
  const toolFiles = [path, identity.realPath, ...(shadowed === undefined ? [] : [shadowed])];
  const wantedKeys = scope === "project" ? [] : schema.ikigai?.env;
  const dataDir = home === undefined ? undefined : dataDirectory(tool, { home, projectDir });
  const stateDir = stateDirectory(tool, options);
  const key = JSON.stringify([projectDir, sandbox, toolFiles, wantedKeys, dataDir, stateDir, env]);
  if (known?.key === key) return known;
  const own = { ...(mayConnect(tool) && { tool: tool.name }), projectDir, toolFiles, wantedKeys, dataDir, stateDir };
  return { key, place: sandboxPlace(sandbox, own) };
}

/** Whether a tool gets to the network of its sandbox. The tools of ikigai that declare a file need none. */
function mayConnect({ scope, schema: { ikigai } }: RegisteredTool): boolean {
  return scope !== "system" || ikigai?.access === undefined || ikigai.access.kind === "run-command";
}

/** A tool that loads skills sees them. */
function withCatalog(sandbox: SandboxSettings | undefined, catalog: Catalog | undefined): SandboxSettings | undefined {
  if (!sandbox || !catalog) return sandbox;
  return { ...sandbox, readable: [...sandbox.readable, catalog.path, ...catalog.directories] };
}
