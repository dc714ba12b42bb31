// How much memory and processor time a process and its descendants use, from /proc.
import { readdirSync, readFileSync } from "node:fs";

const msPerTick = 10;

/**
 * Samples every 20 ms until `stop` is called, which returns the maximum in MiB: `rss` counts what processes share
 * for each of them, as most tools do; `pss` counts it once. `cpu` is processor time in milliseconds, of children too short to be
 * seen as their parents have counted it.
 */
export function watchMemory(rootPid) {
  const peak = { rss: 0, pss: 0 };
  const ticks = new Map();
  const timer = setInterval(() => {
    const family = familyOf(rootPid);
    peak.rss = Math.max(peak.rss, sum(family.map(({ pages }) => pages / 256)));
    peak.pss = Math.max(peak.pss, sum(family.map(({ pid }) => proportional(pid))));
    for (const one of family) ticks.set(one.pid, one.ticks);
  }, 20);
  return {
    stop() {
      clearInterval(timer);
      return { ...peak, cpu: msPerTick * sum([...ticks.values()]) };
    },
  };
}

/** What a process and its descendants use now: resident memory in MiB, and processor time so far in milliseconds. */
export function usageOf(rootPid) {
  const family = familyOf(rootPid);
  return { rss: sum(family.map(({ pages }) => pages / 256)), cpu: msPerTick * sum(family.map(({ ticks }) => ticks)) };
}

function familyOf(rootPid) {
  const processes = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readStat);
  const family = new Set([rootPid]);
  for (const { pid, parent } of processes) if (family.has(parent)) family.add(pid);
  return processes.filter(({ pid }) => family.has(pid));
}

function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return [
      {
        pid: Number(pid),
        parent: Number(fields[1]),
        pages: Number(fields[21]),
        ticks: sum(fields.slice(11, 15).map(Number)),
      },
    ];
  } catch {
    return [];
  }
}

function proportional(pid) {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
