// Makes one file of the tool and the database engine: node build.mjs ~/.ikigai/tools/sql-query-tool
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const [outfile = "dist/sql-query-tool"] = process.argv.slice(2);

await build({
  entryPoints: [join(import.meta.dirname, "src/main.ts")],
  outfile,
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  format: "iife",
  // A file without an extension is CommonJS or not by the package.json that lies nearest: this one runs as either.
  banner: { js: "#!/usr/bin/env node\n(() => { const require = process.getBuiltinModule;" },
  footer: { js: "})();" },
  logLevel: "warning",
});
chmodSync(outfile, 0o755);
