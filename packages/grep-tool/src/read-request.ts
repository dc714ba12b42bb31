// The arguments of a call with all their defaults, then the files that are searched.

import { statSync } from "node:fs";
import { ignoresIn } from "@ikigai/git-files/ignore";
import { glob } from "@ikigai/posix/glob";
import type { JsonObject } from "@ikigai/protocol";
import { pathAsMeant, readSpelling, type SearchGaps } from "@ikigai/tool-files";
import { type SchemaValue, ToolFailure } from "@ikigai/tool-sdk";
import type { parameters } from "./schema.ts";

// What a call asks for. Models write the arguments of the Grep tools that they were trained on; those with the same meaning are read here,
// though the schema does not advertise them.

/** A call, with all its defaults. */
export interface Request extends Place {
  /** Which file or directory `path` is, if it is spelled otherwise. */
  readonly spelling: string | undefined;
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly format: "text" | "json" | "files";
  /** How many lines before and after a match are shown. */
  readonly before: number;
  readonly after: number;
  /** The most lines, or files, that are shown. */
  readonly limit: number;
}

/** The arguments that are read besides those of the schema. */
export const accepted = [
  ...["-A", "-B", "-C", "-n", "output_mode", "head_limit", "type", "multiline"],
  ...["after_context", "before_context", "line_numbers", "max_results"],
] as const;

const maxContext = 20;

/** The endings of the files of a type, as ripgrep calls it. */
const endings: Readonly<Record<string, string>> = {
  ...{
    js: "js,jsx,mjs,cjs",
    ts: "ts,tsx,mts,cts",
    tsx: "tsx",
    jsx: "jsx",
    py: "py,pyi",
    rust: "rs",
    go: "go",
    java: "java",
  },
  ...{ c: "c,h", cpp: "cpp,cc,cxx,hpp,hh,hxx,h", cs: "cs", md: "md,markdown", json: "json,jsonl", yaml: "yaml,yml" },
  ...{
    toml: "toml",
    html: "html,htm",
    css: "css,scss,sass,less",
    sh: "sh,bash,zsh",
    ruby: "rb",
    php: "php",
    swift: "swift",
  },
  ...{
    kotlin: "kt,kts",
    scala: "scala",
    sql: "sql",
    xml: "xml",
    vue: "vue",
    svelte: "svelte",
    lua: "lua",
    proto: "proto",
  },
  ...{
    javascript: "js,jsx,mjs,cjs",
    typescript: "ts,tsx,mts,cts",
    python: "py,pyi",
    markdown: "md,markdown",
    yml: "yaml,yml",
  },
  ...{ rs: "rs", rb: "rb", kt: "kt,kts", golang: "go", txt: "txt" },
};

/** Reads the arguments of a call. @throws ToolFailure `INVALID_PARAMS` for what cannot be done here. */
export function readRequest(args: SchemaValue<typeof parameters>): Request {
  const { pattern, path = "", glob = "", ignore_case: ignoreCase = false, context = 0 } = args;
  const others = args as JsonObject;
  if (others.multiline === true) {
    throw new ToolFailure("INVALID_PARAMS", "multiline is not possible: lines are searched one by one", {
      hint: "Search for a part that is on one line, with context to see the lines around it; or run grep -Pzo with bash.",
    });
  }
  const around = lines(others["-C"]) ?? context;
  const place = readSpelling(pathAsMeant(path));
  const limit = lines(others.head_limit) ?? lines(others.max_results) ?? 0;
  return {
    pattern,
    path: place.path,
    spelling: place.hint,
    glob: glob || globOf(others.type),
    ignoreCase,
    format: formatOf(args.format, others.output_mode),
    before: contextLines(lines(others["-B"]) ?? lines(others.before_context) ?? around),
    after: contextLines(lines(others["-A"]) ?? lines(others.after_context) ?? around),
    limit: limit > 0 ? limit : Number.POSITIVE_INFINITY,
  };
}

function formatOf(format: Request["format"] | undefined, mode: unknown): Request["format"] {
  if (format !== undefined) return format;
  return mode === "files_with_matches" || mode === "count" ? "files" : "text";
}

function lines(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? Math.trunc(number) : undefined;
}

function contextLines(wanted: number): number {
  return Math.min(Math.max(wanted, 0), maxContext);
}

/** All files of a type, at any depth. A type that is not known is an ending. */
function globOf(type: unknown): string {
  if (typeof type !== "string" || !/^\w[\w-]*$/.test(type)) return "";
  const known = Object.hasOwn(endings, type) ? (endings[type] ?? type) : type;
  return known.includes(",") ? `**/*.{${known}}` : `**/*.${known}`;
}

/** A path, or its bytes if they are not UTF-8. */
export type FilePath = string | Buffer;

/** Where to search: the files that `path/glob` matches, or the file `path`. Empty strings mean "not given". */
export interface Place {
  readonly glob: string;
  readonly path: string;
}

/** Returns the regular files to search, sorted by their paths' bytes. @param skipsIgnored whether `**` leaves out what git ignores. */
export function listFiles(
  { glob: pattern, path }: Place,
  { onDirectory }: SearchGaps,
  skipsIgnored: boolean,
): Iterable<FilePath> {
  if (isRegularFile(path)) return [path];
  return glob(pattern || "*", {
    filesOnly: true,
    onDirectory,
    ...(path !== "" && { base: path }),
    ...(skipsIgnored && { ignores: ignoresIn }),
  });
}

/**
 * Returns the files below a level that was searched with a glob without a slash: those in its directories, and the hidden ones in itself,
 * which such a glob does not match.
 */
export function* listBelow({ glob: pattern, path }: Place, gaps: SearchGaps): Iterable<FilePath> {
  const prefixLength = path === "" ? 0 : Buffer.byteLength(path) + Number(!path.endsWith("/"));
  const isHiddenOrBelow = (file: FilePath) => {
    const name = typeof file === "string" && file.length === Buffer.byteLength(file) ? file.slice(prefixLength) : "";
    const inside = name || Buffer.from(file as string).toString("latin1", prefixLength);
    return inside.includes("/") || (inside.startsWith(".") && !pattern.startsWith("."));
  };
  for (const file of listFiles({ glob: `**/${pattern || "*"}`, path }, gaps, true))
    if (isHiddenOrBelow(file)) yield file;
}

/** Whether files below the level are searched, too: without a glob, or with one for names only. */
export function hasBelow({ glob: pattern, path }: Place): boolean {
  return !pattern.includes("/") && pattern !== "**" && !isRegularFile(path);
}

/** Whether a path is a regular file, following links. */
function isRegularFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}
