import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "../../..");

/** Bundles `example.mjs` of a directory, as it would be with its packages installed. */
export async function bundle(dir: string): Promise<string> {
  const outfile = join(dir, "bundle.mjs");
  const source = (path: string) => join(root, "packages", path);
  await build({
    entryPoints: [join(dir, "example.mjs")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    alias: {
      "@ikigai/core/internal": source("core/src/internal.ts"),
      "@ikigai/core": source("core/src/index.ts"),
      "@ikigai/adapters/ai-sdk": source("adapters/src/ai-sdk.ts"),
      "@ikigai/adapters/anthropic": source("adapters/src/anthropic.ts"),
      "@ikigai/adapters/openai": source("adapters/src/openai.ts"),
    },
    nodePaths: [source("adapters/node_modules")],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
  return outfile;
}
