import { secretPlacesOf } from "@ikigai/sandbox";
import { isInside, userHome } from "@ikigai/system";
import { foldName } from "./fold-name.ts";
import { realTarget } from "./real-target.ts";

/** Where a call may read or edit without a question, as real paths. */
export interface ProjectBounds {
  readonly project: string;
  /** Places in or around the project that still need a question, folded: ikigai's directory, and where people keep secrets. */
  readonly except: readonly string[];
}

/** @param home the user's directory, `~/.ikigai`. Returns `undefined` if the project directory cannot be resolved. */
export function projectBounds(projectDir: string, home: string): ProjectBounds | undefined {
  const project = realTarget(".", projectDir);
  if (project === undefined) return undefined;
  return { project, except: [...around(project, [home]), ...secretsAround(project)] };
}

/** Whether a real path is in the bounds, and with `isRecursive` everything that may be below it. */
export function isFree(real: string, { project, except }: ProjectBounds, isRecursive = false): boolean {
  if (!isInside(real, project)) return false;
  if (except.length === 0) return true;
  const folded = foldName(real);
  return !except.some((place) => isInside(folded, place) || (isRecursive && isInside(place, folded)));
}

/** Whether a real path is inside the project, and in no place that always needs a question. */
export function isInsideProject(
  real: string | undefined,
  { projectDir, home }: { readonly projectDir: string; readonly home: string },
): boolean {
  const bounds = real === undefined ? undefined : projectBounds(projectDir, home);
  return real !== undefined && bounds !== undefined && isFree(real, bounds);
}

/** The secret places around the project that was asked about last: resolving all takes about as long as a call of file_read. */
let known: { readonly project: string; readonly user: string; readonly places: readonly string[] } | undefined;

function secretsAround(project: string): readonly string[] {
  const user = userHome();
  if (user === undefined) return [];
  if (known?.project !== project || known.user !== user) {
    known = { project, user, places: around(project, secretPlacesOf(user, process.env)) };
  }
  return known.places;
}

/** Those of some places that are in the project, or that it is in: where they lead, folded. */
function around(project: string, places: readonly string[]): string[] {
  const folded = foldName(project);
  return places.flatMap((place) => {
    const real = realTarget(place, project);
    const name = real === undefined ? undefined : foldName(real);
    return name !== undefined && (isInside(name, folded) || isInside(folded, name)) ? [name] : [];
  });
}
