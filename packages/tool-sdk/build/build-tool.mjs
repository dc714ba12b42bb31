#!/usr/bin/env node
// Builds the tool package in the current directory. Reports missing peer dependencies.

/** Optional peer dependencies: running tools and reading their types needs none of them. */
const needed = ["ajv", "esbuild", "fast-json-stringify"];

const missing = needed.filter((name) => !isInstalled(name));
if (missing.length > 0) {
  console.error(
    `ikigai-build-tool: ${missing.join(", ")} not installed. Run: npm install --save-dev ${missing.join(" ")}`,
  );
  process.exit(1);
}
const { bundleTool } = await import("./bundle-tool.mjs");
await bundleTool();

function isInstalled(name) {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}
