import { join } from "node:path";
import { discover, type Registry } from "@ikigai/core";
import { tempDir } from "@ikigai/testing";

/** A shell tool that accepts any arguments and runs this script. */
export function shellTool(name: string, script: string): string {
  const parameters = { type: "object", properties: { who: { type: "string" } }, required: ["who"] };
  const schema = JSON.stringify({ name, description: `Does ${name}`, parameters });
  return `#!/bin/sh\nif [ "$1" = --schema ]; then echo '${schema}'; exit 0; fi\n${script}\n`;
}

export interface World {
  /** The working directory of the tools. */
  readonly cwd: string;
  readonly registry: Registry;
}

/** Creates a directory, and tools that run these scripts. */
export async function world(scripts: Readonly<Record<string, string>>): Promise<World> {
  const files = Object.entries(scripts).map(([name, script]) => [`tools/${name}-tool`, shellTool(name, script)]);
  const home = await tempDir(Object.fromEntries(files));
  const directories = [{ path: join(home, "tools"), scope: "user" as const }];
  return { cwd: await tempDir(), registry: await discover({ directories, home, projectDir: home }) };
}

/** Succeeds only while another call of it runs: it waits for the other's file. */
export const meetTool = `cat > "$$.met"
until [ "$(ls *.met | wc -l)" -ge 2 ]; do sleep 0.02; done
printf '{"met": 10000000000000000001, "input": %s}' "$(cat $$.met)"`;
