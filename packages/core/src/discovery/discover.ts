// Finds the tools that can be called. In order: the way from directories to a registry, schemas from the cache, from the host or
// from the tool itself, shells, and which of several tools of one name is used.

import { statSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isJsonObject, type JsonObject, type KnownSchema, readToolSchema } from "@ikigai/protocol";
import { isInside, isProgram, readJsonObject, readRegularFile, realPathOf, runStaggered } from "@ikigai/system";
import { workingDirectory } from "../process/tool-command.ts";
import type { FailedTool, RegisteredTool, Registry, Skill } from "../registry/registry.ts";
import { hashFile, type Stamps, stampAt } from "../registry/stamps.ts";
import { skillsIfAny } from "../skills/skills-if-any.ts";
import { withOpenNeeds } from "../trust/needs.ts";
import { examineProject, trustFile } from "../trust/trust.ts";
import {
  type Candidate,
  type LauncherSettings,
  type Listing,
  launchedCandidates,
  listCandidates,
  type ToolDirectory,
  type ToolPlaces,
  toolDirectories,
} from "./candidates.ts";
import { isTrusted, untrustedScripts, untrustedTools } from "./known-tools.ts";
import {
  type KnownFile,
  type LearnedFile,
  loadSchemaCache,
  noSchemas,
  recall,
  saveSchemaCache,
} from "./schema-cache.ts";
import { type AskOptions, askSchema, plainTools, type SchemaFailure } from "./schemas.ts";

/** Where `discover` looks for tools, and for whom. */
export interface DiscoverOptions extends Omit<ToolPlaces, "projectDir">, Omit<AskOptions, "projectDir"> {
  /** The user's directory (`~/.ikigai`): trust decisions, cached schemas, and the user's tools in `tools/`. */
  readonly home: string;
  /** The project's directory; its tools are in `.ikigai/tools/`. Default: the working directory. */
  readonly projectDir?: string | undefined;
  /** The user's home directory, whose `.agents/skills` and `.claude/skills` are the user's skills. Default: only those in `home`. */
  readonly userHome?: string | undefined;
  /** Directories to search instead of those derived from the other options, farthest (lowest rank) first. */
  readonly directories?: readonly ToolDirectory[] | undefined;
  /** Launchers of tools that run elsewhere, by tool name. */
  readonly launchers?: Readonly<Record<string, LauncherSettings>> | undefined;
  /** Shells of tools that run commands, by tool name: absolute paths. A tool with a launcher gets none. */
  readonly shells?: Readonly<Record<string, string>> | undefined;
  /** Ignores the schema cache and asks every tool again. Default: false. */
  readonly fresh?: boolean | undefined;
}

/** How many tools are asked in parallel: enough to fill the processors, too few to run out of descriptors. */
const atOnce = 8;

/** Several times what a script needs to start on a busy machine, in milliseconds. Each batch of hanging tools costs this. */
const stallMs = 100;

/**
 * Finds the tools that can be called, and reports why others cannot.
 *
 * Runs each new or changed tool with `--schema`; schemas of unchanged files come from a cache in `home`. Runs no file of a
 * project until the user has trusted exactly its current files (see `trust`). A tool that fails is in `failed`, not an error.
 * It does not hide the tools it would override, unless it has a launcher: then no other tool takes its name.
 *
 * @throws the abort reason of `signal`, after every started process has ended. Nothing else.
 *
 * @example
 * const registry = await discover({ home: join(homedir(), ".ikigai"), systemDir });
 * for (const { name, reason, detail } of registry.failed) console.error(`${name}: ${reason}: ${detail}`);
 * const outcome = await callTool(registry, "bash", '{"command":"ls"}');
 */
export async function discover(places: DiscoverOptions): Promise<Registry> {
  const options = { ...places, projectDir: places.projectDir ?? workingDirectory() };
  const { directories = toolDirectories(options), home, signal } = options;
  const before = stampPlaces(directories, home);
  const project = await examineProject(options);
  const found = await skillsIfAny(options, project);
  const scripts = scriptDirectories(found.skills);
  const scriptStamps = stampPlaces(scripts, home);
  const listing = withLaunched(listCandidates([...scripts, ...directories]), options);
  const allowed = new Set(listing.candidates.filter((candidate) => isTrusted(candidate, project)));
  const { described, failed } = await describeAll([...allowed], options);
  signal?.throwIfAborted();
  const refused = listing.candidates
    .filter((candidate) => !allowed.has(candidate))
    .flatMap((candidate) => untrustedTools(candidate, project.report));
  const unusable = [...listing.failed, ...refused, ...untrustedScripts(project.report), ...failed];
  const failedSystemNames = new Set(unusable.flatMap(({ name, scope }) => (scope === "system" ? [name] : [])));
  const ranked = rankTools(described, { projectFiles: project.files, failedSystemNames });
  const asked = await withOpenNeeds(withoutSubstitutes(ranked, options), home);
  const shelled = withShells(asked, options.shells ?? {}, options.projectDir);
  return {
    tools: shelled.tools,
    failed: [...unusable, ...shelled.failed].sort((a, b) => (a.path < b.path ? -1 : 1)),
    skills: found.skills.map((skill) => withScripts(skill, shelled.tools)),
    failedSkills: found.failed,
    trust: project.report.status,
    ...(project.report.problem !== undefined && { trustProblem: project.report.problem }),
    problems: [...listing.problems, ...found.problems],
    seen: new Map([
      ...scriptStamps,
      ...before,
      ...found.seen,
      ...project.places,
      ...project.files,
      ...stampFiles(listing),
    ]),
  };
}

/** The directories with scripts of skills. Their tools have the lowest rank: a skill must not replace what the user calls by that name. */
function scriptDirectories(skills: readonly Skill[]): ToolDirectory[] {
  return skills
    .filter(({ path }) => basename(path) === "SKILL.md")
    .map(({ name, path, scope }) => ({ path: join(dirname(path), "scripts"), scope, skill: name }));
}

/** A skill comes with its own scripts, too, and with the tools that its text names. */
function withScripts(skill: Skill, tools: readonly RegisteredTool[]): Skill {
  const isOwn = (tool: RegisteredTool) =>
    tool.skill === skill.name || (!tool.skill && skill.mentions?.includes(tool.name));
  const own = tools.filter((tool) => tool.scope !== "system" && isOwn(tool)).map(({ name }) => name);
  return own.length === 0 ? skill : { ...skill, introduces: [...new Set([...skill.introduces, ...own])] };
}

/** A name with a launcher belongs to the tool behind it, even if that tool fails: another one would run somewhere else. */
function withoutSubstitutes(
  tools: readonly RegisteredTool[],
  { launchers = {} }: DiscoverOptions,
): readonly RegisteredTool[] {
  return tools.filter(({ name, launcher }) => launcher !== undefined || !Object.hasOwn(launchers, name));
}

function withLaunched(listing: Listing, { launchers = {} }: DiscoverOptions): Listing {
  const launched = launchedCandidates(launchers, listing.candidates);
  return {
    candidates: [...listing.candidates, ...launched.candidates],
    failed: [...listing.failed, ...launched.failed],
    problems: listing.problems,
  };
}

/** Taken before anything is read, so that later changes are noticed. Covers a link and the directory it points to. */
function stampPlaces(directories: readonly ToolDirectory[], home: string): Stamps {
  const paths = directories.flatMap(({ path }) => [path, realPathOf(path)]);
  return new Map([...paths, trustFile(home)].map((path) => [path, stampAt(path)]));
}

function stampFiles({ candidates, failed }: Listing): Stamps {
  return new Map([
    ...candidates.filter(({ launcher }) => !launcher).map(({ path, stamp }): [string, string] => [path, stamp]),
    ...candidates.flatMap(({ sidecar }): [string, string][] => (sidecar ? [[sidecar.path, sidecar.stamp]] : [])),
    ...failed.map(({ path }): [string, string] => [path, stampAt(path)]),
  ]);
}

async function describeAll(
  candidates: readonly Candidate[],
  options: DiscoverOptions & AskOptions,
): Promise<{ described: Described[]; failed: FailedTool[] }> {
  const { home, signal, fresh = false } = options;
  const cache = fresh ? noSchemas : loadSchemaCache(home);
  const known = new Map(candidates.map((one) => [one, recall(cache, one.path, one.identity)]));
  const learned = new Map<string, LearnedFile>();
  const failed: FailedTool[] = [];
  const shipped = shippedSchemas();
  const unknown = candidates.filter((candidate) => known.get(candidate) === undefined);
  await runStaggered(unknown, { atOnce, stallMs }, async (candidate) => {
    if (signal?.aborted) return;
    const { name, path, scope, identity, launcher } = candidate;
    const answer = await describe(candidate);
    if ("reason" in answer) {
      failed.push({ name, path, scope, ...answer, ...(launcher && { isLaunched: true }) });
      return;
    }
    known.set(candidate, answer);
    // Nothing is kept about what was made for one conversation.
    if (candidate.home === undefined) learned.set(path, { identity, tools: answer });
  });
  async function describe(candidate: Candidate): Promise<readonly KnownFile[] | SchemaFailure> {
    const plain = plainTools(candidate);
    if (plain) return plain;
    const answer = (fresh ? undefined : await shipped(candidate)) ?? (await askSchema(candidate, options));
    return "schema" in answer ? [answer] : answer;
  }
  if (learned.size > 0) saveSchemaCache(home, learned);
  const described = [...known].flatMap(([candidate, tools = []]) =>
    tools.map((tool) => ({ ...candidate, ...tool, name: tool.schema.name })),
  );
  return { described, failed };
}

/** Beside the tools that a host ships or makes: what each prints for `--schema`, by the SHA-256 of its file in hexadecimal. */
const fileName = "schemas.json";

/** Larger files are not hashed, in bytes: starting the tool is faster. */
const maxToolBytes = 4_194_304;

/** Returns the schema that the host has beside a tool; `undefined` if the tool must be asked. */
type ShippedSchemas = (candidate: Candidate) => Promise<KnownSchema | undefined>;

/**
 * The schemas that ship with the tools, so that the first start in a new home runs none, and those of tools that were made for one
 * conversation. Reads each file of schemas once.
 *
 * Only for a file of such a directory whose content is exactly the one that was built.
 */
function shippedSchemas(): ShippedSchemas {
  const files = new Map<string, JsonObject | undefined>();
  const schemasIn = (directory: string) => {
    if (!files.has(directory)) files.set(directory, readSchemas(join(directory, fileName)));
    return files.get(directory);
  };
  return async ({ name, path, scope, launcher, home }) => {
    const isOfHost = (scope === "system" || home !== undefined) && !launcher;
    const schemas = isOfHost ? schemasIn(dirname(path)) : undefined;
    const schema = schemas?.[(await sha256Of(path)) ?? ""];
    if (!isJsonObject(schema)) return undefined;
    const reading = readToolSchema(schema, name);
    return "schema" in reading ? reading : undefined;
  };
}

function readSchemas(path: string): JsonObject | undefined {
  try {
    const schemas = readJsonObject(readRegularFile(path));
    return schemas.ok ? schemas.value : undefined;
  } catch {
    // Missing or unreadable.
    return undefined;
  }
}

async function sha256Of(path: string): Promise<string | undefined> {
  try {
    return (await hashFile(path, maxToolBytes))?.sha256;
  } catch {
    // An executable need not be readable.
    return undefined;
  }
}

/** Write permission for the group or for others. */
const writeByOthers = 0o022;

/** Tools with the shells that the user's configuration gives them. A tool whose shell cannot be used fails. */
function withShells(
  tools: readonly RegisteredTool[],
  shells: Readonly<Record<string, string>>,
  projectDir: string,
): { readonly tools: readonly RegisteredTool[]; readonly failed: readonly FailedTool[] } {
  const failed: FailedTool[] = [];
  const usable = tools.flatMap((tool): RegisteredTool[] => {
    const { name, path, scope, launcher } = tool;
    const shell = Object.hasOwn(shells, name) && !launcher ? shells[name] : undefined;
    if (shell === undefined) return [tool];
    const problem = shellProblem(shell, projectDir);
    if (problem === undefined) return [{ ...tool, shell }];
    failed.push({ name, path, scope, reason: "not executable", detail: `its shell ${shell} ${problem}` });
    return [];
  });
  return { tools: usable, failed };
}

/** Why commands must not be given to this program: the end of a sentence. */
function shellProblem(path: string, projectDir: string): string | undefined {
  if (!isAbsolute(path)) return "is not an absolute path";
  if (!isProgram(path)) return "is not an executable file";
  if (isInside(realPathOf(path), realPathOf(projectDir))) return "is in the project";
  const { mode = 0, uid = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  const isOthers = uid !== 0 && uid !== (process.geteuid?.() ?? uid);
  return isOthers || (mode & writeByOthers) !== 0 ? "can be changed by others" : undefined;
}

/** Facts about tools other than those being ranked. */
interface RankOptions {
  /** The project's files as the user trusted them. */
  readonly projectFiles: Stamps;
  /** Names of the system's tools that gave no schema. */
  readonly failedSystemNames: ReadonlySet<string>;
}

/** A tool with its schema. */
type Described = Candidate & KnownFile;

/**
 * Picks the tool for each name: the nearest one that works. A tool that fails does not hide the ones it would override.
 *
 * @param described farthest first.
 */
function rankTools(described: readonly Described[], options: RankOptions): readonly RegisteredTool[] {
  const byName = new Map<string, RegisteredTool>();
  const spellings = new Map<string, Set<string>>();
  for (const tool of described) {
    byName.set(tool.name, register(tool, byName.get(tool.name), options));
    const plain = tool.name.toLowerCase();
    spellings.set(plain, (spellings.get(plain) ?? new Set()).add(tool.name));
  }
  const names = [...byName.keys()].sort();
  return names.flatMap((name) => {
    const tool = byName.get(name);
    return tool ? [warnOfLookalikes(tool, spellings.get(name.toLowerCase()))] : [];
  });
}

/** Registers a tool over the nearest one so far. */
function register(
  { name, path, scope, schema, plain, identity, warnings, launcher, home, skill }: Described,
  farther: RegisteredTool | undefined,
  { projectFiles, failedSystemNames }: RankOptions,
): RegisteredTool {
  const shadows = farther ? [{ path: farther.path, scope: farther.scope }, ...farther.shadows] : [];
  const shadowed = farther && !launcher ? otherFile(farther, identity.realPath) : undefined;
  const system =
    scope === "system" ? schema : (farther?.system ?? (failedSystemNames.has(name) ? "unknown" : undefined));
  const optional = {
    ...(system !== undefined && { system }),
    ...(shadowed !== undefined && { shadowed }),
    ...(scope === "project" && { trusted: projectFiles }),
    ...(launcher && { launcher }),
    ...(home !== undefined && { home }),
    ...(skill !== undefined && { skill }),
    ...(plain && { plain }),
  };
  if (farther && !launcher && dirname(farther.path) === dirname(path)) {
    const twin = `${basename(farther.path)} in the same directory is also named ${name} and is not used.`;
    return { name, path, scope, schema, identity, shadows, warnings: [...warnings, twin], ...optional };
  }
  return { name, path, scope, schema, identity, shadows, warnings, ...optional };
}

/** Skips links to the same file: the tool would be told to call itself. */
function otherFile({ identity, shadowed }: RegisteredTool, realPath: string): string | undefined {
  return identity.realPath === realPath ? shadowed : identity.realPath;
}

function warnOfLookalikes(tool: RegisteredTool, spellings: ReadonlySet<string> = new Set()): RegisteredTool {
  if (spellings.size <= 1) return tool;
  const others = [...spellings].filter((name) => name !== tool.name);
  const odd = others.map((name) => `There is also ${name}, which differs only in case.`);
  return { ...tool, warnings: [...tool.warnings, ...odd] };
}
