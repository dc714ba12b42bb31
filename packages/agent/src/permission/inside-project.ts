import { isInside } from "@ikigai/system";
import type { Permission } from "./permission.ts";
import { realTarget } from "./real-target.ts";

/** Whether a real path is inside the project, and not inside the user's directory if the project contains that. */
export function isInsideProject(real: string | undefined, { projectDir, home }: Permission): boolean {
  const realProject = realTarget(".", projectDir);
  const realHome = realTarget(home, projectDir);
  if (real === undefined || realProject === undefined) return false;
  return isInside(real, realProject) && !(realHome && isInside(real, realHome));
}
