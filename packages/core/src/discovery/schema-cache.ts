// The schemas of tools as they were learned at earlier starts. The first line of the file is an index with what every start needs of a
// tool; each further line is all that is known about one, and is parsed when it is first read: few of many tools are sent to a model.
import { join } from "node:path";
import { isJsonObject, type KnownSchema, type PlainCall, type ToolSchema } from "@ikigai/protocol";
import { readRegularFile, writePrivateFile } from "@ikigai/system";
import type { FileIdentity } from "../registry/registry.ts";

/** What is known about a tool from its file: its schema, and for a plain tool how it is called. */
export interface KnownFile extends KnownSchema {
  readonly plain?: PlainCall;
}

/** A file is one tool, unless its comments describe several commands. */
export interface LearnedFile {
  readonly identity: FileIdentity;
  readonly tools: readonly KnownFile[];
}

/** A tool in the index. What is absent is the usual. */
interface IndexedTool {
  readonly name: string;
  /** Where its line begins, in bytes after the index. */
  readonly at: number;
  readonly warnings?: readonly string[];
  readonly small?: Pick<ToolSchema, "title" | "annotations" | "ikigai">;
  readonly plain?: Omit<PlainCall, "parameters">;
  /** Whether it has an `outputSchema`. */
  readonly hasAnswer?: true;
}

/** A file in the index: its state, its real path (`""`: the path), and its tools. */
type IndexedFile = readonly [stamp: string, realPath: string, tools: readonly IndexedTool[]];

/** The cache file in memory. */
export interface SchemaCache {
  readonly files: Readonly<Record<string, IndexedFile>>;
  /** The lines after the index. */
  readonly body: Buffer;
}

export const noSchemas: SchemaCache = { files: {}, body: Buffer.alloc(0) };

/** Changes with the format of the schemas, and with what is accepted as one; files of other versions are ignored. */
const version = 7;

/** How many files are cached; the oldest entries are dropped first. */
const maxFiles = 1_000;

const lineEnd = 0x0a;

function cacheFile(home: string): string {
  return join(home, "cache", "schemas.jsonl");
}

/** Loads the cache. A file that is missing, damaged or of another version gives an empty one. */
export function loadSchemaCache(home: string): SchemaCache {
  try {
    const bytes = readRegularFile(cacheFile(home));
    const end = bytes.indexOf(lineEnd);
    // Our own file: the checks of a tool's answer would take half the time of a start with 500 tools.
    const index: unknown = JSON.parse(bytes.toString("utf8", 0, end));
    const body = bytes.subarray(end + 1);
    const isOurs = isJsonObject(index) && index.version === version && index.bytes === body.length;
    return isOurs && isJsonObject(index.files)
      ? { files: index.files as unknown as SchemaCache["files"], body }
      : noSchemas;
  } catch {
    return noSchemas;
  }
}

/** Returns what is cached of the file at this path, if the file is unchanged. */
export function recall(
  { files, body }: SchemaCache,
  path: string,
  { realPath, stamp }: FileIdentity,
): readonly KnownFile[] | undefined {
  if (!Object.hasOwn(files, path)) return undefined;
  const [knownStamp, knownPath, tools] = files[path] ?? [];
  return knownStamp === stamp && (knownPath || path) === realPath
    ? tools?.map((tool) => knownFile(tool, body))
    : undefined;
}

/** A tool whose line is parsed when something of it is read that is not in the index. */
function knownFile({ name, at, warnings = [], small, plain, hasAnswer }: IndexedTool, body: Buffer): KnownFile {
  let line: KnownFile | undefined;
  const read = (): KnownFile => {
    line ??= JSON.parse(lineAt(body, at)) as KnownFile;
    return line;
  };
  const schema = {
    name,
    get description() {
      return read().schema.description;
    },
    get parameters() {
      return read().schema.parameters;
    },
  };
  if (small) Object.assign(schema, small);
  if (hasAnswer)
    Object.defineProperty(schema, "outputSchema", { enumerable: true, get: () => read().schema.outputSchema });
  if (!plain) return { schema, warnings };
  const call = {
    get parameters() {
      return read().plain?.parameters ?? [];
    },
  };
  return { schema, warnings, plain: Object.assign(call, plain) };
}

function lineAt(body: Buffer, at: number): string {
  return body.toString("utf8", at, body.indexOf(lineEnd, at));
}

/**
 * Adds to the cache file, by the path each file was found at: one may be several tools. If several processes write at once, one of them wins and the others' tools are asked again.
 *
 * Write errors are ignored: without a cache, tools are asked every time.
 */
export function saveSchemaCache(home: string, learned: ReadonlyMap<string, LearnedFile>): void {
  // Loaded again: another process may have added entries.
  const { files, body } = loadSchemaCache(home);
  const before = Object.entries(files).filter(([path]) => !learned.has(path));
  const lines: string[] = [];
  let at = 0;
  const append = (tool: Omit<IndexedTool, "at">, line: string): IndexedTool => {
    const indexed = { ...tool, at };
    lines.push(`${line}\n`);
    at += Buffer.byteLength(line) + 1;
    return indexed;
  };
  // The oldest come first.
  const kept = before.slice(Math.max(0, before.length + learned.size - maxFiles));
  const index = Object.fromEntries<IndexedFile>([
    ...kept.map(([path, [stamp, realPath, tools]]): [string, IndexedFile] => [
      path,
      [stamp, realPath, tools.map((tool) => append(tool, lineAt(body, tool.at)))],
    ]),
    ...[...learned].map(
      ([
        path,
        {
          identity: { stamp, realPath },
          tools,
        },
      ]): [string, IndexedFile] => [
        path,
        [stamp, realPath === path ? "" : realPath, tools.map((tool) => append(indexOf(tool), JSON.stringify(tool)))],
      ],
    ),
  ]);
  try {
    writePrivateFile(cacheFile(home), `${JSON.stringify({ version, bytes: at, files: index })}\n${lines.join("")}`);
  } catch {
    // Read-only, full, or missing: see above.
  }
}

function indexOf({ schema, warnings, plain }: KnownFile): Omit<IndexedTool, "at"> {
  const { name, title, annotations, ikigai, outputSchema } = schema;
  const small = {
    ...(title !== undefined && { title }),
    ...(annotations && { annotations }),
    ...(ikigai && { ikigai }),
  };
  const { parameters: _, ...call } = plain ?? { parameters: [] };
  return {
    name,
    ...(warnings.length > 0 && { warnings }),
    ...(Object.keys(small).length > 0 && { small }),
    ...(plain && { plain: call }),
    ...(outputSchema && { hasAnswer: true as const }),
  };
}
