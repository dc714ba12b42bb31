import type { ToolPackageName } from "./read-name.ts";
import gitignore from "./template/gitignore.txt";
import license from "./template/license.txt";
import main from "./template/main.txt";
import manifest from "./template/package.txt";
import readme from "./template/readme.txt";
import schema from "./template/schema.txt";
import test from "./template/test.txt";
import tool from "./template/tool.txt";
import tsconfig from "./template/tsconfig.txt";

/** The versions of what a tool's package is developed with, as JSON, put in by the build: those of this repository itself. */
declare const IKIGAI_TEMPLATE_VERSIONS: string;

const templates: Readonly<Record<string, string>> = {
  ".gitignore": gitignore,
  LICENSE: license,
  "README.md": readme,
  "package.json": manifest,
  "tsconfig.json": tsconfig,
  "src/main.ts": main,
  "src/schema.ts": schema,
  "src/tool.ts": tool,
};

/** The files of a package with a tool in TypeScript, ready to be built, tested and published. By their paths in it. */
export function packageFiles(names: ToolPackageName, { author }: { readonly author: string }): Record<string, string> {
  const year = String(new Date().getFullYear());
  const values: Record<string, string> = { ...JSON.parse(IKIGAI_TEMPLATE_VERSIONS), ...names, author, year };
  const fill = (text: string) => text.replace(/\{\{([^{}]+)\}\}/g, (whole, key) => values[key] ?? whole);
  const files = { ...templates, [`test/${names.file}.test.ts`]: test };
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, fill(text)]));
}
