import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type TreeEntry, tempDir } from "@ikigai/testing";
import { type DiscoverOptions, discover, type Registry } from "../src/index.ts";
import type { CallOptions } from "../src/internal.ts";
import { toolDirectories } from "../src/internal.ts";

/** A place with the directories of tools: `system/`, `home/tools/`, `project/.ikigai/tools/`. */
export interface World {
  readonly root: string;
  readonly home: string;
  readonly projectDir: string;
  discover(options?: Partial<DiscoverOptions> & { readonly toolPath?: string }): Promise<Registry>;
}

/** Makes a throw-away world with these files in it. */
export async function world(files: Readonly<Record<string, TreeEntry>> = {}): Promise<World> {
  const root = await tempDir({ "system/": "", "home/": "", "project/": "", ...files });
  const [home, projectDir] = [join(root, "home"), join(root, "project")];
  return {
    root,
    home,
    projectDir,
    discover({ toolPath, ...options } = {}) {
      const directories = toolDirectories({ systemDir: join(root, "system"), home, projectDir, toolPath });
      return discover({ directories, home, projectDir, ...options });
    },
  };
}

/** What a tool of this name says of itself. */
export function schema(name: string, more: object = {}): string {
  return JSON.stringify({ name, description: "Does it", parameters: { type: "object", properties: {} }, ...more });
}

/** A shell tool that says this of itself, and does this when it is called. */
export function tool(schemaText: string, body = "cat > /dev/null; echo '{}'"): string {
  return `#!/bin/sh\nif [ "$1" = --schema ]; then cat << 'END'\n${schemaText}\nEND\nexit; fi\n${body}\n`;
}

/** The tools in `fixtures/`: executables of a few lines, called by what they do wrong. */
export async function fixtures(): Promise<Registry> {
  const home = await tempDir();
  const directories = [{ path: join(import.meta.dirname, "fixtures"), scope: "system" as const }];
  return discover({ directories, home, projectDir: home });
}

/** The circumstances of a call in a throw-away directory. */
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
