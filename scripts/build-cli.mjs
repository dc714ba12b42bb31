// Builds apps/cli: src/main.ts becomes dist/ikigai.js and the parts it loads when needed; the tools go to libexec/ikigai/.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const require = createRequire(join(process.cwd(), "package.json"));

for (const directory of ["dist", "libexec"]) rmSync(directory, { recursive: true, force: true });
await build({
  entryPoints: { main: "src/main.ts" },
  outdir: "dist",
  bundle: true,
  splitting: true,
  platform: "node",
  target: "node20",
  format: "esm",
  minifySyntax: true,
  minifyWhitespace: true,
  define: { __VERSION__: JSON.stringify(manifest.version) },
  // For CommonJS inside the bundle. The name is long because each part of the bundle may declare names of its own.
  banner: {
    js: 'import { createRequire as createRequireForIkigaiBundle } from "node:module"; const require = createRequireForIkigaiBundle(import.meta.url);',
  },
  logLevel: "warning",
});
copyFileSync("src/ikigai.js", "dist/ikigai.js");
chmodSync("dist/ikigai.js", 0o755);

mkdirSync("libexec/ikigai", { recursive: true });
for (const name of Object.keys(manifest.devDependencies).filter((dependency) => dependency.endsWith("-tool"))) {
  const folder = dirname(require.resolve(`${name}/package.json`));
  const [[tool, path]] = Object.entries(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).bin);
  copyFileSync(join(folder, path), join("libexec/ikigai", tool));
  chmodSync(join("libexec/ikigai", tool), 0o755);
}
