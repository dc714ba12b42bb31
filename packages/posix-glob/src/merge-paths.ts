import { type ByteString, fromText } from "./byte-string.ts";

/** A search, and its next path. */
interface Source {
  readonly paths: Iterator<string | Buffer>;
  path: string | Buffer;
  bytes: ByteString;
}

/** Merges searches that are sorted by bytes into one, sorted and without duplicates. */
export function* mergePaths(searches: readonly Iterable<string | Buffer>[]): Generator<string | Buffer> {
  const sources = searches.flatMap((paths) => startSource(paths[Symbol.iterator]()) ?? []);
  let last: ByteString | undefined;
  while (sources.length > 0) {
    const first = sources.reduce((least, source) => (source.bytes < least.bytes ? source : least));
    if (first.bytes !== last) yield first.path;
    last = first.bytes;
    if (!advance(first)) sources.splice(sources.indexOf(first), 1);
  }
}

function startSource(paths: Iterator<string | Buffer>): Source | undefined {
  const source: Source = { paths, path: "", bytes: "" };
  return advance(source) ? source : undefined;
}

function advance(source: Source): boolean {
  const { done, value } = source.paths.next();
  if (done) return false;
  source.path = value;
  source.bytes = typeof value === "string" ? fromText(value) : value.toString("latin1");
  return true;
}
