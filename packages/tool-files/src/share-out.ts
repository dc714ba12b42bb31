/** How a room was shared out. */
export interface Shares {
  /** How many items of each group fit, in the groups' order. */
  readonly counts: readonly number[];
  /** Whether all items fit. */
  readonly isAll: boolean;
}

/**
 * Shares out a room among groups: in each round every group gets its next item, if that still fits. So no group, however large, hides
 * another.
 *
 * @param sizes how many items each group has.
 * @param cost how much room an item takes.
 */
export function shareOut(
  sizes: readonly number[],
  room: number,
  cost: (group: number, item: number) => number,
): Shares {
  const counts = sizes.map(() => 0);
  let left = room;
  let open = sizes.flatMap((size, group) => (size > 0 ? [group] : []));
  let isAll = true;
  while (open.length > 0) {
    const next: number[] = [];
    for (const group of open) {
      const item = counts[group] ?? 0;
      const taken = cost(group, item);
      if (taken > left) {
        isAll = false;
        continue;
      }
      left -= taken;
      counts[group] = item + 1;
      if (item + 1 < (sizes[group] ?? 0)) next.push(group);
    }
    open = next;
  }
  return { counts, isAll };
}

/** How many directories are named. */
const maxNamed = 3;

/** Says which directories have the most of something: "most in src (120), docs (40)". */
export function describeMost(counts: ReadonlyMap<string, number>): string {
  const most = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, maxNamed);
  return `most in ${most.map(([directory, count]) => `${directory} (${count})`).join(", ")}`;
}

/** The directory of a path below `base`, at most two names deep, so that many files make few directories. */
export function districtOf(path: string, base: string): string {
  const start = base === "" || base.endsWith("/") || !path.startsWith(`${base}/`) ? base : `${base}/`;
  const inside = path.startsWith(start) ? path.slice(start.length) : path;
  const names = inside.split("/").slice(0, -1).slice(0, 2);
  return names.length === 0
    ? base.replace(/\/$/, "") || "."
    : `${path.startsWith(start) ? start : ""}${names.join("/")}`;
}
