// The language servers that are known: which files they are for, how each is started, and whether it is installed. None is downloaded.

import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { isInside, programFinder } from "@ikigai/system";

/** A language server. */
export interface ServerKind {
  /** Its program. */
  readonly name: string;
  readonly args: readonly string[];
  /** The language id of each file name extension. */
  readonly languages: Readonly<Record<string, string>>;
  /** A file of the project without which it is not there: the project's own program, which Node runs. */
  readonly ownProgram?: { readonly path: string; readonly onlyIf: string };
  /** Files that mark the directory that it works for; the nearest one. Default: the project. */
  readonly roots?: readonly string[];
  /** How it says what is wrong: it pushes it, it is asked, or its tsserver is asked. Default: as it declares. */
  readonly diagnoses?: "pushes" | "tsserver";
  /** What it says about an open file has a version; without one, it is about the file as it was before the server knew it. */
  readonly isVersioned?: true;
  /** It runs code of the project, so it is started only in the sandbox. */
  readonly runsProject?: true;
  /** Its `initializationOptions`. */
  readonly options?: (scene: StartScene) => object;
  /** Its answers to `workspace/configuration`, by section. */
  readonly settings?: Readonly<Record<string, object>>;
}

/** Where a server is started. */
export interface StartScene {
  /** Whether it runs in the sandbox. */
  readonly isHeld: boolean;
  readonly projectDir: string;
  readonly path: string | undefined;
}

const ecmascript = {
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "typescriptreact",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascriptreact",
};
const python = { py: "python", pyi: "python" };
const pythonRoots = ["pyrightconfig.json", "pyproject.toml", "setup.py", "requirements.txt"];
const cFamily = {
  ...{ c: "c", h: "c", cc: "cpp", cpp: "cpp", cxx: "cpp", hpp: "cpp", hh: "cpp", hxx: "cpp" },
  ...{ m: "objective-c", mm: "objective-cpp" },
};

/** A rename is one of the thing itself, not of its name in one file. */
const renames = { preferences: { useAliasesForRenames: false } };
const tsgoSettings = { "js/ts": renames, typescript: renames, javascript: renames };

/** The first that is installed is used. */
const kinds: readonly ServerKind[] = [
  { name: "tsgo", args: ["--lsp", "--stdio"], languages: ecmascript, settings: tsgoSettings },
  {
    name: "tsc",
    args: ["--lsp", "--stdio"],
    languages: ecmascript,
    settings: tsgoSettings,
    // From version 7 on it is a language server.
    ownProgram: { path: "node_modules/typescript/bin/tsc", onlyIf: "node_modules/typescript/lib/getExePath.js" },
  },
  {
    name: "typescript-language-server",
    args: ["--stdio"],
    languages: ecmascript,
    diagnoses: "tsserver",
    options: (scene) => ({
      disableAutomaticTypingAcquisition: true,
      preferences: { providePrefixAndSuffixTextForRename: false },
      ...(!hasOwnTsserver(scene) && { tsserver: { path: tsserverOf(scene) } }),
    }),
  },
  { name: "basedpyright-langserver", args: ["--stdio"], languages: python, roots: pythonRoots, diagnoses: "pushes" },
  { name: "pyright-langserver", args: ["--stdio"], languages: python, roots: pythonRoots, diagnoses: "pushes" },
  { name: "gopls", args: [], languages: { go: "go" }, roots: ["go.work", "go.mod"], isVersioned: true },
  {
    name: "rust-analyzer",
    args: [],
    languages: { rs: "rust" },
    roots: ["Cargo.lock", "Cargo.toml"],
    diagnoses: "pushes",
    options: ({ isHeld }) => ({
      cargo: { buildScripts: { enable: isHeld }, targetDir: "/tmp/ikigai-rust-analyzer" },
      procMacro: { enable: isHeld },
      checkOnSave: isHeld,
    }),
  },
  { name: "clangd", args: ["--background-index=false", "--log=error"], languages: cFamily, diagnoses: "pushes" },
  {
    name: "jdtls",
    args: ["-data", "/tmp/ikigai-jdtls"],
    languages: { java: "java" },
    roots: ["pom.xml", "build.gradle", "build.gradle.kts"],
    runsProject: true,
  },
  { name: "ruby-lsp", args: [], languages: { rb: "ruby" }, roots: ["Gemfile"], runsProject: true },
  { name: "bash-language-server", args: ["start"], languages: { sh: "shellscript", bash: "shellscript" } },
  {
    name: "yaml-language-server",
    args: ["--stdio"],
    languages: { yaml: "yaml", yml: "yaml" },
    settings: { yaml: { schemaStore: { enable: false }, validate: true } },
  },
  {
    name: "vscode-json-language-server",
    args: ["--stdio"],
    languages: { json: "json", jsonc: "jsonc" },
    settings: { json: { validate: { enable: true } } },
  },
  { name: "lua-language-server", args: [], languages: { lua: "lua" }, roots: [".luarc.json"] },
  { name: "zls", args: [], languages: { zig: "zig" }, roots: ["build.zig"], runsProject: true },
  { name: "elixir-ls", args: [], languages: { ex: "elixir", exs: "elixir" }, roots: ["mix.exs"], runsProject: true },
];

/** For each extension, what shows that a server may be installed: a program on the PATH or in `node_modules/.bin`, or a file of the project. */
export function programsByExtension(): Record<string, string[]> {
  const all: Record<string, string[]> = {};
  for (const { languages, name, ownProgram } of kinds)
    for (const extension of Object.keys(languages))
      all[extension] = [...(all[extension] ?? []), ownProgram?.onlyIf ?? name];
  return all;
}

/** What the user's settings say, in `IKIGAI_DIAGNOSTICS`. */
export interface Settings {
  readonly show?: "off" | "errors" | "all";
  /** Commands of other servers, by extension. */
  readonly servers?: Readonly<Record<string, readonly string[]>>;
  /** Commands that check a project, by extension, where no server is installed. */
  readonly check?: Readonly<Record<string, string>>;
}

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const { IKIGAI_DIAGNOSTICS: text = "{}" } = env;
  return JSON.parse(text) as Settings;
}

/** A server that can be started. */
export interface Installed {
  readonly kind: ServerKind;
  readonly argv: readonly string[];
}

/** Where servers are looked for. */
export interface Place {
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly settings: Settings;
}

export function extensionOf(path: string): string {
  return extname(path).slice(1).toLowerCase();
}

/** Returns the server for files with an extension; `undefined` if none is installed. */
export function findServer(extension: string, { projectDir, env, settings }: Place): Installed | undefined {
  const own = settings.servers?.[extension];
  if (own) return { kind: configuredKind(extension, own), argv: own };
  const isHeld = env.IKIGAI_SANDBOX !== undefined;
  const onPath = programFinder(env.PATH ?? "", projectDir);
  for (const kind of kinds) {
    if (kind.languages[extension] === undefined || (kind.runsProject && !isHeld)) continue;
    const program = programOf(kind, projectDir, isHeld) ?? (kind.ownProgram ? undefined : onPath(kind.name));
    if (!program || (kind.diagnoses === "tsserver" && !hasTsserver({ isHeld, projectDir, path: env.PATH }))) continue;
    return { kind, argv: [...(kind.ownProgram ? [process.execPath] : []), program, ...kind.args] };
  }
  return undefined;
}

function configuredKind(extension: string, [name = "", ...args]: readonly string[]): ServerKind {
  const known = kinds.find((kind) => kind.languages[extension] !== undefined);
  const same = kinds.find((kind) => kind.languages[extension] !== undefined && name.endsWith(kind.name));
  const languages = same?.languages ?? { [extension]: known?.languages[extension] ?? extension };
  return { ...same, ...(known?.roots && { roots: known.roots }), name, args, languages };
}

/** A program of the project itself, which runs only in the sandbox. */
function programOf({ name, ownProgram }: ServerKind, projectDir: string, isHeld: boolean): string | undefined {
  if (!isHeld) return undefined;
  if (ownProgram) {
    const [program, sign] = [ownProgram.path, ownProgram.onlyIf].map((path) => join(projectDir, path));
    return program && sign && existsSync(program) && existsSync(sign) ? program : undefined;
  }
  const program = join(projectDir, "node_modules/.bin", name);
  return existsSync(program) ? program : undefined;
}

/** Whether the project has a tsserver, which is code of the project. */
function hasOwnTsserver({ isHeld, projectDir }: StartScene): boolean {
  return isHeld && existsSync(join(projectDir, "node_modules/typescript/lib/tsserver.js"));
}

function hasTsserver(scene: StartScene): boolean {
  return hasOwnTsserver(scene) || tsserverOf(scene) !== undefined;
}

/** The tsserver that is installed beside the language server, or with the `tsc` of the PATH: not the project's. */
function tsserverOf({ path = "", projectDir }: StartScene): string | undefined {
  const onPath = programFinder(path, projectDir);
  for (const name of ["typescript-language-server", "tsc"]) {
    const program = onPath(name);
    try {
      const found = program && createRequire(realpathSync(program)).resolve("typescript/lib/tsserver.js");
      if (found && !isInside(found, projectDir)) return found;
    } catch {
      // It has none.
    }
  }
  return undefined;
}

/** The directory that a server works for: the nearest one above a file, inside the project, that has one of its marks. */
export function rootOf({ roots = [] }: ServerKind, path: string, projectDir: string): string {
  for (const mark of roots)
    for (let directory = dirname(path); isInside(directory, projectDir); directory = dirname(directory)) {
      if (existsSync(join(directory, mark))) return directory;
      if (directory === projectDir) break;
    }
  return projectDir;
}

/** The longest file that is checked, in bytes. */
const maxFileBytes = 2_097_152;

/** Returns the text of a file; `undefined` if it is not there, too long or not readable. */
export function readText(path: string): string | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= maxFileBytes ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
