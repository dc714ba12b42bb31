import type { ToolChanges } from "./compare-tools.ts";

/** `+2 -1 ~3`, without the kinds that did not occur. */
export function changeCounts({ added, removed, changed }: ToolChanges): string {
  const counts = [
    ["+", added],
    ["-", removed],
    ["~", changed],
  ] as const;
  return counts.flatMap(([sign, names]) => (names.length > 0 ? [`${sign}${names.length}`] : [])).join(" ");
}
