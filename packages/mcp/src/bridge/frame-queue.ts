import { type Frame, readFrame } from "./frames.ts";
import { Happening } from "./happening.ts";

/** Reads frames from the start, so that the end of stdin is noticed while the server starts; passes them on when they are wanted. */
export class FrameQueue {
  readonly #waiting: string[] = [];
  readonly #abort = new AbortController();
  readonly #over = new Happening();
  #take: ((line: string) => void) | undefined;
  #failure: unknown;

  constructor(lines: AsyncIterable<string>) {
    void this.#read(lines);
  }

  /** Aborted when stdin has ended. */
  get ended(): AbortSignal {
    return this.#abort.signal;
  }

  /** Passes on the frames until stdin ends; returns the exit code. @throws BrokenFrame. */
  async take(use: (frame: Frame) => void): Promise<number> {
    this.#take = (line) => use(readFrame(line));
    try {
      for (const line of this.#waiting.splice(0)) this.#take(line);
    } catch (error) {
      this.#fail(error);
    }
    await this.#over.done;
    if (this.#failure !== undefined) throw this.#failure;
    return 0;
  }

  async #read(lines: AsyncIterable<string>): Promise<void> {
    try {
      for await (const line of lines) {
        if (this.#take) this.#take(line);
        else this.#waiting.push(line);
      }
      this.#end();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#end();
  }

  #end(): void {
    this.#over.happen();
    this.#abort.abort();
  }
}
