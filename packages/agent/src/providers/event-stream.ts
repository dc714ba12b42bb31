import type { IncomingMessage } from "node:http";
import { ModelError } from "../model/model-error.ts";
import { decoded } from "./decoded.ts";
import { networkError } from "./network-error.ts";
import { watchEvents } from "./sse-watch.ts";
import type { Watch } from "./watch.ts";

/** How long a connection may stay open after the last event, in milliseconds. */
const lingerMs = 1_000;

/** Yields the bytes of a response and checks them as they pass. Rejects with a `ModelError`. */
export async function* eventStream(message: IncomingMessage, url: URL, watch: Watch): AsyncGenerator<Uint8Array> {
  const type = message.headers["content-type"] ?? "";
  if (/html/i.test(type)) {
    message.destroy();
    throw notAStream(url, "a web page");
  }
  const events = watchEvents(url.host);
  let empty = true;
  try {
    for await (const chunk of decoded(message)) {
      const { data, done, isEmpty } = events.look(chunk);
      if (data) watch.sawData();
      else watch.sawPing();
      empty = false;
      if (isEmpty)
        throw new ModelError("bad_stream", `The server at ${url.host} sent an empty answer.`, { retryable: true });
      yield chunk;
      if (done) return release(message);
    }
    events.end();
  } catch (error) {
    message.destroy();
    throw error instanceof ModelError || (error as Error).name === "AbortError" ? error : networkError(error, url);
  } finally {
    watch.stop();
    if (!message.complete) release(message);
  }
  if (empty) throw notAStream(url, `nothing at all (${message.statusCode})`);
}

/** Reads the rest so that the connection can be reused, or closes it. */
function release(message: IncomingMessage): void {
  const timer = setTimeout(() => message.destroy(), lingerMs);
  timer.unref();
  message.on("error", () => {});
  message.on("close", () => clearTimeout(timer));
  message.resume();
}

function notAStream(url: URL, what: string): ModelError {
  return new ModelError(
    "not_a_model",
    `${url.host} sent ${what} instead of an event stream. Check that the base URL leads to a model server.`,
  );
}
