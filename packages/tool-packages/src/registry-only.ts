import { Refusal } from "./refusal.ts";

/** What a package depends on, by name: a version, a range, a tag, or another name with one of these. */
export type Dependencies = Readonly<Record<string, string>>;

const packageName = /^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i;
/** Version, range or tag: no path, no address, no archive. */
const range = /^(?!\.)(?!.*\.(tgz|tar|tar\.gz)$)[\w.+~^*<>=|\s-]*$/i;
const alias = /^npm:(?<name>(@[^@/]+\/)?[^@/]+)(@(?<range>.*))?$/;

/**
 * Reads one list of dependencies of a manifest or a lock, and makes sure that each comes from the registry. One from git, an
 * address or a folder would be fetched by programs and from servers that its author chooses.
 *
 * @throws Refusal when one does not.
 */
export function registryDependencies(value: unknown, owner: string): Dependencies {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value))
    throw new Refusal(`The dependencies of ${owner} are not a JSON object. Tell its author.`);
  const entries = Object.entries(value);
  for (const [name, spec] of entries) {
    if (packageName.test(name) && typeof spec === "string" && isFromRegistry(spec)) continue;
    throw new Refusal(
      `The dependency ${JSON.stringify(name)} of ${owner} is ${JSON.stringify(spec)}, which is not a version of a package in the npm registry. ikigai fetches dependencies from the registry only: ask its author to publish that one, or to bundle it into the tool.`,
    );
  }
  return Object.fromEntries(entries);
}

function isFromRegistry(spec: string): boolean {
  const groups = alias.exec(spec)?.groups;
  return groups ? packageName.test(groups.name ?? "") && range.test(groups.range ?? "") : range.test(spec);
}
