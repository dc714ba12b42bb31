import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";

const builder = fileURLToPath(new URL("../build/build-tool.mjs", import.meta.url));
/** The SDK, for an import. */
export const sdk = fileURLToPath(new URL("../src/index.ts", import.meta.url));

/** The `schema.ts` of a tool that answers with a text, `said`. */
export const schema = `export const parameters = { type: "object", properties: {} };
export const output = { type: "object", properties: { said: { type: "string" } } };
`;
/** Its `main.ts`. */
export const main = `import { compiled } from "ikigai:compiled";
import { serve } from ${JSON.stringify(sdk)};
import { x } from "./tool.ts";
serve(x, compiled);
`;

/** Its `tool.ts`, with this code at the top level, which answers with the value of an expression, and other fields. */
export function toolSource(code: string, said = '"yes"', fields = "") {
  return `import { output, parameters } from "./schema.ts";
${code}
export const x = { name: "x", description: "X", parameters, output, ${fields} run: async () => ({ said: ${said} }) };
`;
}

/** Builds this tool with other files. Returns its file, and how the build ended. */
export async function buildSources(files: Readonly<Record<string, string>>) {
  const manifest = '{"type":"module","bin":{"x-tool":"dist/x-tool"}}';
  const cwd = await tempDir({ "package.json": manifest, "src/schema.ts": schema, "src/main.ts": main, ...files });
  const { status, stderr } = spawnSync(builder, { cwd, encoding: "utf8" });
  return { bin: join(cwd, "dist/x-tool"), status, stderr };
}
