import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { WebError } from "./web-error.ts";

/** How much of a body is read. */
export interface BodyLimit {
  /** In bytes, after decoding and before. */
  readonly maxBytes: number;
  /** Whether a longer one is cut instead of an error. */
  readonly cuts: boolean;
  readonly signal: AbortSignal;
}

/** Thrown inside, where a body reaches its limit: ends all streams. */
class LimitReached extends Error {}

/**
 * Reads and decodes the body of a response, and stops at the limit.
 *
 * @throws WebError `TOO_LARGE`, or `UNSUPPORTED_TYPE` for an encoding that was not asked for; the errors of the streams.
 */
export async function readBody(response: IncomingMessage, { maxBytes, cuts, signal }: BodyLimit): Promise<Buffer> {
  const { "content-encoding": encoding = "", "content-length": length } = response.headers;
  const decoder = decoderFor(encoding.trim().toLowerCase());
  if (!cuts && Number(length) > maxBytes) {
    response.destroy();
    throw tooLarge(maxBytes);
  }
  const chunks: Buffer[] = [];
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of upTo(source, maxBytes, (last) => chunks.push(last))) chunks.push(chunk);
  };
  try {
    if (decoder) await pipeline(response, (source) => upTo(source, maxBytes), decoder, collect, { signal });
    else await pipeline(response, collect, { signal });
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error;
    if (!cuts) throw tooLarge(maxBytes);
  }
  return Buffer.concat(chunks);
}

/** Passes chunks on, until there are more than `maxBytes`. `keep` gets the part of the last one that still fits. */
async function* upTo(source: AsyncIterable<Buffer>, maxBytes: number, keep?: (part: Buffer) => void) {
  let left = maxBytes;
  for await (const chunk of source) {
    if (chunk.length > left) {
      keep?.(chunk.subarray(0, left));
      throw new LimitReached();
    }
    left -= chunk.length;
    yield chunk;
  }
}

/** Names of encodings. A longer text of a server would be cut in the message, maybe in the middle of a key. */
const encodingName = /^[a-z0-9-]+(?:, ?[a-z0-9-]+)*$/;
const maxEncodingLength = 40;

function decoderFor(encoding: string): Transform | undefined {
  if (encoding === "" || encoding === "identity") return undefined;
  // Loaded here, since most small pages are not compressed, and a start takes as long as it.
  const { createBrotliDecompress, createGunzip, createInflate } = process.getBuiltinModule("node:zlib");
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip();
  if (encoding === "br") return createBrotliDecompress();
  if (encoding === "deflate") return createInflate();
  const name =
    encoding.length <= maxEncodingLength && encodingName.test(encoding) ? `the encoding "${encoding}"` : "an encoding";
  throw new WebError("UNSUPPORTED_TYPE", `The response has ${name}, which cannot be decoded.`);
}

function tooLarge(maxBytes: number): WebError {
  const size = maxBytes % 1_048_576 === 0 ? `${maxBytes / 1_048_576} MiB` : `${maxBytes} bytes`;
  return new WebError("TOO_LARGE", `The response is larger than ${size}.`);
}
