// Finds the tools of a package, by its package.json or its files, and their names.

import { chmodSync, existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { broughtFolders } from "@ikigai/core/internal";
import { toolNameOf, toolNamePattern, toolSuffix } from "@ikigai/protocol";
import { isDirectory, orList, readRegularFile } from "@ikigai/system";
import { Refusal } from "./refusal.ts";

/** A tool in a package. */
export interface PackagedTool {
  /** The name of its link, which determines the tool's name. */
  readonly fileName: string;
  /** Its path in the package. */
  readonly path: string;
}

/** The fields of a package.json that name its tools. */
export interface Manifest {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly description?: unknown;
  readonly bin?: unknown;
  readonly ikigai?: unknown;
  readonly dependencies?: unknown;
  readonly optionalDependencies?: unknown;
  readonly peerDependencies?: unknown;
  readonly workspaces?: unknown;
}

/** Reads package.json; returns `undefined` if the file does not exist. */
export function readManifest(folder: string): Manifest | undefined {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return undefined;
  try {
    const manifest: unknown = JSON.parse(readRegularFile(path).toString("utf8"));
    if (typeof manifest === "object" && manifest !== null) return manifest;
  } catch (error) {
    throw new Refusal(`Expected package.json to be JSON: ${(error as Error).message}.`);
  }
  throw new Refusal("Expected package.json to hold a JSON object.");
}

/** What `"ikigai": {"check": {"ok": …}}` says: whether the package passed `tool check` before it was published. */
export function passesCheck({ ikigai }: Manifest): boolean | undefined {
  const ok = fieldsOf(fieldsOf(ikigai).check).ok;
  return typeof ok === "boolean" ? ok : undefined;
}

/** The fields of a value; none of anything but an object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** Whether a package brings skills, hooks, commands or agents. */
export function bringsMoreThanTools(folder: string): boolean {
  return broughtFolders.some((name) => isDirectory(join(folder, name)));
}

/** How the tools of a package are found. */
export interface PackageToolsOptions {
  /** What to do if it must be built first, one sentence. */
  readonly buildAdvice: string;
  /** The name for its only tool, if not that of its file. */
  readonly wantedName?: string | undefined;
  /** Whether the package brings something else, and so needs no tool. */
  readonly bringsMore: boolean;
}

/**
 * Finds the tools of a package: those in `"ikigai": {"tools": […]}`, otherwise the `bin` entries that end in `-tool`, otherwise
 * the executable files with such names at the top level, in `bin/` and in `tools/`.
 *
 * @throws Refusal if the package has no tools, or several although a name is wanted, or one is not a file inside the package or has
 * an invalid name.
 */
export function packageTools(
  folder: string,
  { buildAdvice, wantedName, bringsMore }: PackageToolsOptions,
): readonly PackagedTool[] {
  const manifest = readManifest(folder) ?? {};
  const found = named(manifest) ?? commands(manifest) ?? executableTools(folder);
  if (found.length === 0 && !bringsMore)
    throw new Refusal(
      `No tool found. A package has one if its package.json has "ikigai": {"tools": ["./bin/x-tool"]} or a "bin" that ends in -tool, or if an executable file ends in -tool; without a tool, it needs a folder ${orList(broughtFolders)}. ikigai builds nothing. ${buildAdvice}`,
    );
  const tools = wantedName === undefined ? found : [{ ...onlyTool(found), fileName: fileNameFor(wantedName) }];
  for (const tool of tools) {
    checkFileName(tool.fileName, tools.length === 1 ? nameAdvice(wantedName) : renameAdvice(tool));
    checkTool(tool, folder, buildAdvice);
  }
  const twin = tools.find(
    ({ fileName }, index) => tools.findIndex((other) => isTwin(other.fileName, fileName)) < index,
  );
  if (twin) throw new Refusal(`Two tools of the package are called ${toolNameOf(twin.fileName)}.`);
  return tools;
}

/** The file name for a tool's name. */
export function fileNameFor(name: string): string {
  return name.endsWith(toolSuffix) ? name : `${name.replaceAll("_", "-")}${toolSuffix}`;
}

function onlyTool(tools: readonly PackagedTool[]): PackagedTool {
  const [only, ...others] = tools;
  if (only !== undefined && others.length === 0) return only;
  const names = tools.map(({ fileName }) => fileName).join(", ");
  throw new Refusal(`--name needs a package with one tool; this one has ${tools.length}: ${names}. Leave out --name.`);
}

function isTwin(a: string, b: string): boolean {
  return toolNameOf(a) === toolNameOf(b);
}

function named({ ikigai }: Manifest): PackagedTool[] | undefined {
  const { tools } = fieldsOf(ikigai);
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools) || !tools.every((path) => typeof path === "string"))
    throw new Refusal('Expected "ikigai": {"tools": […]} to be a list of paths in package.json.');
  return tools.map((path) => ({ fileName: basename(path), path }));
}

function commands({ name, bin }: Manifest): PackagedTool[] | undefined {
  const own = typeof name === "string" ? basename(name) : "";
  const entries = typeof bin === "string" ? [[own, bin]] : Object.entries(bin ?? {});
  const tools = entries.filter(([command, path]) => command.endsWith(toolSuffix) && typeof path === "string");
  return tools.length === 0 ? undefined : tools.map(([fileName, path]) => ({ fileName, path }));
}

/** The executable files with names of tools at the top level of a folder, in `bin/` and in `tools/`. */
export function executableTools(folder: string): PackagedTool[] {
  return ["", "bin", "tools"].flatMap((place) => {
    const directory = join(folder, place);
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return [];
    return readdirSync(directory)
      .filter((name) => name.endsWith(toolSuffix) && isProgram(join(directory, name)))
      .sort()
      .map((fileName) => ({ fileName, path: join(place, fileName) }));
  });
}

function isProgram(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && (stats.mode & 0o111) !== 0;
}

function checkTool({ path }: PackagedTool, folder: string, buildAdvice: string): void {
  const file = join(folder, path);
  const root = realpathSync.native(folder) + sep;
  if (relative(folder, file).startsWith("..")) throw outside(path);
  if (!existsSync(file)) throw new Refusal(`The package does not contain its tool ${path}. ${buildAdvice}`);
  if (!realpathSync.native(file).startsWith(root)) throw outside(path);
  if (!statSync(file).isFile()) throw new Refusal(`The tool ${path} is not a file.`);
  // What package.json calls a program is one; npm sets the bit only for what it calls a command.
  chmodSync(file, 0o755);
}

function outside(path: string): Refusal {
  return new Refusal(`The tool ${path} is outside the package. Nothing was added.`);
}

/** What to do about the invalid name of the only tool. */
export function nameAdvice(wantedName: string | undefined): string {
  return `Nothing was added. ${wantedName === undefined ? "To name the tool: --name NAME" : "Choose another --name."}`;
}

function renameAdvice({ fileName, path }: PackagedTool): string {
  return `Nothing was added. Rename ${path}, for example to ${suggestedFileName(fileName)}`;
}

/** A valid file name like an invalid one. */
function suggestedFileName(fileName: string): string {
  const letters = basename(fileName, toolSuffix).replace(/^[^A-Za-z]+/, "");
  const name = letters.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 40);
  return `${name.replace(/-$/, "") || "my"}${toolSuffix}`;
}

/**
 * Checks that a file name gives a valid tool name.
 *
 * @param advice what to do if it does not.
 * @throws Refusal if it does not.
 */
export function checkFileName(fileName: string, advice: string): void {
  if (!fileName.endsWith(toolSuffix))
    throw new Refusal(`Expected a file name that ends in -tool, got ${JSON.stringify(fileName)}. ${advice}`);
  if (!/^[A-Za-z0-9_-]+$/.test(fileName) || !toolNamePattern.test(toolNameOf(fileName)))
    throw new Refusal(
      `Expected 1 to 64 letters, digits, - or _ before -tool, beginning with a letter, got ${JSON.stringify(fileName.slice(0, -toolSuffix.length))}: model providers reject other names. ${advice}`,
    );
}
