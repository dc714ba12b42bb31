import type { SandboxSettings } from "@ikigai/sandbox";
import { sandboxPlace } from "../place/sandbox.ts";
import { neededVariables } from "../place/tool-environment.ts";
import { agreedNeeds, sandboxWithNeeds } from "../place/tool-needs.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { type Catalog, catalogFor } from "../skills/catalog.ts";
import type { CallSandbox, ExpectedCall } from "./call-options.ts";
import { dataDirectory } from "./data-directory.ts";
import { outputsDirectory, stateDirectory } from "./state-directory.ts";

/**
 * Returns the sandbox for a call of this tool; `undefined` without sandbox settings, and for a tool behind a launcher.
 *
 * @param known reused if it was made for the same inputs.
 */
export function callSandbox(tool: RegisteredTool, options: ExpectedCall, known?: CallSandbox): CallSandbox | undefined {
  const { projectDir, home, env = process.env } = options;
  const shown = withCatalog(options.sandbox, catalogFor(tool, options));
  const { path, identity, shadowed, launcher } = tool;
  if (!shown || launcher) return undefined;
  const needs = agreedNeeds(tool);
  const sandbox = sandboxWithNeeds(shown, needs);
  const toolFiles = [path, identity.realPath, ...(shadowed === undefined ? [] : [shadowed])];
  // Where it only reads it gets nothing of these.
  const wantedKeys = sandbox.isReadOnly ? [] : neededVariables(tool.scope, needs.env);
  const hosts = sandbox.isReadOnly ? [] : (needs.hosts ?? []);
  const dataDir = home === undefined ? undefined : dataDirectory(tool, { home, projectDir });
  const stateDir = stateDirectory(tool, options);
  const outputsDir = outputsDirectory(tool, options);
  const key = JSON.stringify([projectDir, sandbox, toolFiles, wantedKeys, hosts, dataDir, stateDir, outputsDir, env]);
  if (known?.key === key) return known;
  const user = mayConnect(tool) && { tool: tool.name, hosts };
  const own = { ...user, projectDir, toolFiles, wantedKeys, dataDir, stateDir, outputsDir };
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
