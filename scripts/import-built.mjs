import { build } from "esbuild";

/** Bundles a TypeScript file of this repository and imports the result: Node 20 cannot run `.ts`. */
export async function importBuilt(entryPoint) {
  const { outputFiles } = await build({
    entryPoints: [entryPoint],
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "esm",
    logLevel: "warning",
  });
  const [{ contents }] = outputFiles;
  return import(`data:text/javascript;base64,${Buffer.from(contents).toString("base64")}`);
}
