import { type ByteString, fromText } from "./byte-string.ts";

/** A search, and the path that it gives next. */
interface Source {
  readonly paths: Iterator<string | Buffer>;
  path: string | Buffer;
  bytes: ByteString;
}

/** The paths of several searches, each sorted by bytes, as one: sorted, each path once. */
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
