import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { ServerPlace } from "./server-place.ts";

/** What a server gets that asks where the project is. */
export function projectRoots({ projectDir }: Pick<ServerPlace, "projectDir">) {
  return { roots: [{ uri: pathToFileURL(projectDir).href, name: basename(projectDir) }] };
}
