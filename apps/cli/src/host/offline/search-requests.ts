import { statSync } from "node:fs";
import { resolve } from "node:path";
import { form, type RequestForm } from "./file-requests.ts";
import { callOf, type PlainRequest } from "./plain-request.ts";
import { isQuoted, unquote } from "./unquote.ts";

const searchVerb = "(?:search(?: for)?|grep(?: for)?|look for)";

const wildcards = /[*?[]/;

/** Finding and searching. Whether a place is a file, a directory or a pattern is looked up where `cwd` is. */
export function searchForms(cwd: string): readonly RequestForm[] {
  const search = (groups: Readonly<Record<string, string | undefined>>): PlainRequest => {
    const { text = "", place, anyCase } = groups;
    const pattern = isQuoted(text) ? escapePattern(unquote(text)) : text.trim();
    const ignore = anyCase ? { ignore_case: true } : {};
    return callOf("grep", { pattern, ...whereOf(place && unquote(place), cwd), ...ignore });
  };
  const anyCase = "(?<anyCase>,? (?:ignoring case|case[- ]insensitively|in any case))?";
  return [
    form(`${searchVerb} (?<text>SOME) (?:in|under|inside|within) (?<place>PATH)${anyCase}`, search),
    form(`${searchVerb} (?<text>SOME)${anyCase}`, search),
    form("where is (?<text>SOME) (?:used|mentioned|defined)(?: in (?<place>PATH))?", search),
    form(
      "(?:find|glob|locate)(?: all)?(?: the)?(?: files?)?(?: named| called| matching| like)? (?<name>PATH)(?: files)?(?: (?:in|under) (?<place>PATH))?",
      find,
    ),
    form(
      "(?:list|show|what)(?: me)?(?: all)?(?: the)? files(?: are)?(?: here| there)?(?: (?:in|of|under) (?<place>PATH))?",
      list,
    ),
    form("list(?: (?<place>PATH))?", list),
    form("ls(?: (?<place>[^-\\s]\\S*))?", list),
  ];
}

function find({ name = "", place }: Readonly<Record<string, string | undefined>>): PlainRequest {
  const wanted = unquote(name);
  // A bare name is looked for everywhere below; a pattern or a path says itself where.
  const pattern = wanted.includes("/") || wanted.includes("**") ? wanted : `**/${wanted}`;
  return callOf("glob", place ? { pattern, path: unquote(place) } : { pattern });
}

function list({ place }: Readonly<Record<string, string | undefined>>): PlainRequest {
  return callOf("glob", place ? { pattern: "*", path: unquote(place) } : { pattern: "*" });
}

function whereOf(place: string | undefined, cwd: string): { path?: string; glob?: string } {
  if (!place) return { glob: "**/*" };
  if (wildcards.test(place)) return { glob: place };
  return isDirectory(resolve(cwd, place)) ? { path: place, glob: "**/*" } : { path: place };
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** What was quoted is meant to the letter. */
function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
