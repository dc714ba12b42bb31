// Short forms for people: of paths, dates, sizes, durations and numbers of tokens.

import { relative } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { sanitiseLine, sanitiseStrictly } from "@ikigai/screen";
import { homeOf, isBelow, namedPath } from "../host/places/find-places.ts";

/** A short form of a path, sanitised: relative to the project, else with `~` for the home directory. @param projectDir if empty: the whole path. */
export function shortPath(path: string, { projectDir }: Pick<Places, "projectDir">, env = process.env): string {
  const named = projectDir === "" ? path : namedPath(path);
  if (named !== path) return sanitiseStrictly(sanitiseLine(named));
  const home = homeOf(env);
  const inHome = isBelow(path, home) ? `~${path.slice(home.length)}` : path;
  // In the home directory and above it, `~` shows that a tool is the user's own.
  const isFromHere = isBelow(path, projectDir) && path !== projectDir && !isBelow(home, projectDir);
  return sanitiseStrictly(sanitiseLine(isFromHere ? relative(projectDir, path) : inHome));
}

const minuteMs = 60_000;

/** How long ago a date was: `just now`, `5 min ago`, `3 h ago`, `2 days ago`, else the date. */
export function age(date: Date, now = new Date()): string {
  const minutes = Math.floor((now.getTime() - date.getTime()) / minuteMs);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  const days = Math.floor(minutes / (24 * 60));
  if (days < 30) return `${days} day${days === 1 ? "" : "s"} ago`;
  return date.toISOString().slice(0, 10);
}

/** A readable size: `940 B`, `12 KB`, `1.4 MB`, `2.0 GB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1_000)} KB`;
  return bytes < 999_950_000 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** A readable duration: `3 ms`, `1.0 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A sum of money: `$0.31`, small ones `$0.004`. */
export function dollars(cost: number): string {
  return `$${cost.toFixed(cost > 0 && cost < 0.1 ? 3 : 2)}`;
}
