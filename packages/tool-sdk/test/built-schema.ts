import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { call, tempDir } from "@ikigai/testing";
import { expect } from "vitest";

const builder = fileURLToPath(new URL("../build/build-tool.mjs", import.meta.url));
const sdk = fileURLToPath(new URL("../src/index.ts", import.meta.url));

const empty = { type: "object", properties: {} };

/** Builds a tool with these schemas. Returns its file, and how the build ended. */
export async function buildSchemas({
  parameters = empty,
  output = empty,
  run = "(args) => args",
}: {
  parameters?: object;
  output?: object;
  run?: string;
}) {
  const files = {
    "package.json": '{"bin":{"x-tool":"dist/x-tool"}}',
    "src/schema.ts": Object.entries({ parameters, output })
      .map(([name, schema]) => `export const ${name} = ${JSON.stringify(schema)};`)
      .join("\n"),
    "src/main.ts": `import { compiled } from "ikigai:compiled";
import { serve } from ${JSON.stringify(sdk)};
import { output, parameters } from "./schema.ts";
// Its answer: the arguments, as far as its output names them, unless a test has another one.
serve({ name: "x", description: "Return the arguments", parameters, output, run: ${run} }, compiled);
`,
  };
  const cwd = await tempDir(files);
  const { status, stderr } = spawnSync(builder, { cwd, encoding: "utf8" });
  return { bin: `${cwd}/dist/x-tool`, status, stderr };
}

/** Builds a tool whose answer is its arguments, and returns a function that calls it. */
export async function echoOf(parameters: object) {
  const { bin, ...end } = await buildSchemas({ parameters, output: parameters });
  expect(end).toEqual({ status: 0, stderr: "" });
  return (args: object) => call(bin, args);
}

/** How a call ends that lacks an argument. */
export function refused(stderr: string) {
  return { exitCode: 1, stdout: "", stderr: `${stderr}\n` };
}

/** How a call ends whose arguments do not fit. */
export function invalid(error: string) {
  return { exitCode: 0, result: { error, error_code: "INVALID_PARAMS" } };
}
