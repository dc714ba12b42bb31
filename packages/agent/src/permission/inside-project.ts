import { isInside } from "@ikigai/system";
import type { Permission } from "./permission.ts";
import { realTarget } from "./real-target.ts";

/** Whether a real path lies in the project, and not in the user's own directory if that should be inside it. */
export function isInsideProject(real: string | undefined, { projectDir, home }: Permission): boolean {
  const realProject = realTarget(".", projectDir);
  const realHome = realTarget(home, projectDir);
  if (real === undefined || realProject === undefined) return false;
  return isInside(real, realProject) && !(realHome && isInside(real, realHome));
}
