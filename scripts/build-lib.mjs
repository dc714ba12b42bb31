// Builds the library package in the current directory: every entry of `exports` becomes one bundled .js in dist/, with types.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const { exports: entries, dependencies = {} } = JSON.parse(readFileSync("package.json", "utf8"));

rmSync("dist", { recursive: true, force: true });
await build({
  entryPoints: Object.values(entries),
  outdir: "dist",
  outbase: "src",
  bundle: true,
  splitting: true,
  // What is no dependency of the published package goes into it.
  external: Object.keys(dependencies),
  platform: "node",
  target: "node20",
  format: "esm",
  logLevel: "warning",
});

mkdirSync(".turbo", { recursive: true });
writeFileSync(
  ".turbo/tsconfig.json",
  JSON.stringify({
    extends: `${root}tsconfig.types.json`,
    compilerOptions: { rootDir: "../src", outDir: "../dist" },
    include: ["../src"],
  }),
);
execFileSync(`${root}node_modules/.bin/tsc`, ["-p", ".turbo/tsconfig.json"], { stdio: "inherit" });
