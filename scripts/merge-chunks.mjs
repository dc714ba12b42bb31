// Decides which chunks of a bundle become one file. A bundler makes a chunk of all modules that are reached from the same dynamic
// imports: more than a hundred small ones for a program with many commands.

/**
 * What loading one more file costs, as bytes of code that cost the same: 0.25 ms, where 1 MB takes 20 ms with the compiled code of an
 * earlier start, and 60 without (Node 20 and 24).
 */
const fileCost = 6_000;

/**
 * Merges chunks while that makes starts cheaper. No two of the resulting files import each other.
 *
 * @param chunks `{ name, size, imports, dynamicImports, isStart }` each, the entry first. Imports are indexes; `isStart` marks the
 *   target of a dynamic import.
 * @param weightOf how often a start that loads this chunk counts.
 * @returns the chunks of each file, by index. The entry stays alone.
 */
export function mergeChunks(chunks, weightOf = () => 1) {
  const needs = chunks.map((_, index) => reachable(chunks, [index], ({ imports }) => imports));
  const starts = startsOf(chunks, needs, weightOf);
  const files = new Map(chunks.map(({ size }, index) => [index, { size, chunks: [index] }]));
  for (let best = bestMerge(files, needs, starts); best; best = bestMerge(files, needs, starts)) {
    const [a, b] = best;
    const [file, other] = [files.get(a), files.get(b)];
    file.size += other.size;
    file.chunks.push(...other.chunks);
    files.delete(b);
    const needed = union(needs[a], needs[b]);
    for (const set of [...needs, ...starts.map(({ loads }) => loads)]) {
      if (!set[a] && !set[b]) continue;
      for (const index of files.keys()) set[index] |= needed[index];
      set[a] = 1;
      set[b] = 0;
    }
  }
  return [...files.values()].map((file) => file.chunks);
}

/** Each start: its weight, and the chunks that it loads with those that are certain to be loaded before. */
function startsOf(chunks, needs, weightOf) {
  const loadedBefore = chunks.map(({ isStart }, index) => (isStart ? [index] : []));
  const next = ({ imports, dynamicImports }) => [...imports, ...dynamicImports];
  for (const [index] of chunks.entries()) {
    const others = reachable(chunks, [0], (chunk) => next(chunk).filter((id) => id !== index));
    for (const [start, { isStart }] of chunks.entries()) if (isStart && !others[start]) loadedBefore[start].push(index);
  }
  return loadedBefore.flatMap((loaded, index) =>
    loaded.length === 0 ? [] : [{ weight: weightOf(chunks[index]), loads: union(...loaded.map((id) => needs[id])) }],
  );
}

function reachable(chunks, from, next) {
  const found = new Uint8Array(chunks.length);
  const queue = [...from];
  for (const index of queue) {
    if (found[index]) continue;
    found[index] = 1;
    queue.push(...next(chunks[index]));
  }
  return found;
}

function union(first, ...others) {
  return first.map((isIn, index) => isIn | others.some((set) => set[index]));
}

/** The two files whose merge saves most; undefined if no merge saves anything. */
function bestMerge(files, needs, starts) {
  const indexes = [...files.keys()].filter((index) => index !== 0);
  let best;
  let bestCost = 0;
  for (const a of indexes) {
    for (const b of indexes) {
      if (b <= a) continue;
      const cost = mergeCost(files, needs, starts, [a, b], bestCost);
      if (cost >= bestCost || makesCycle(indexes, needs, a, b)) continue;
      best = [a, b];
      bestCost = cost;
    }
  }
  return best;
}

/** What a merge adds to all starts, in bytes; negative if it saves. Not exact if it is not below `limit`. */
function mergeCost(files, needs, starts, [a, b], limit) {
  let cost = 0;
  for (const { weight, loads } of starts) if (loads[a] && loads[b]) cost -= weight * fileCost;
  for (const { weight, loads } of starts) {
    if (cost >= limit) break;
    if (loads[a] !== loads[b]) cost += weight * addedBytes(files, needs, loads, loads[a] ? b : a);
  }
  return cost;
}

/** What a start has to load in addition when it gets this file with another. */
function addedBytes(files, needs, loads, added) {
  let bytes = files.get(added).size;
  for (const [index, { size }] of files) {
    if (index !== added && needs[added][index] && !loads[index]) bytes += size + fileCost;
  }
  return bytes;
}

function makesCycle(indexes, needs, a, b) {
  return indexes.some((c) => c !== a && c !== b && ((needs[a][c] && needs[c][b]) || (needs[b][c] && needs[c][a])));
}
