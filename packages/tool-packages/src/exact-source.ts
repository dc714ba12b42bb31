import type { InstalledPackage } from "./install-record.ts";

/** What to fetch to get what was added once more, and nothing newer: its version, or its commit. */
export function exactSource(name: string, { source, version, commit, resolved = "" }: InstalledPackage): string {
  if (commit !== undefined) return `${source.replace(/#.*$/s, "")}#${commit}`;
  // What came from an archive has its version, and no registry that knows it.
  return /^https?:.*\/-\//.test(resolved) ? `npm:${name}@${version}` : source;
}
