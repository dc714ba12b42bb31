import { maxFailureStreamBytes, maxOverflowBytes } from "@ikigai/protocol";
import { GrowingBytes, HeadAndTail, type JsonReading, readJsonObject, systemReason } from "@ikigai/system";
import { OverflowFile } from "./overflow-file.ts";

/** Options of an `OutputCollector`. */
export interface CollectOptions {
  /** How much is kept in memory, in bytes; longer output goes to a file. */
  readonly maxBytes: number;
  readonly overflowDir?: string | undefined;
  readonly callId: string;
}

/**
 * Collects a tool's stdout: a short answer in memory, a long one in a file, up to the protocol's maximum. Keeps reading after
 * that, since a tool that cannot write does not exit.
 */
export class OutputCollector {
  /** Settles when the output exceeds the protocol's maximum. */
  readonly flooded: Promise<void>;
  /** Head and tail of the output, for error messages. */
  readonly ends = new HeadAndTail(maxFailureStreamBytes);
  totalBytes = 0;
  /** Set when the answer exceeded `maxBytes` and could be saved. */
  overflow: OverflowFile | undefined;
  /** Why it could not be saved: the end of a sentence. */
  overflowProblem: string | undefined;

  readonly #options: CollectOptions;
  #kept = new GrowingBytes();
  #reading: JsonReading | undefined;
  #reportFlood: () => void = () => {};

  constructor(options: CollectOptions) {
    this.#options = options;
    this.flooded = new Promise((settle) => {
      this.#reportFlood = settle;
    });
  }

  get isFlooded(): boolean {
    return this.totalBytes > maxOverflowBytes;
  }

  /** The parsed answer, if it fits into `maxBytes`. */
  get answer(): JsonReading | undefined {
    if (this.totalBytes <= this.#options.maxBytes) this.#reading ??= readJsonObject(this.#kept.bytes);
    return this.#reading;
  }

  /** All of it as text; of more than `maxBytes` the head and the tail, and between them how much is left out and where it is. */
  text(): string {
    const { overflow, totalBytes } = this;
    if (totalBytes <= this.#options.maxBytes) return this.#kept.bytes.toString("utf8");
    if (overflow === undefined || this.overflowProblem !== undefined) return this.ends.toText();
    const half = Math.floor(this.#options.maxBytes / 2);
    const between = `\n… ${totalBytes - 2 * half} bytes left out; the whole output is in ${overflow.path}\n`;
    const [head, tail] = [overflow.read(0, half), overflow.read(totalBytes - half, totalBytes)];
    return head.toString("utf8") + between + tail.toString("utf8");
  }

  /** Adds what comes next. @param chunk valid until this returns. */
  add(chunk: Buffer): void {
    this.totalBytes += chunk.length;
    this.#reading = undefined;
    this.ends.add(chunk);
    if (this.isFlooded) this.#reportFlood();
    else if (this.overflowProblem === undefined) this.#keep(chunk);
  }

  #keep(chunk: Buffer): void {
    if (this.totalBytes > this.#options.maxBytes) this.#spill(chunk);
    else this.#kept.push(chunk);
  }

  #spill(chunk: Buffer): void {
    try {
      this.overflow ??= new OverflowFile(this.#options.overflowDir, this.#options.callId);
      this.overflow.append(this.#kept.bytes);
      this.overflow.append(chunk);
    } catch (error) {
      this.overflowProblem = systemReason(error as NodeJS.ErrnoException);
    }
    this.#kept = new GrowingBytes();
  }
}
