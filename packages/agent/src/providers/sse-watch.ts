import { textStart } from "@ikigai/protocol";
import { asSentence } from "../model/as-sentence.ts";
import { ModelError } from "../model/model-error.ts";
import { messageIn } from "./server-words.ts";

/** Maximum size of an event, in bytes. A whole file in one delta is far smaller; a runaway server is not. */
const maxEventBytes = 16 * 1_048_576;

/** How much of a line is kept, in bytes: enough to recognise it, and to read a short error in it. */
const prefixBytes = 512;

/** How much of a line is shown, in characters. */
const maxShown = 64;

const newline = 0x0a;

/** What a chunk of an event stream contained. */
export interface Seen {
  /** Data, or part of it. */
  readonly data: boolean;
  /** The end marker. */
  readonly done: boolean;
  /** The end marker came before any other data. */
  readonly isEmpty: boolean;
}

/** Checks the chunks of a stream, and its end. */
export interface EventWatch {
  look(chunk: Uint8Array): Seen;
  end(): void;
}

/**
 * Checks an event stream without decoding it: tells data from pings, and rejects anything else.
 *
 * @throws ModelError `not_a_model` if the first bytes are not an event stream, `bad_stream` if later ones are not or an
 * event exceeds `maxEventBytes`.
 */
export function watchEvents(server: string): EventWatch {
  let prefix = "";
  let eventBytes = 0;
  let sawLine = false;
  let data = false;
  let done = false;
  let sawData = false;

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
    else if (/^data:./.test(line)) sawData = true;
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
      return { data, done, isEmpty: done && !sawData };
    },
    // A stream that breaks off within a line is still an event stream.
    end: () => void (sawLine || endLine()),
  };
}

/** A field, known or unknown (the standard ignores unknown ones), or a comment. */
const linePattern = /^(:|[A-Za-z][\w-]{0,30}(:|$))/;

const pingPattern = /^data: ?(\{ ?"type" ?: ?"(ping|keepalive)"|$)/;

/** The first bytes of gzip data. */
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
