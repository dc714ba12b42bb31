// What a tool sees at each path. First the plan, from what hides to what decides; then the files in it that decide what runs, for which
// placeholders are made where they are missing; then the sockets that other programs listen on, and the parts of ikigai itself.

import { existsSync, lstatSync, readFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import {
  isInside,
  isThere,
  makeDirectories,
  makeIfMissing,
  readNames,
  readRealPath,
  realPathOf,
  walkLinks,
} from "@ikigai/system";
import { cacheMounts } from "./caches.ts";
import { decisiveFilesIn, ruledPlaces } from "./decisive-files.ts";

import { gitPlaces } from "./git-places.ts";
import type { SandboxPolicy, View } from "./place.ts";
import { homePlaces, pointedPlaces, secretPlacesOf } from "./visible.ts";

/** Views by real path. The deepest path counts; everything else is read-only. */
export type MountPlan = ReadonlyMap<string, View>;

/** System directories full of sockets and other processes' data. */
const runtimeDirs = ["/run", "/var/run"];

/** Parts of those that programs need: host names, and NixOS's programs. */
const neededAtRuntime = ["/run/current-system", "/run/opengl-driver", "/run/wrappers", "/run/systemd/resolve"];

/**
 * Decides what a tool sees of the file system.
 *
 * @throws Error, a sentence for people, if the project cannot be protected.
 */
export function mountPlan(policy: SandboxPolicy): MountPlan {
  const { home, userHome, projectDir, isReadOnly } = policy;
  const project = readRealPath(projectDir);
  const projects = [project, ...(policy.directories ?? []).flatMap(realPath)];
  const roots = isReadOnly ? [] : [...projects, ...policy.writable.flatMap(realPath)];
  const places = isReadOnly ? { writable: [], shown: [], tracked: [] } : protectedPlaces(projects, roots, policy);
  const changeable = [...roots, ...places.writable];
  const plan = new Map<string, View>();
  const set = (paths: readonly string[], view: View) => {
    for (const path of paths.flatMap(realPath)) plan.set(path, view);
  };
  set(["/tmp", "/var/tmp", tmpdir()], "temporary");
  set(placesAround(project, plan), "shown");
  set(runtimeDirs, "hidden");
  // Even if HOME points elsewhere, the account's home has secrets.
  for (const person of [userHome, homeByAccount()].map(realPathOf)) {
    if (person !== "/" && plan.get(person) !== "temporary" && existsSync(person)) plan.set(person, "hidden");
    set(homePlaces(person, policy), "shown");
    set([join(person, ".ikigai"), ...secretPlacesOf(person, policy.environment)], "hidden");
  }
  for (const path of cacheMounts(policy).keys()) {
    const view = viewOf(plan, path);
    // Otherwise there is nothing to mount it on, or it can be changed.
    if (view === "hidden" || (view === "shown" && existsSync(path))) plan.set(path, "cache");
  }
  const pointed = pointedPlaces(policy, [...projects, userHome]);
  const isOfProject = (path: string) => projects.some((one) => isInside(path, one));
  set(
    // A project directly below a temporary directory would expose them, too.
    pointed.secret.flatMap(realPath).filter((path) => viewOf(plan, path) === "shown" || isOfProject(path)),
    "hidden",
  );
  set([home], "hidden");
  set(
    [
      ...neededAtRuntime,
      "/etc/resolv.conf",
      ...projects,
      ...installedTools(home),
      ...policy.readable,
      ...pointed.granted,
    ],
    "shown",
  );
  set(changeable, "changeable");
  for (const path of policy.toolFiles) showTool(plan, path);
  for (const path of neededByTools().flatMap(realPath)) if (!canRead(plan, path)) plan.set(path, "shown");
  if (policy.dataDir !== undefined) set([policy.dataDir], isReadOnly ? "shown" : "changeable");
  set(
    [policy.stateDir, policy.outputsDir].flatMap((own) => own ?? []),
    "changeable",
  );
  const ruled = ruledPlaces(policy.pathRules ?? [], { projects, userHome: realPath(userHome)[0] ?? userHome });
  set([...policy.hidden, ...ruled.deny], "hidden");
  for (const path of [...places.shown, ...ruled.ask].flatMap(realPath))
    if (viewOf(plan, path) === "changeable") plan.set(path, "shown");
  for (const socket of policy.sockets ? listeningSockets() : []) {
    if (!isOfProject(socket) && !["hidden", "temporary"].includes(viewOf(plan, socket))) set([socket], "hidden");
  }
  if (plan.get("/") === "hidden") throw new Error("/ cannot be hidden");
  if (roots.includes("/")) throw new Error("/ cannot be writable");
  plan.delete("/");
  pinned(plan, changeable.flatMap(realPath));
  for (const path of places.tracked.flatMap(realPath)) if (viewOf(plan, path) === "changeable") plan.set(path, "shown");
  return plan;
}

/** The topmost directory around a project below a temporary directory: shown, as it would be anywhere else. */
function placesAround(project: string, plan: MountPlan): string[] {
  let place = project;
  while (place !== dirname(place) && !plan.has(dirname(place))) place = dirname(place);
  return place === project || place === "/" ? [] : [place];
}

/** Shows a tool with its directory, which it may need. If that directory is hidden or temporary, shows only the file. */
function showTool(plan: Map<string, View>, path: string): void {
  const [directory] = realPath(dirname(path));
  if (directory === undefined || canRead(plan, directory)) return;
  plan.set(plan.has(directory) ? join(directory, basename(path)) : directory, "shown");
}

function canRead(plan: MountPlan, path: string): boolean {
  return ["shown", "changeable"].includes(viewOf(plan, path));
}

/** Returns a tool's view of a path without links. */
export function viewOf(plan: MountPlan, path: string): View {
  for (let place = path; ; place = dirname(place)) {
    const view = plan.get(place);
    if (view !== undefined) return view;
    if (place === dirname(place)) return "shown";
  }
}

/** From what permits least. */
const viewOrder = ["hidden", "temporary", "cache", "shown", "changeable"] as const;

/** Whether a process with these views can see and change nothing that the others do not permit. */
export function seesNoMore(had: MountPlan, permitted: MountPlan): boolean {
  return [...had.keys(), ...permitted.keys()].every(
    (path) => viewOrder.indexOf(viewOf(had, path)) <= viewOrder.indexOf(viewOf(permitted, path)),
  );
}

/**
 * Adds the directories between a changeable one and those below it with their own view. A mount point cannot be renamed; a
 * directory in between could be, and replaced by one with nothing protected in it.
 */
function pinned(plan: Map<string, View>, changeable: readonly string[]): void {
  for (const path of [...plan.keys()]) {
    if (!changeable.some((root) => isInside(path, root))) continue;
    for (let above = dirname(path); above !== dirname(above) && !plan.has(above); above = dirname(above)) {
      if (!changeable.some((root) => isInside(above, root))) break;
      plan.set(above, viewOf(plan, above));
    }
  }
}

function homeByAccount(): string {
  try {
    return userInfo().homedir;
  } catch {
    // The account is unknown to the system.
    return "/";
  }
}

/**
 * The path without links, if it exists.
 *
 * @throws the error of a path that is not UTF-8: another one would be hidden in its place.
 */
function realPath(path: string): string[] {
  try {
    return [readRealPath(path)];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EILSEQ") throw error;
    return [];
  }
}

/** Places that need an exception from the rule "writable inside the project, read-only outside". */
interface ProtectedPlaces {
  /** Writable although it may be outside the project: the repository of a worktree. */
  readonly writable: readonly string[];
  /** Read-only wherever it is, since it decides what runs. All of it exists. */
  readonly shown: readonly string[];
  /** Read-only where it is: the directories around it can be renamed, as a project's work may need. */
  readonly tracked: readonly string[];
}

/**
 * Finds everything that decides what runs automatically (`.ikigai`, git's hooks and configuration, this program), and creates
 * what is missing, since mounts can only protect existing paths.
 *
 * @param projects without links, like `roots`, the directories that may be changed: all projects, and others.
 * @throws Error, a sentence for people, if something cannot be protected.
 */
function protectedPlaces(
  projects: readonly string[],
  roots: readonly string[],
  policy: SandboxPolicy,
): ProtectedPlaces {
  const own = projects.map((project) => join(project, ".ikigai"));
  const link = own.find((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());
  if (link !== undefined) throw new Error(`${link} is a symbolic link, which cannot be protected`);
  const program = programPlaces(roots, policy.environment);
  // Git may write to the repository of the first one only.
  const git = projects.map((project, at) => gitPlaces(project, roots, at === 0 ? policy : { ...policy, git: false }));
  const shown = git.flatMap((one) => one.shown);
  const { placeholders, home } = policy;
  for (const path of shown) placeholders.adopt(path, home);
  const missing = git.flatMap((one) => one.missing);
  const made = missing.filter(({ path, content, mayStay, isClosed }) => {
    return mayStay ? makeIfMissing(path, content) : placeholders.hold({ path, content, isClosed }, home);
  });
  const held = own.filter((path) => placeholders.hold({ path }, home));
  return {
    writable: git.flatMap((one) => one.writable),
    tracked: git.flatMap((one) => one.tracked ?? []),
    shown: [...held, ...program, ...roots.flatMap(decisiveFilesIn), ...shown, ...made.map(({ path }) => path)],
  };
}

/**
 * Returns the paths at which processes of this machine listen. A read-only mount does not prevent connecting to a socket, and a
 * program behind one may run commands on request (a container daemon, a terminal multiplexer).
 */
function listeningSockets(): string[] {
  let table: string;
  try {
    table = readFileSync("/proc/net/unix", "utf8");
  } catch {
    return [];
  }
  const paths = new Set<string>();
  for (const line of table.split("\n").slice(1)) {
    // "Num RefCount Protocol Flags Type St Inode Path", where the path may contain spaces.
    const path = /^(?:\S+\s+){6}\d+ (\/.*)$/.exec(line)?.[1];
    if (path !== undefined && isSocket(path)) paths.add(path);
  }
  return [...paths];
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    return false;
  }
}

/**
 * Returns the parts of this program that tools could change: changes would run at its next start, outside the sandbox. Covers
 * the package of this file, the script that was started, Node itself, and the directories with links to them.
 *
 * @param roots the directories a tool may change, without links.
 * @throws Error, a sentence for people, if a part cannot be protected.
 */
export function programPlaces(roots: readonly string[], env: NodeJS.ProcessEnv): readonly string[] {
  const key = [...roots, env.IKIGAI_LIBEXEC].join("\n");
  if (last?.key !== key) last = { key, places: findPlaces(roots, env) };
  return [...last.places, ...linkedCopies(roots)];
}

let last: { readonly key: string; readonly places: readonly string[] } | undefined;

function findPlaces(roots: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const [, script] = process.argv;
  const own = fileURLToPath(import.meta.url);
  const paths = [
    own,
    process.execPath,
    ...(script ? [script] : []),
    ...(env.IKIGAI_LIBEXEC ? [env.IKIGAI_LIBEXEC] : []),
  ];
  const places = paths.flatMap((path) => placesOnTheWayTo(path, roots));
  const target = readRealPath(own);
  return [...places, ...packageOf(target)].filter(
    (place) => isThere(place) && roots.some((root) => isInside(place, root)),
  );
}

function placesOnTheWayTo(path: string, roots: readonly string[]): string[] {
  const { target, links } = walkLinks(path);
  const directories = links.filter((link) => roots.some((root) => isInside(link, root) && link !== root)).map(dirname);
  const open = directories.find((directory) => roots.includes(directory));
  if (open !== undefined) {
    throw new Error(`ikigai was started through a symbolic link in ${open}, which cannot be protected`);
  }
  const installed = [target, ...links, path].flatMap(installationsIn);
  return [...directories, ...installed, target];
}

/** Where pnpm and bun put packages in `node_modules`. */
const stores = [".pnpm", ".bun"];

/**
 * The copies of this package in a project's `node_modules`, if its files have more than one name: pnpm and bun link the files of
 * a package from one store, so what changes such a copy may change this program.
 */
function linkedCopies(roots: readonly string[]): string[] {
  const own = readRealPath(fileURLToPath(import.meta.url));
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(own) ?? [];
  if (name === undefined || lstatSync(own).nlink === 1) return [];
  return roots.flatMap((root) => {
    const modules = join(root, "node_modules");
    const versions = stores.flatMap((store) => {
      const names = isThere(join(modules, store)) ? readNames(join(modules, store)) : [];
      const ours = names.filter((one) => one.startsWith(`${name.replace("/", "+")}@`));
      return ours.map((one) => join(modules, store, one, "node_modules", name));
    });
    return [join(modules, name), ...versions].filter(isThere);
  });
}

/** For each `node_modules` in the path: its `.bin` and the package. */
function installationsIn(path: string): string[] {
  const parts = path.split(sep);
  return parts.flatMap((part, index) => {
    if (part !== "node_modules") return [];
    const directory = parts.slice(0, index + 1).join(sep);
    const first = parts[index + 1];
    return first === undefined || first === ".pnpm" ? [] : [join(directory, ".bin"), join(directory, first)];
  });
}

/** In a checkout: the built files, and the files that say how they are run. */
function packageOf(file: string): string[] {
  const built = file.includes(`${sep}node_modules${sep}`) ? undefined : buildOf(file);
  if (built === undefined) return [];
  const directory = dirname(built);
  if (isThere(join(directory, "libexec"))) makeCodeCache(directory);
  return [built, ...["libexec", "bin", "package.json", codeCache].map((name) => join(directory, name))];
}

/** Where the command keeps its compiled code, which runs instead of its source. */
const codeCache = "code-cache";

/** What is missing cannot be protected: a tool would make it. */
function makeCodeCache(directory: string): void {
  try {
    makeDirectories(join(directory, codeCache), 0o755);
  } catch {
    // Where ikigai cannot write, neither can its tools.
  }
}

/** The directory directly in a package that a file of it is below. */
function buildOf(file: string): string | undefined {
  for (let place = dirname(file); place !== dirname(place); place = dirname(place)) {
    if (["dist", "src"].includes(basename(place))) return place;
  }
  return undefined;
}

/** Where the user's tools are, and the packages that some of them are links to. */
export function installedTools(home: string): readonly string[] {
  return [join(home, "tools"), join(home, "packages")];
}

/** What tools may run of this program, wherever it is installed: the programs that come with it, and Node. */
export function neededByTools(): readonly string[] {
  const programs = besideProgram();
  return [process.execPath, ...(programs === undefined ? [] : [programs])];
}

/** The directory of the programs that come with this one, or one in it; `undefined` if this one is not built. */
export function besideProgram(name = ""): string | undefined {
  const built = buildOf(readRealPath(fileURLToPath(import.meta.url)));
  return built && join(dirname(built), "libexec", name);
}
