import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { homeOf } from "../../host/places.ts";

/**
 * The directory in which `npm install -g` installs without --prefix: the one that the environment or an .npmrc sets, else the one
 * with the running Node. Not read are the settings that a distributor builds into npm; with those, an unneeded --prefix does no harm.
 */
export function npmPrefix(env: NodeJS.ProcessEnv, node = realpathSync(process.execPath)): string {
  const variable = (pattern: RegExp) => Object.entries(env).find(([name]) => pattern.test(name))?.[1];
  const ofNode = variable(/^PREFIX$/) || dirname(dirname(node));
  return (
    variable(/^npm_config_prefix$/i) ||
    setPrefix(variable(/^npm_config_userconfig$/i) || join(homeOf(env), ".npmrc")) ||
    setPrefix(join(ofNode, "etc", "npmrc")) ||
    ofNode
  );
}

/** The prefix in an .npmrc, as written; undefined if the file sets none or cannot be read. */
function setPrefix(path: string): string | undefined {
  try {
    return /^\s*prefix\s*=\s*(.*?)\s*$/m.exec(readFileSync(path, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}
