import { realPathOf } from "@ikigai/system";
import { workingDirectory } from "../process/working-directory.ts";
import type { FailedTool, Registry } from "../registry/registry.ts";
import { type Stamps, stampAt } from "../registry/stamps.ts";
import { examineProject } from "../trust/project-trust.ts";
import { trustFile } from "../trust/trust-store.ts";
import { type AskOptions, askSchema } from "./ask-schema.ts";
import { type LauncherSettings, launchedCandidates } from "./launched-candidates.ts";
import { type Candidate, type Listing, listCandidates } from "./list-candidates.ts";
import { isTrusted, whyUntrusted } from "./project-gate.ts";
import { type Described, rankTools } from "./rank-tools.ts";
import { runStaggered } from "./run-staggered.ts";
import { loadSchemaCache, recall, type SchemaCache, saveSchemaCache } from "./schema-cache.ts";
import { shippedSchema } from "./shipped-schemas.ts";
import { type ToolDirectory, type ToolPlaces, toolDirectories } from "./tool-directories.ts";

/** Where tools are looked for, and for whom. */
export interface DiscoverOptions extends Omit<ToolPlaces, "projectDir">, Omit<AskOptions, "projectDir"> {
  /** The user's directory (`~/.ikigai`): what they trust is kept there, and what the tools said. */
  readonly home: string;
  /** This process's working directory unless told. Only its `.ikigai/tools/` counts. */
  readonly projectDir?: string | undefined;
  /** Other directories than those of these places, farthest first. */
  readonly directories?: readonly ToolDirectory[] | undefined;
  /** The tools that run somewhere else, by name. */
  readonly launchers?: Readonly<Record<string, LauncherSettings>> | undefined;
  /** Asks every tool again, also those whose files have not changed. */
  readonly fresh?: boolean | undefined;
}

/** How many tools are asked at once: enough to fill the processors, too few to run out of descriptors. */
const atOnce = 8;

/** What a script takes to start on a busy machine, several times over. Each batch of tools that hang costs this much. */
const stallMs = 100;

/**
 * Finds the tools that can be called, and says why the others cannot.
 *
 * A tool is asked for its schema by running it, unless its file is as it was the last time. Nothing of a project is run
 * before its files are the ones that the user has trusted.
 *
 * @throws the reason of `signal` when it was aborted; whatever was running has ended by then. Nothing else.
 */
export async function discover(places: DiscoverOptions): Promise<Registry> {
  const options = { ...places, projectDir: places.projectDir ?? workingDirectory() };
  const { directories = toolDirectories(options), home, signal } = options;
  const before = stampPlaces(directories, home);
  const project = await examineProject(options);
  const listing = withLaunched(listCandidates(directories), options);
  const allowed = listing.candidates.filter((candidate) => isTrusted(candidate, project));
  const { described, failed } = await describeAll(allowed, options);
  signal?.throwIfAborted();
  const refused = listing.candidates
    .filter((candidate) => !allowed.includes(candidate))
    .map(({ name, path, scope }) => ({ name, path, scope, ...whyUntrusted(project.report) }));
  const failures = [...listing.failed, ...refused, ...failed];
  const failedSystemNames = new Set(failures.flatMap(({ name, scope }) => (scope === "system" ? [name] : [])));
  return {
    tools: rankTools(described, { projectFiles: project.files, failedSystemNames }),
    failed: failures.sort((a, b) => (a.path < b.path ? -1 : 1)),
    trust: project.report.status,
    problems: listing.problems,
    seen: new Map([...before, ...project.directories, ...project.files, ...stampFiles(listing)]),
  };
}

function withLaunched(listing: Listing, { launchers = {} }: DiscoverOptions): Listing {
  const launched = launchedCandidates(launchers, listing.candidates);
  return {
    candidates: [...listing.candidates, ...launched.candidates],
    failed: [...listing.failed, ...launched.failed],
    problems: listing.problems,
  };
}

/** Taken before anything is read, so that what changes meanwhile shows. A link counts, and the directory it leads to. */
function stampPlaces(directories: readonly ToolDirectory[], home: string): Stamps {
  const paths = directories.flatMap(({ path }) => [path, realPathOf(path)]);
  return new Map([...paths, trustFile(home)].map((path) => [path, stampAt(path)]));
}

function stampFiles({ candidates, failed }: Listing): Stamps {
  return new Map([
    ...candidates.filter(({ launcher }) => !launcher).map(({ path, stamp }): [string, string] => [path, stamp]),
    ...failed.map(({ path }): [string, string] => [path, stampAt(path)]),
  ]);
}

async function describeAll(
  candidates: readonly Candidate[],
  options: DiscoverOptions & AskOptions,
): Promise<{ described: Described[]; failed: FailedTool[] }> {
  const { home, signal, fresh = false } = options;
  const cache = fresh ? new Map() : loadSchemaCache(home);
  const learned: SchemaCache = new Map();
  const failed: FailedTool[] = [];
  const unknown = candidates.filter(({ path, identity }) => !recall(cache, path, identity));
  await runStaggered(unknown, { atOnce, stallMs }, async (candidate) => {
    if (signal?.aborted) return;
    const { name, path, scope, identity } = candidate;
    const shipped = fresh ? undefined : await shippedSchema(candidate);
    const answer = shipped ?? (await askSchema(candidate, options));
    if ("schema" in answer) learned.set(path, { identity, ...answer });
    else failed.push({ name, path, scope, ...answer });
  });
  if (learned.size > 0) saveSchemaCache(home, learned);
  const described = candidates.flatMap((candidate) => {
    const known = learned.get(candidate.path) ?? recall(cache, candidate.path, candidate.identity);
    return known ? [{ ...candidate, ...known }] : [];
  });
  return { described, failed };
}
