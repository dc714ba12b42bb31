// The tool: reads the request, searches for each reading of the pattern until one is found, and presents the lines that fit.

import { BraceLimitError } from "@ikigai/posix/glob";
import { argumentAliases } from "@ikigai/protocol";
import { SearchGaps } from "@ikigai/tool-files";
import { defineTool, monotonicMs, ToolFailure } from "@ikigai/tool-sdk";
import type { SearchOptions } from "./match-list.ts";
import { type CompiledReading, readingsOf } from "./pattern-readings.ts";
import { bytesFor, hintsFor, jsonBytes, missingHint, moreOf, present, type Searched, type Shown } from "./present.ts";
import { accepted, type FilePath, hasBelow, listBelow, listFiles, type Request, readRequest } from "./read-request.ts";
import { output, parameters } from "./schema.ts";
import { type Found, searchFiles } from "./search-files.ts";

export const grep = defineTool({
  name: "grep",
  description:
    "Search files for a regular expression, line by line. Without a glob, the directories below are searched, too. What git ignores is left out below, unless path or glob names it. There is no lookahead; escape ( ) { } | + to find them as such. To find files by name, use glob.",
  parameters,
  output,
  annotations: { readOnlyHint: true, openWorldHint: false },
  ikigai: {
    prestart: true,
    serves: true,
    answerBytes: 15_000,
    access: { kind: "search-files", path: "path", pattern: "glob" },
  },
  aliases: argumentAliases["search-files"],
  accepts: accepted,
  async run(args, { maxOutputBytes: maxBytes, answerBytes, stopAtMs }) {
    const asked = readRequest(args);
    const isShared = Number.isFinite(answerBytes);
    const search = { asked, maxBytes, isShared, stopAtMs };
    // First, so that an invalid pattern is an error even if there are no files.
    const [own, ...others] = readingsOf(asked, isShared);
    let searched = await searchFor(own, search);
    for (const other of others) {
      if (countOf(searched) > 0 || searched.gaps.isStopped) break;
      const again = await searchFor(other, search);
      if (countOf(again) > 0) searched = again;
    }
    return isShared ? sharedAnswer(asked, searched, maxBytes) : wholeAnswer(asked, searched);
  },
});

interface Search {
  readonly asked: Request;
  readonly maxBytes: number;
  readonly isShared: boolean;
  readonly stopAtMs: number;
}

async function searchFor(reading: CompiledReading, { asked, maxBytes, isShared, stopAtMs }: Search): Promise<Searched> {
  const { regex, pattern, ignoreCase } = reading;
  const gaps = new SearchGaps(() => monotonicMs() >= stopAtMs);
  const search = (files: Iterable<FilePath>) =>
    searchPlace(files, regex, { pattern, ignoreCase, maxBytes, isShared, stopAtMs });
  const level = await search(listFiles(asked, gaps, isShared));
  const below = isShared && hasBelow(asked) ? await search(listBelow(asked, gaps)) : undefined;
  return { place: asked, reading, level, below, gaps, isShared };
}

function countOf({ level, below }: Searched): number {
  return level.count + (below?.count ?? 0);
}

async function searchPlace(
  files: Iterable<FilePath>,
  regex: CompiledReading["regex"],
  options: SearchOptions,
): Promise<Found> {
  try {
    return await searchFiles(files, regex, options);
  } catch (error) {
    if (!(error instanceof BraceLimitError)) throw error;
    throw new ToolFailure("INVALID_PATTERN", "Invalid glob pattern", {
      hint: `${error.message}. Make several searches.`,
    });
  }
}

/** All that was found and kept. The SDK cuts what the host does not take. */
function wholeAnswer(request: Request, searched: Searched) {
  const { level, gaps } = searched;
  const { missing, ...shown } = present(level, request, Number.POSITIVE_INFINITY);
  const hint = hintsFor(request, searched).join(" ");
  const isTruncated = missing.size > 0 || level.isCut || gaps.describe().length > 0;
  return { ...shown, count: level.count, ...(isTruncated && { truncated: true }), ...(hint !== "" && { hint }) };
}

/** What an answer takes besides lines and hints, in bytes of JSON; and what names and hints about missing lines may take. */
const frameBytes = 200;
const missingBytes = 2_300;

/** The share of the room that is kept for the directories below if they need it. */
const belowShare = 1 / 3;

/** What is worth a model's reading: a share of each file, and where the rest is. */
function sharedAnswer(request: Request, searched: Searched, maxBytes: number) {
  const { level, below, gaps } = searched;
  const hints = hintsFor(request, searched);
  const room = Math.max(maxBytes - frameBytes - jsonBytes(hints.join(" ")), 0);
  const needed = bytesFor(level, request, room) + (below ? bytesFor(below, request, room) : 0);
  const shown = presentBoth(request, searched, needed <= room ? room : Math.max(room - missingBytes, room / 2));
  const missing = new Map([...shown.level.missing, ...(shown.below?.missing ?? [])]);
  const hint = [...hints, missingHint(missing, request) ?? ""].filter(Boolean).join(" ");
  const clipped = (shown.level.clipped ?? 0) + (shown.below?.clipped ?? 0);
  const isTruncated = missing.size > 0 || level.isCut || below?.isCut === true || gaps.describe().length > 0;
  return {
    ...linesOf(shown.level),
    count: level.count,
    ...(below &&
      below.count > 0 && {
        below: { count: below.count, files: below.files.length, ...(shown.below && linesOf(shown.below)) },
      }),
    ...(clipped > 0 && { clipped }),
    ...(isTruncated && { truncated: true }),
    ...(hint !== "" && { hint }),
  };
}

function presentBoth(request: Request, { level, below }: Searched, room: number) {
  if (below === undefined || below.count === 0) return { level: present(level, request, room), below: undefined };
  const kept = Math.min(bytesFor(below, request, room), room * belowShare);
  const shown = present(level, request, room - kept);
  return { level: shown, below: present(below, request, room - bytesOf(shown)) };
}

function bytesOf({ output = "", matches }: Shown): number {
  return matches ? Buffer.byteLength(JSON.stringify(matches)) : jsonBytes(output);
}

function linesOf({ output: text, matches, missing }: Shown) {
  const more = moreOf(missing);
  return { ...(matches ? { matches } : { output: text ?? "" }), ...(Object.keys(more).length > 0 && { more }) };
}
