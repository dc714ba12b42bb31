// The files of a new tool, alone or in a package, and how it is built and tested.

import { chmodSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectories } from "@ikigai/system";
import {
  aroundPackage,
  type Language,
  languages,
  ownReadme,
  packageReadme,
  type ReadmeParts,
  type Templates,
} from "./languages.ts";
import type { LanguageName, ToolNames } from "./names.ts";

/** The versions of the development dependencies of a new package, as JSON: those of this repository. Set by the build. */
declare const IKIGAI_TEMPLATE_VERSIONS: string;

/** File contents by path. */
export type Files = Readonly<Record<string, string>>;

/** How to build and test a new tool. */
export interface Toolchain {
  /** The programs needed to build or run it. */
  readonly needs: readonly string[];
  /** The build commands, run in its folder; empty if the source is executable. */
  readonly build: readonly (readonly string[])[];
  /** The command that tests the tool in this folder, a word of a command line. */
  test(folder: string): string;
  /** The clone that its libraries come from, if it needs any and they are not from the registry. */
  readonly source?: string;
}

/** Where a new tool gets our packages from. */
export interface Origin {
  /** A clone of our repository, instead of the registry: the tool gets packed copies of what is built there. */
  readonly clone?: string | undefined;
}

/** Returns the files of a tool without a package: the executable, and a folder beside it. Never throws. */
export function toolFiles(names: ToolNames, language: LanguageName, { clone }: Origin = {}): Files {
  const files = filled(languages[language].tool(names), names, { author: "the authors", ...ownReadme });
  return clone === undefined ? files : withPackedLibraries(files, `${names.folder}/package.json`);
}

/**
 * Returns how to build and test a tool in this language. In a project, nothing is left but what the built tool needs: all of it
 * has to be trusted, and the number of such files is limited. Never throws.
 */
export function toolchain(
  names: ToolNames,
  language: LanguageName,
  { clone, isProject = false }: Origin & { readonly isProject?: boolean } = {},
): Toolchain {
  const { build = [], fetched, ...chosen } = languages[language];
  const { needs } = chosen;
  const { test, removal } = isProject && fetched ? fetched : { test: chosen.test, removal: undefined };
  const all = removal ? [...build, removal] : build;
  const commands = all.map((command) => command.map((word) => fill(word, { ...names })));
  if (clone === undefined || language !== "typescript") return { needs, test, build: commands };
  return { needs, test, build: [packing(clone), ...commands], source: clone };
}

/** Returns the files of a package with a tool, ready to test, add and publish. Never throws. */
export function packageFiles(names: ToolNames, language: LanguageName, { author }: { readonly author: string }): Files {
  const chosen = languages[language];
  const templates = chosen.package?.(names) ?? {
    ...chosen.tool(names),
    ...aroundPackage,
    ".gitignore": `${aroundPackage[".gitignore"]}${chosen.build ? "/{{file}}\n" : ""}`,
    "package.json": manifest(names, chosen),
  };
  return filled(templates, names, { author, ...packageReadme(chosen) });
}

/**
 * Writes files below a directory; those that begin with `#!` are executable.
 *
 * @throws the system's error, for example EEXIST if a file exists.
 */
export function writeFiles(directory: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    makeDirectories(dirname(path));
    writeFileSync(path, text, { flag: "wx" });
    if (text.startsWith("#!")) chmodSync(path, 0o755);
  }
}

/** The package.json of a tool whose executable is at the top of its package. */
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
      check: `npx -y @ikigai/testing ./${file}`,
      prepublishOnly: "npm test && npm run check && npm pkg set --json ikigai.check.ok=true",
    },
    // A compiled tool runs only on the platform it was compiled for.
    ...(compile && { os: [process.platform], cpu: [process.arch] }),
    publishConfig: { access: "public" },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function filled(templates: Templates, names: ToolNames, own: ReadmeParts & { readonly author: string }): Files {
  const year = String(new Date().getFullYear());
  const values = { ...JSON.parse(IKIGAI_TEMPLATE_VERSIONS), ...names, year, author: own.author };
  const all = { ...values, use: fill(own.use.trimEnd(), values), work: fill(own.work.trimEnd(), values) };
  return Object.fromEntries(Object.entries(templates).map(([path, text]) => [path, fill(text, all)]));
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{([^{}]+)\}\}/g, (whole, key) => values[key] ?? whole);
}

/** The libraries that a TypeScript tool uses, and what they depend on. */
const libraries = ["protocol", "testing", "tool-sdk"];

/** The folder of the packed libraries in that of the tool. */
const packedFolder = "packages";

/** The command that packs the libraries of a clone into the folder of a tool. */
export function packing(clone: string): readonly string[] {
  return ["node", `${clone}/scripts/pack-libraries.mjs`, packedFolder, ...libraries];
}

/** The files of a tool whose package.json, if it has one, names the packed libraries instead of their versions in the registry. */
export function withPackedLibraries(files: Files, manifestPath: string): Files {
  const text = files[manifestPath];
  if (text === undefined) return files;
  const manifest = JSON.parse(text);
  const version = JSON.parse(IKIGAI_TEMPLATE_VERSIONS)["@ikigai/tool-sdk"];
  const packed = libraries.map((name) => [`@ikigai/${name}`, `file:${packedFolder}/ikigai-${name}-${version}.tgz`]);
  const devDependencies = { ...Object.fromEntries(packed), ...withoutOurs(manifest.devDependencies) };
  return { ...files, [manifestPath]: `${JSON.stringify({ ...manifest, devDependencies }, undefined, 2)}\n` };
}

function withoutOurs(dependencies: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => !name.startsWith("@ikigai/")));
}
