import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { ModelError } from "../model/model-error.ts";

/** The bytes of a response, decompressed if a server or gateway compressed them without being asked to. */
export async function* decoded(message: IncomingMessage): AsyncGenerator<Buffer> {
  const coding = (message.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  const chunks = message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  if (coding === "" || coding === "identity") return yield* chunks;
  const decoder = await decoderFor(coding, message);
  // A failing connection ends the decoder, whose reader then gets the error.
  message.on("error", (error) => decoder.destroy(error));
  // So does one that ends early without an error.
  message.on("close", () => message.complete || decoder.destroy());
  message.pipe(decoder);
  try {
    yield* decoder.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (error) {
    const { code = "", message: why } = error as NodeJS.ErrnoException;
    if (!code.startsWith("Z_") || code === "Z_BUF_ERROR") throw error;
    const text = `The response claims to be compressed with ${coding}, but cannot be decompressed: ${why}.`;
    throw new ModelError("bad_stream", text, { retryable: true, maxRetries: 1 });
  } finally {
    message.unpipe(decoder);
    decoder.destroy();
  }
}

async function decoderFor(coding: string, message: IncomingMessage): Promise<Transform> {
  const { createBrotliDecompress, createGunzip, createInflate } = await import("node:zlib");
  if (coding === "gzip" || coding === "x-gzip") return createGunzip();
  if (coding === "deflate") return createInflate();
  if (coding === "br") return createBrotliDecompress();
  message.destroy();
  const text = `The response is compressed with ${JSON.stringify(coding)}. ikigai can decompress only gzip, deflate and br.`;
  throw new ModelError("not_a_model", text);
}
