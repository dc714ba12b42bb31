// Builds the program that calls MCP servers, in the current directory: src/bridge/main.ts becomes dist/bridge.mjs and chunks.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { bundledFiles, thirdPartyNotices } from "../packages/tool-sdk/build/third-party-notices.mjs";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));

rmSync("dist", { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: { bridge: "src/bridge/main.ts" },
  outdir: "dist",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  platform: "node",
  target: "node20",
  format: "esm",
  minifySyntax: true,
  minifyWhitespace: true,
  define: { IKIGAI_VERSION: JSON.stringify(version) },
  // A bundled CommonJS dependency that requires a Node module needs `require`, which ES modules lack.
  banner: {
    js: 'import{createRequire as createRequireForTheMcpBridge}from"node:module";const require=createRequireForTheMcpBridge(import.meta.url);',
  },
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});
writeFileSync("dist/third-party-licenses.txt", thirdPartyNotices(bundledFiles(metafile)));
