import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LanguageName } from "./language-names.ts";
import { aroundPackage, type Language, languages, type Templates } from "./languages.ts";
import type { ToolNames } from "./read-name.ts";

/** The versions of what a tool's package is developed with, as JSON, put in by the build: those of this repository itself. */
declare const IKIGAI_TEMPLATE_VERSIONS: string;

/** File contents by their paths. */
export type Files = Readonly<Record<string, string>>;

/** How a new tool is built, tested, and what that needs. */
export interface Toolchain {
  /** The programs it needs to run, or to be built. */
  readonly needs: readonly string[];
  /** The commands that make the executable, run in its folder; none where the source is what runs. */
  readonly build: readonly (readonly string[])[];
  /** The command that runs the tests of the tool in this folder. */
  test(folder: string): string;
}

/** The files of a tool without a package, as they lie in a directory of tools: its executable, and a folder beside it. */
export function toolFiles(names: ToolNames, language: LanguageName): Files {
  const { tool, work } = languages[language];
  return filled(tool(names), names, { author: "the authors", work });
}

/** How a tool in this language is built and tested. */
export function toolchain(names: ToolNames, language: LanguageName): Toolchain {
  const { needs, build = [], test } = languages[language];
  return { needs, test, build: build.map((command) => command.map((word) => fill(word, { ...names }))) };
}

/** The files of a package with a tool, ready to be tested, added and published. */
export function packageFiles(names: ToolNames, language: LanguageName, { author }: { readonly author: string }): Files {
  const chosen = languages[language];
  const templates = chosen.package?.(names) ?? {
    ...chosen.tool(names),
    ...aroundPackage,
    "package.json": manifest(names, chosen),
  };
  return filled(templates, names, { author, work: chosen.work });
}

/** Writes files below a directory, those that begin with `#!` as executables. @throws the system's error, EEXIST if one is there. */
export function writeFiles(directory: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: "wx" });
    if (text.startsWith("#!")) chmodSync(path, 0o755);
  }
}

/** The package.json of a tool whose executable lies at the top of its package. */
function manifest({ package: name, file, folder }: ToolNames, { build, test }: Language): string {
  const [compile] = build ?? [];
  const content = {
    name,
    version: "0.1.0",
    description: "An ikigai tool: counts the lines and the words of a text.",
    keywords: ["ikigai-tool"],
    license: "MIT",
    bin: { [file]: file },
    ikigai: { tools: [`./${file}`] },
    files: [file],
    scripts: {
      ...(compile && { build: `cd ${folder} && ${compile.join(" ")}`, prepack: "npm run build" }),
      test: test(folder),
      prepublishOnly: "npm test",
    },
    // What is compiled runs only where it was compiled for.
    ...(compile && { os: [process.platform], cpu: [process.arch] }),
    publishConfig: { access: "public" },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function filled(
  templates: Templates,
  names: ToolNames,
  own: { readonly author: string; readonly work: string },
): Files {
  const year = String(new Date().getFullYear());
  const values = { ...JSON.parse(IKIGAI_TEMPLATE_VERSIONS), ...names, year, author: own.author };
  const all = { ...values, work: fill(own.work.trimEnd(), values) };
  return Object.fromEntries(Object.entries(templates).map(([path, text]) => [path, fill(text, all)]));
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{([^{}]+)\}\}/g, (whole, key) => values[key] ?? whole);
}
