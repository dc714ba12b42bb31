import type { Readable } from "node:stream";
import { maxFailureStreamBytes, maxOverflowBytes } from "@ikigai/protocol";
import { GrowingBytes, HeadAndTail, type JsonReading, readJsonObject, systemReason } from "@ikigai/system";
import { readChunks } from "../process/read-chunks.ts";
import { OverflowFile } from "./overflow-file.ts";

/** Where a tool's stdout goes. */
export interface CollectOptions {
  /** How much is kept in memory, in bytes; what is longer goes to a file. */
  readonly maxBytes: number;
  readonly overflowDir?: string | undefined;
  readonly callId: string;
}

/**
 * Takes what a tool prints: a short answer into memory, a long one into a file, an endless one until the host has had
 * enough. It reads on in any case, since a tool that cannot write does not end.
 */
export class OutputCollector {
  /** Settles when more came than a host keeps. */
  readonly flooded: Promise<void>;
  /** Settles when stdout has been closed and the answer is a whole one. */
  readonly answered: Promise<void>;
  /** Both ends of what was printed, for people who look for the reason of a failure. */
  readonly ends = new HeadAndTail(maxFailureStreamBytes);
  totalBytes = 0;
  /** Set when the answer was longer than `maxBytes`, and there was a place to keep it. */
  overflow: OverflowFile | undefined;
  /** Why there was none: the end of a sentence. */
  overflowProblem: string | undefined;

  readonly #options: CollectOptions;
  #kept = new GrowingBytes();
  #reading: JsonReading | undefined;
  #reportFlood: () => void = () => {};

  constructor(stdout: Readable, options: CollectOptions) {
    this.#options = options;
    this.flooded = new Promise((settle) => {
      this.#reportFlood = settle;
    });
    this.answered = new Promise((settle) => {
      stdout.once("end", () => {
        if (this.answer?.ok) settle();
      });
    });
    readChunks(stdout, (chunk) => this.#add(chunk));
  }

  get isFlooded(): boolean {
    return this.totalBytes > maxOverflowBytes;
  }

  /** The answer, if it was short enough to be kept. */
  get answer(): JsonReading | undefined {
    if (this.totalBytes <= this.#options.maxBytes) this.#reading ??= readJsonObject(this.#kept.bytes);
    return this.#reading;
  }

  #add(chunk: Buffer): void {
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
