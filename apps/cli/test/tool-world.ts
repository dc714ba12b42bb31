import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { ikigai } from "./ikigai.ts";

/** A shell tool that answers with its greeting, and leaves a mark whenever it runs. */
export function greeter(name: string, greeting: string, more = ""): string {
  return `#!/bin/sh
[ -z "$MARK" ] || echo ran >> "$MARK"
if [ "$1" = --schema ]; then echo '{"name":"${name}","description":"Say ${greeting}","parameters":{"type":"object","properties":{"who":{"type":"string","description":"Whom to greet"}},"required":["who"]}${more}}'; exit; fi
cat > /dev/null
echo '{"output":"${greeting}"}'
`;
}

/** A user with a home and a project, and these files around them. */
export async function world(files: Parameters<typeof tempDir>[0] = {}) {
  const root = await tempDir({ "home/": "", "project/": "", ...files });
  const [cwd, env] = [join(root, "project"), { HOME: join(root, "home") }];
  return {
    root,
    cwd,
    env,
    home: join(root, "home/.ikigai"),
    run: (...args: string[]) => ikigai(["tool", ...args], { cwd, env }),
    async call(name: string) {
      const { stdout } = await ikigai(["tool", "call", name, '{"who":"you"}'], { cwd, env });
      return JSON.parse(stdout).result?.output;
    },
  };
}

/** The record of a `.ikigai`. */
export function readRecord(directory: string) {
  return JSON.parse(readFileSync(join(directory, "tools.json"), "utf8")).packages;
}
