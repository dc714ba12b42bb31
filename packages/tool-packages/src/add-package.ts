// Adds a package of tools, or updates one: fetches it into a stage, offers it to the user, reads the schemas of its tools, offers
// those, and puts it in its place. Nothing in it runs before the user has agreed; a failure changes nothing.
import { existsSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { type Registry, type ToolDirectory, type TrustReport, trustStatus } from "@ikigai/core";
import { toolNameOf } from "@ikigai/protocol";
import { nearestWord, withoutPassword } from "@ikigai/system";
import type { DependencyLock } from "./dependency-lock.ts";
import { fetchPackage, type StagedPackage } from "./fetch-package.ts";
import { install, refuseTakenParts, trustInstalled } from "./install.ts";
import {
  type KnownTools,
  type OfferContext,
  type OfferedTool,
  offeredTools,
  type StagedTool,
  stagedTools,
} from "./offered-tools.ts";
import { exactSource, type Registries, readSource, type Source } from "./read-source.ts";
import { Refusal } from "./refusal.ts";
import { type Stage, withStage } from "./stage.ts";
import {
  type InstalledPackage,
  type InstalledState,
  type ProjectPlaces,
  serverOf,
  type ToolRoot,
} from "./tool-root.ts";
import { compareTrees, type FileDifference } from "./tree.ts";

/** What to update, and where. */
export interface UpdateRequest {
  readonly root: ToolRoot;
  readonly places: ProjectPlaces & { readonly directories: readonly ToolDirectory[] };
  readonly env: NodeJS.ProcessEnv;
  readonly registries: Registries;
  readonly dialog: PackageDialog;
}

/** What to add, and where. */
export interface AddRequest extends UpdateRequest {
  /** As the user wrote it. */
  readonly source: string;
  /** New name for its only tool. */
  readonly as?: string | undefined;
}

/** A package as it was added, to be fetched again. */
interface Earlier {
  readonly name: string;
  /** Fetched instead of the source to repair changed or missing files; the record keeps the source. */
  readonly exact?: string;
}

/** What the user sees and is asked. */
export interface PackageDialog {
  /** The tools that there are now. */
  knownTools(): Promise<KnownTools>;
  /** The package is fetched now. */
  onFetch(source: string): void;
  /** An added package has changed since, or is incomplete. */
  onState(name: string, state: Exclude<InstalledState, "same">): void;
  /** Shows a package and what it would change, and asks. */
  offerPackage(offer: PackageOffer): Promise<"agreed" | Unfinished>;
  /** Shows the schemas of its tools, and asks about what they need. */
  offerTools(offer: ToolsOffer): Promise<"agreed" | Unfinished>;
}

/** Why nothing was installed. `shown`: the user only wanted to see it. `unasked`: no terminal to confirm on. */
type Unfinished = "declined" | "shown" | "unasked";

/** A fetched package, before any of it has run. */
export interface PackageOffer {
  readonly name: string;
  readonly staged: StagedPackage;
  readonly tools: readonly StagedTool[];
  /** Where the user can look into it. */
  readonly folder: string;
  readonly entry: InstalledPackage;
  /** The installed version. */
  readonly before: InstalledPackage | undefined;
  /** How the files differ from those of the installed version, and which of its tools are missing. */
  readonly differences: { readonly files: readonly FileDifference[]; readonly lostTools: readonly string[] };
}

/** What the tools of a package say about themselves. */
export interface ToolsOffer extends Pick<PackageOffer, "before"> {
  readonly tools: readonly OfferedTool[];
  readonly registry: Registry;
}

/** What became of a package. */
export type InstallEnd =
  | { readonly end: Unfinished }
  | { readonly end: "up to date"; readonly name: string; readonly entry: InstalledPackage }
  | { readonly end: "installed"; readonly offer: PackageOffer; readonly trust: TrustReport | undefined };

/**
 * Adds a package.
 *
 * @throws Refusal if it cannot be fetched, has no tools, or conflicts with another package.
 */
export function addPackage(request: AddRequest): Promise<InstallEnd> {
  return fetchAndOffer(request);
}

/**
 * Finds what to update; each function updates one package.
 *
 * @param wanted the name of a package or tool; `undefined` for all.
 * @throws Refusal if there is no such package, it is that of an MCP server, or the project is not trusted. The functions throw as `addPackage`.
 */
export async function packageUpdates(
  wanted: string | undefined,
  request: UpdateRequest,
): Promise<readonly (() => Promise<InstallEnd>)[]> {
  const { root, places } = request;
  await refuseUntrusted(root, places);
  return choose(wanted, root).map(
    ([name, entry]) =>
      () =>
        updateOne(name, entry, request),
  );
}

/** A project's record says where to fetch from, so it must be trusted. */
async function refuseUntrusted({ scope, path }: ToolRoot, places: UpdateRequest["places"]): Promise<void> {
  if (scope === "user") return;
  const { status } = await trustStatus(places);
  if (status === "untrusted" || status === "changed")
    throw new Refusal(
      `You have not trusted ${path}, whose tools.json names what to fetch. To see the files and trust them: ikigai trust`,
    );
}

function choose(wanted: string | undefined, root: ToolRoot): [string, InstalledPackage][] {
  if (wanted === undefined) return [...root.record()].filter(([, entry]) => serverOf(entry) === undefined);
  const found = root.find(wanted);
  const server = found && serverOf(found[1]);
  if (server !== undefined)
    throw new Refusal(`${found?.[0]} is the package of an MCP server. To update it: ikigai mcp update ${server}`);
  if (found) return [found];
  const nearest = nearestWord(wanted, root.names());
  const advice = nearest === undefined ? "See: ikigai tool list" : `Did you mean ${nearest}?`;
  throw new Refusal(`No tool or package ${JSON.stringify(wanted)} was added to ${root.path}. ${advice}`);
}

async function updateOne(name: string, entry: InstalledPackage, request: UpdateRequest): Promise<InstallEnd> {
  const { root, places, dialog } = request;
  const state = root.stateOf(entry);
  if (state !== "same") dialog.onState(name, state);
  const { source, as } = entry;
  refuseMissing(name, source, root, places);
  const exact = state === "same" ? {} : { exact: exactSource(name, entry) };
  return fetchAndOffer({ ...request, source, as }, { name, ...exact });
}

/** A path in a project's record may be one of another machine. */
function refuseMissing(name: string, source: string, { scope }: ToolRoot, { projectDir }: ProjectPlaces): void {
  const isPath = isAbsolute(source) || source.startsWith("./");
  if (!isPath || existsSync(resolve(projectDir, source))) return;
  const flag = scope === "project" ? " --project" : "";
  throw new Refusal(
    `${name} was added from ${source}, which does not exist here. To update it, remove it and add it from where it is now: ` +
      `ikigai tool remove ${name}${flag} && ikigai tool add PATH${flag}`,
  );
}

/** Fetches a package and installs it if the user agrees. */
async function fetchAndOffer(request: AddRequest, earlier?: Earlier): Promise<InstallEnd> {
  const { root, places, env, as, registries, dialog } = request;
  const source = readSource(earlier?.exact ?? request.source, places.projectDir, registries);
  // An @ follows a version there, not a login.
  const shown = "member" in source ? request.source : withoutPassword(request.source);
  dialog.onFetch(shown);
  return withStage(places.home, async (stage) => {
    const lock = knownLock(source, root, earlier);
    const staged = await fetchPackage(source, stage, { env, wantedName: as, lock });
    const recorded = earlier?.exact === undefined ? recordedSource(source, request) : request.source;
    const entry = entryFor(staged, { source: recorded, ...(as !== undefined && { as }) }, stage);
    const name = earlier?.name ?? staged.name;
    if (name !== staged.name)
      throw new Refusal(`${shown} contains ${staged.name} now, not ${name}. Remove ${name} and add it again.`);
    const before = root.record().get(name);
    const server = before && serverOf(before);
    if (server !== undefined)
      throw new Refusal(`${name} is the package of an MCP server. Remove that first: ikigai mcp remove ${server}`);
    root.refuseConflicts(name, entry);
    refuseTakenParts(entry, before, stage, root);
    if (before && earlier && earlier.exact === undefined && before.sha256 === entry.sha256)
      return { end: "up to date", name, entry: before };
    const { registry, sandboxFor } = await dialog.knownTools();
    const context = { source, stage, root, directories: places.directories, sandboxFor, registry, env };
    return offer({ name, staged, entry, before }, request, context);
  });
}

/** Shows, asks, and installs. */
async function offer(
  fetched: Pick<PackageOffer, "name" | "staged" | "entry" | "before">,
  { root, places, dialog }: AddRequest,
  context: OfferContext,
): Promise<InstallEnd> {
  const { name, staged, entry, before } = fetched;
  const { stage, registry } = context;
  const differences = before ? differencesOf(before, entry, stage, root) : { files: [], lostTools: [] };
  const whole = { ...fetched, tools: stagedTools(staged, context), folder: stage.content, differences };
  const first = await dialog.offerPackage(whole);
  if (first !== "agreed") return { end: first };
  const tools = await offeredTools(staged, context);
  const second = await dialog.offerTools({ tools, before, registry });
  if (second !== "agreed") return { end: second };
  const schemas = new Map(tools.map(({ fileName, schema }) => [fileName, schema]));
  const needsOf = (fileName: string) => schemas.get(fileName)?.ikigai?.needs;
  const parts = await install(name, entry, { stage, root, places, needsOf });
  const trust = await trustInstalled(root, places, { name, entries: [before, entry], parts });
  return { end: "installed", offer: whole, trust };
}

/** The record's entry of a staged package. */
function entryFor(
  staged: StagedPackage,
  given: Pick<InstalledPackage, "source" | "as">,
  stage: Stage,
): InstalledPackage {
  const { version, sha256, facts, tools, isSingleFile, name, bringsMore, packageDir } = staged;
  const place = isSingleFile ? {} : { directory: stage.folder(name, sha256) };
  return stage.entry(
    { ...given, version, sha256, ...facts, ...place, ...(bringsMore && { folder: packageDir }) },
    tools,
  );
}

function differencesOf(before: InstalledPackage, entry: InstalledPackage, { content }: Stage, root: ToolRoot) {
  const [old = ""] = Object.keys(before.tools);
  const [now = ""] = Object.keys(entry.tools);
  // Two folders, or two files if both versions are a single file.
  const files = compareTrees(
    before.directory === undefined ? join(root.tools, old) : join(root.packages, before.directory),
    entry.directory === undefined ? join(content, now) : content,
  );
  const lost = Object.keys(before.tools).filter((fileName) => !existsSync(join(root.tools, fileName)));
  return { files, lostTools: lost.map(toolNameOf) };
}

/** The recorded versions of a package's dependencies, so that an update changes only the package itself. */
function knownLock(source: Source, root: ToolRoot, earlier: Earlier | undefined): DependencyLock | undefined {
  const name = earlier?.name ?? (source.kind === "npm" ? source.spec.replace(/(?<=.)@[^@/]*$/, "") : undefined);
  return name === undefined ? undefined : root.record().get(name)?.lock;
}

/** The source to record: a path relative to the project if it is inside, otherwise absolute. */
function recordedSource(source: Source, { source: text, root, places }: AddRequest): string {
  if ("member" in source) return text;
  const path = "path" in source ? source.path : "spec" in source && isAbsolute(source.spec) ? source.spec : undefined;
  if (path === undefined) return withoutPassword(text);
  const inside = relative(places.projectDir, path);
  return root.scope === "project" && !inside.startsWith("..") ? `./${inside}` : path;
}
