import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { installMs, type Machine, newMachine } from "./machine.ts";
import { released } from "./released.ts";
import { root } from "./repository.ts";

const { registry } = await released();
const libraries = ["adapters", "agent", "core", "posix", "protocol", "testing", "tool-sdk"];

let user: Machine;
let project: string;

beforeAll(async () => {
  user = await newMachine([`registry=${registry}`]);
  project = join(user.home, "project");
  await user.shell(`
    mkdir project && cd project
    npm init --yes > npm-init.log && npm pkg set type=module
    npm install ${libraries.map((name) => `@ikigai/${name}`).join(" ")}`);
}, installMs);

test("a program finds and calls a tool, and a test calls it without a host", async () => {
  write(
    "tools/greet-tool",
    `#!/bin/sh
    [ "$1" = --schema ] && { echo '{"name":"greet","description":"Greets","parameters":{"type":"object"}}'; exit; }
    read -r input; printf '{"greeting":"hello","input":%s}' "$input"\n`,
  );
  write(
    "use.js",
    `import { callTool, discover } from "@ikigai/core";
    import { call, checkTool, conformance } from "@ikigai/testing";
    import { compile } from "@ikigai/posix/ere";
    import { glob } from "@ikigai/posix/glob";
    import { chatTools } from "@ikigai/adapters/openai";
    import { protocolVersion } from "@ikigai/protocol";
    const cwd = process.cwd();
    const home = cwd + "/home";
    const directories = [{ scope: "user", path: cwd + "/tools" }];
    const registry = await discover({ directories, home, projectDir: cwd });
    const { envelope } = await callTool(registry, "greet", '{"name":"Ada"}');
    console.log(JSON.stringify({
      envelope,
      called: (await call("tools/greet-tool", { name: "Bob" })).result,
      checks: conformance.length > 10 && typeof checkTool,
      tools: chatTools(registry).map((tool) => tool.function.name),
      matches: compile("gr[e]+t").test(Buffer.from("greet")),
      found: [...glob("tools/*")].map(String),
      protocolVersion,
    }));\n`,
  );
  const { stdout } = await user.shell("chmod +x tools/greet-tool && node use.js", { cwd: project });
  expect(JSON.parse(stdout)).toEqual({
    envelope: { tool_success: true, result: { greeting: "hello", input: { name: "Ada" } } },
    called: { greeting: "hello", input: { name: "Bob" } },
    checks: "function",
    tools: ["greet"],
    matches: true,
    found: ["tools/greet-tool"],
    protocolVersion: expect.anything(),
  });
});

test("core's README works from the installation to the output", async () => {
  const text = readFileSync(join(root, "packages/core/README.md"), "utf8");
  const [, install = ""] = /```sh registry\n(.*?)```/s.exec(text) ?? [];
  const [, program = ""] = /```js\n(.*?)```/s.exec(text) ?? [];
  const { stdout } = await user.shell(
    `mkdir "$HOME/ten" && cd "$HOME/ten" && npm init --yes > /dev/null && ${install}
    cat > ten.mjs && node ten.mjs`,
    { stdin: program },
  );
  const [, json] = /console\.log\(json\); \/\/ (.*)/.exec(program) ?? [];
  expect(stdout).toMatch(/^\[ 'bash' \]$/m);
  expect(stdout.trimEnd().split("\n").at(-1)).toBe(json);
});

test("a tool written with the SDK works", async () => {
  write(
    "count-tool",
    `#!/usr/bin/env node
    import { defineTool, serve } from "@ikigai/tool-sdk";
    const parameters = { type: "object", required: ["text"], properties: { text: { type: "string" } } };
    const output = { type: "object", properties: { letters: { type: "integer" } } };
    const tool = { name: "count", description: "Counts letters", parameters, output };
    const compiled = { version: "1.0.0", check: () => true, serialize: JSON.stringify };
    serve(defineTool({ ...tool, run: ({ text }) => ({ letters: text.length }) }), compiled);\n`,
  );
  const { stdout } = await user.shell(`chmod +x count-tool; echo '{"text":"seven"}' | ./count-tool`, { cwd: project });
  expect(JSON.parse(stdout)).toEqual({ letters: 5 });
});

/** The examples of the READMEs, copied into files, and a use of every type. */
test("TypeScript checks a consumer, including our declarations", async () => {
  for (const name of libraries) write(`readme-${name}.ts`, readmeExample(name));
  write(
    "consumer.ts",
    `import { defineTool } from "@ikigai/tool-sdk";
    import type { Envelope } from "@ikigai/protocol";
    const parameters = { type: "object", required: ["n"], properties: { n: { type: "integer" } } } as const;
    const output = { type: "object", properties: { twice: { type: "integer" } } } as const;
    const tool = { name: "twice", description: "Doubles", parameters, output };
    export const twice = defineTool({ ...tool, run: ({ n }) => ({ twice: n * 2 }) });
    // @ts-expect-error n is a number
    export const wrong = defineTool({ ...tool, run: ({ n }) => ({ twice: n.length }) });
    export const tell = (envelope: Envelope) => (envelope.tool_success ? envelope.result : envelope.error_code);\n`,
  );
  const options = {
    target: "es2023",
    lib: ["es2024", "esnext.disposable"],
    module: "nodenext",
    strict: true,
    noEmit: true,
  };
  const compilerOptions = {
    ...options,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
    skipLibCheck: false,
  };
  write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const { stdout } = await user.run(join(root, "node_modules/.bin/tsc"), [], { cwd: project });
  expect(stdout).toBe("");
});

/** Returns the first example that imports the library, and the text before it. */
function readmeExample(library: string): string {
  const text = readFileSync(join(root, "packages", library, "README.md"), "utf8");
  const blocks = [...text.matchAll(/^```[jt]s\n(.*?)^```/gms)].map(([, block]) => String(block));
  const first = blocks.findIndex((block) => block.includes(`"@ikigai/${library}`));
  // In one file, so that a file does not import another one of the example.
  const example = blocks
    .slice(0, first + 1)
    .join("")
    .replace(/^import .* from "\.\/.*";\n/gm, "");
  return /from "(vitest|ai|openai|@(ai-sdk|anthropic-ai))\b/.test(example) ? "export {};" : example;
}

function write(file: string, text: string): void {
  const path = join(project, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text.replace(/^ {4}/gm, ""));
}
