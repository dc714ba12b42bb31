import { textStart } from "@ikigai/protocol";
import { asSentence } from "../model/as-sentence.ts";
import { ModelError } from "../model/model-error.ts";
import { messageIn } from "./server-words.ts";

/** The longest event, in bytes. A whole file in one delta is far below it; a runaway server is not. */
const maxEventBytes = 16 * 1_048_576;

/** How much of a line is kept, in bytes: enough to recognise it, and to read a short error in it. */
const prefixBytes = 512;

/** How much of a line is shown, in characters. */
const maxShown = 64;

const newline = 0x0a;

/** What a piece of an event stream was. */
export interface Seen {
  /** It carried data, or a part of some. */
  readonly data: boolean;
  /** It said that there is no more to come. */
  readonly done: boolean;
}

/** What is called with the pieces of a stream, and at its end. */
export interface EventWatch {
  look(chunk: Uint8Array): Seen;
  end(): void;
}

/**
 * Reads an event stream as it passes, without decoding it: tells data from pings, and refuses what is no event stream.
 *
 * @throws ModelError `not_a_model` when the first bytes are no event stream, `bad_stream` when later ones are not or an
 * event is longer than `maxEventBytes`.
 */
export function watchEvents(server: string): EventWatch {
  let prefix = "";
  let eventBytes = 0;
  let sawLine = false;
  let data = false;
  let done = false;

  const append = (bytes: Uint8Array) => {
    if (prefix.length < prefixBytes) prefix += Buffer.from(bytes.subarray(0, prefixBytes)).toString("latin1");
    eventBytes += bytes.length;
    if (eventBytes > maxEventBytes) {
      throw new ModelError("bad_stream", `${server} sent an event of more than ${maxEventBytes} bytes.`);
    }
    if (prefix.startsWith("data:") && !pingPattern.test(prefix)) data = true;
  };

  const endLine = () => {
    const line = prefix.replace(/\r$/, "").replace(sawLine ? "" : /^\xef\xbb\xbf/, "");
    prefix = "";
    if (line === "") eventBytes = 0;
    else if (!linePattern.test(line)) throw badLine(server, line, sawLine);
    else sawLine = true;
    if (/^data: ?\[DONE\]/.test(line)) done = true;
  };

  return {
    look(chunk) {
      data = false;
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        append(chunk.subarray(start, end));
        endLine();
        start = end + 1;
      }
      append(chunk.subarray(start));
      return { data, done };
    },
    // A stream that breaks off in the middle of a line is one all the same.
    end: () => void (sawLine || endLine()),
  };
}

/** A field, known or not (the standard says to pass over unknown ones), or a comment. */
const linePattern = /^(:|[A-Za-z][\w-]{0,30}(:|$))/;

const pingPattern = /^data: ?(\{ ?"type" ?: ?"(ping|keepalive)"|$)/;

/** The first bytes of all that is compressed by gzip. */
const gzipStart = "\u001f\u008b";

function badLine(server: string, line: string, sawLine: boolean): ModelError {
  if (line.startsWith(gzipStart)) {
    return new ModelError("not_a_model", `${server} sent a compressed response without a content-encoding header.`);
  }
  const shown = shownLine(line);
  return sawLine
    ? new ModelError("bad_stream", `${server} sent a line that is not part of an event stream: ${asSentence(shown)}`, {
        retryable: true,
        maxRetries: 1,
      })
    : new ModelError(
        "not_a_model",
        `${server} answered with something other than an event stream: ${asSentence(shown)}`,
      );
}

/** The error message in a line of JSON, or the beginning of any other line, quoted. */
function shownLine(line: string): string {
  const text = Buffer.from(line, "latin1").toString();
  return /^[{[]/.test(text) ? (messageIn(text) ?? "JSON") : JSON.stringify(textStart(text, maxShown));
}
