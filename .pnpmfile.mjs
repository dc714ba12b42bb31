// Gives the published packages their address: the root's package.json is the only place that has it.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const root = import.meta.dirname;

export const hooks = { beforePacking };

/** Returns the manifest that is published: `manifest`, with `homepage`, `bugs` and `repository`. */
function beforePacking(manifest, dir) {
  const { repository } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
  const directory = relative(root, dir);
  return {
    ...manifest,
    homepage: `${repository}/tree/main/${directory}#readme`,
    bugs: `${repository}/issues`,
    repository: { type: "git", url: `git+${repository}.git`, directory },
  };
}
