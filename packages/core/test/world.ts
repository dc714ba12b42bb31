import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Envelope } from "@ikigai/protocol";
import { type TreeEntry, tempDir } from "@ikigai/testing";
import type { CallOptions } from "../src/call/options.ts";
import { callTool, type DiscoverOptions, discover, type Registry } from "../src/index.ts";
import { toolDirectories } from "../src/internal.ts";

/** A tree with the tool directories `system/`, `home/tools/`, `project/.ikigai/tools/`. */
export interface World {
  readonly root: string;
  readonly home: string;
  readonly projectDir: string;
  discover(options?: Partial<DiscoverOptions> & { readonly toolPath?: string }): Promise<Registry>;
  /** Calls a tool without arguments in the project, in this environment. */
  call(name: string, env: NodeJS.ProcessEnv): Promise<Envelope>;
}

/** Creates a temporary world with these files. */
export async function world(files: Readonly<Record<string, TreeEntry>> = {}): Promise<World> {
  const root = await tempDir({ "system/": "", "home/": "", "project/": "", ...files });
  const [home, projectDir] = [join(root, "home"), join(root, "project")];
  const found: World["discover"] = ({ toolPath, ...options } = {}) => {
    const directories = toolDirectories({ systemDir: join(root, "system"), home, projectDir, toolPath });
    return discover({ directories, home, projectDir, ...options });
  };
  return {
    root,
    home,
    projectDir,
    discover: found,
    async call(name, env) {
      const options = await circumstances({ cwd: projectDir, projectDir, env });
      return (await callTool(await found({ env }), name, "{}", options)).envelope;
    },
  };
}

/** The schema of a tool with this name. */
export function schema(name: string, more: object = {}): string {
  return JSON.stringify({ name, description: "Does it", parameters: { type: "object", properties: {} }, ...more });
}

/** A shell tool with this schema and this body. */
export function tool(schemaText: string, body = "cat > /dev/null; echo '{}'"): string {
  return `#!/bin/sh\nif [ "$1" = --schema ]; then cat << 'END'\n${schemaText}\nEND\nexit; fi\n${body}\n`;
}

/** The tools in `fixtures/`: executables of a few lines, named after what they do wrong. */
export async function fixtures(): Promise<Registry> {
  const home = await tempDir();
  const directories = [{ path: join(import.meta.dirname, "fixtures"), scope: "system" as const }];
  return discover({ directories, home, projectDir: home });
}

/** Call options with a temporary directory. */
export async function circumstances(options: Partial<CallOptions> = {}): Promise<CallOptions> {
  const cwd = await tempDir();
  return {
    cwd,
    projectDir: cwd,
    sessionId: randomUUID(),
    callId: randomUUID(),
    overflowDir: join(cwd, "out"),
    ...options,
  };
}
