// Builds the library package in the current directory: bundles every entry of `exports` into one .js in dist/, with types, and
// src/main.ts into a single-file command, if `bin` names one in dist/.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundledFiles, thirdPartyNotices } from "../packages/tool-sdk/build/third-party-notices.mjs";
import { copyTypes, privatePackages } from "./copy-types.mjs";
import { templateVersions } from "./template-versions.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { exports: entries, bin = {}, dependencies = {} } = JSON.parse(readFileSync("package.json", "utf8"));
const sources = Object.values(entries).filter((file) => file.startsWith("./src/"));

rmSync("dist", { recursive: true, force: true });
const options = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  define: templateVersions,
  metafile: true,
  logLevel: "warning",
  // Its build for Node is CommonJS, which a bundle of ES modules cannot load.
  alias: { yaml: `${root}packages/system/node_modules/yaml/browser/index.js` },
};
const library = await build({
  ...options,
  entryPoints: sources,
  outdir: "dist",
  outbase: "src",
  splitting: true,
  // Bundles everything that is not a dependency of the published package.
  external: Object.keys(dependencies),
});
const bundles = [library.metafile];
for (const outfile of Object.values(bin).filter((path) => path.startsWith("./dist/"))) {
  const command = await build({
    ...options,
    entryPoints: ["src/main.ts"],
    outfile,
    banner: { js: "#!/usr/bin/env node" },
    minify: true,
  });
  chmodSync(outfile, 0o755);
  bundles.push(command.metafile);
}
const notices = thirdPartyNotices(bundles.flatMap(bundledFiles));
if (notices) writeFileSync("dist/third-party-licenses.txt", notices);

const folder = basename(process.cwd());
const compiled = ".turbo/types";
rmSync(compiled, { recursive: true, force: true });
mkdirSync(compiled, { recursive: true });
writeFileSync(
  ".turbo/tsconfig.json",
  JSON.stringify({
    extends: `${root}tsconfig.types.json`,
    compilerOptions: { rootDir: "../..", outDir: "types" },
    include: [folder, ...[...privatePackages(folder).values()].map((other) => other.folder)].map(
      (name) => `../../${name}/src`,
    ),
  }),
);
execFileSync(`${root}node_modules/.bin/tsc`, ["-p", ".turbo/tsconfig.json"], { stdio: "inherit" });
copyTypes(compiled, folder, sources);
