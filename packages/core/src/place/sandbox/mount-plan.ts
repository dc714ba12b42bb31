import { realpathSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { isInside } from "@ikigai/system";
import { listeningSockets } from "./listening-sockets.ts";
import { pointedPlaces } from "./pointed-places.ts";
import { protectedPlaces } from "./protected-places.ts";
import type { SandboxPolicy } from "./sandbox-policy.ts";
import { secretPlacesOf } from "./secret-places.ts";

/** What a tool sees at a path: what is there, to change or to look at; its own temporary files; or nothing. */
export type View = "changeable" | "shown" | "temporary" | "hidden";

/** Views by real path. The deeper path counts; what is in none of them is shown. */
export type MountPlan = ReadonlyMap<string, View>;

/** Directories of the system that are full of sockets and of other processes' affairs. */
const runtimeDirs = ["/run", "/var/run"];

/** What of those a program needs: names of hosts, and where NixOS has its programs. */
const neededAtRuntime = ["/run/current-system", "/run/opengl-driver", "/run/wrappers", "/run/systemd/resolve"];

/**
 * Decides what a tool sees of the file system.
 *
 * @throws Error, a sentence for people, when the project cannot be protected.
 */
export function mountPlan(policy: SandboxPolicy): MountPlan {
  const { home, userHome, projectDir, isReadOnly } = policy;
  const project = realpathSync.native(projectDir);
  const roots = isReadOnly ? [] : [project, ...policy.writable.flatMap(realPath)];
  const places = isReadOnly ? { writable: [], shown: [] } : protectedPlaces(project, roots, policy);
  const changeable = [...roots, ...places.writable];
  const plan = new Map<string, View>();
  const set = (paths: readonly string[], view: View) => {
    for (const path of paths.flatMap(realPath)) plan.set(path, view);
  };
  set(["/tmp", "/var/tmp", tmpdir()], "temporary");
  set(placesAround(project, plan), "shown");
  set(runtimeDirs, "hidden");
  set([userHome], "shown");
  // Who says that home is somewhere else has secrets at home all the same.
  for (const person of [userHome, homeByAccount()]) {
    set([join(person, ".ikigai"), ...secretPlacesOf(person, policy.environment)], "hidden");
  }
  const pointed = pointedPlaces(policy, [project, userHome]);
  set(
    // In a project directly below a temporary directory they would be seen as well.
    pointed.secret.flatMap(realPath).filter((path) => viewOf(plan, path) === "shown" || isInside(path, project)),
    "hidden",
  );
  set([home], "hidden");
  // Tools, and what they were added with.
  const installed = [join(home, "tools"), join(home, "packages")];
  set([...neededAtRuntime, "/etc/resolv.conf", project, ...installed, ...policy.readable, ...pointed.granted], "shown");
  set(changeable, "changeable");
  for (const path of policy.toolFiles) showTool(plan, path);
  set(policy.hidden, "hidden");
  for (const path of places.shown.flatMap(realPath)) if (viewOf(plan, path) === "changeable") plan.set(path, "shown");
  for (const socket of policy.sockets ? listeningSockets() : []) {
    const isOwn = isInside(socket, project);
    if (!isOwn && !["hidden", "temporary"].includes(viewOf(plan, socket))) set([socket], "hidden");
  }
  plan.delete("/");
  return pinned(plan, changeable.flatMap(realPath));
}

/** Of a project below a temporary directory, what is around it: shown, as it would be anywhere else. */
function placesAround(project: string, plan: MountPlan): string[] {
  let place = project;
  while (place !== dirname(place) && !plan.has(dirname(place))) place = dirname(place);
  return place === project || place === "/" ? [] : [place];
}

/** Shows what lies beside a tool too: it may need it. In a directory that is hidden or temporary itself, only the file. */
function showTool(plan: Map<string, View>, path: string): void {
  const [directory] = realPath(dirname(path));
  if (directory === undefined || ["shown", "changeable"].includes(viewOf(plan, directory))) return;
  plan.set(plan.has(directory) ? join(directory, basename(path)) : directory, "shown");
}

/** What a tool sees at a path without links. */
export function viewOf(plan: MountPlan, path: string): View {
  for (let place = path; ; place = dirname(place)) {
    const view = plan.get(place);
    if (view !== undefined) return view;
    if (place === dirname(place)) return "shown";
  }
}

/**
 * Adds the directories between a changeable one and what has a view of its own below it. A directory with a view cannot be
 * renamed; one in between could, and in its place another be made with nothing protected in it.
 */
function pinned(plan: Map<string, View>, changeable: readonly string[]): MountPlan {
  for (const path of [...plan.keys()]) {
    if (!changeable.some((root) => isInside(path, root))) continue;
    for (let above = dirname(path); above !== dirname(above) && !plan.has(above); above = dirname(above)) {
      if (!changeable.some((root) => isInside(above, root))) break;
      plan.set(above, viewOf(plan, above));
    }
  }
  return plan;
}

function homeByAccount(): string {
  try {
    return userInfo().homedir;
  } catch {
    // An account that the system does not know.
    return "/";
  }
}

/** A path without links, if there is something. */
function realPath(path: string): string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}
