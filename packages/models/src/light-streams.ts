// The streams that the providers' packages use, without those of the platform, which take long to load.

/** What a source or a transformer calls to pass something on. */
interface Controller<Chunk> {
  enqueue(chunk: Chunk): void;
  error(reason?: unknown): void;
  close(): void;
}

/** The functions of a transform stream. */
interface Transformer<In, Out> {
  readonly start?: (controller: Omit<Controller<Out>, "close">) => void | PromiseLike<void>;
  readonly transform?: (chunk: In, controller: Omit<Controller<Out>, "close">) => void | PromiseLike<void>;
  readonly flush?: (controller: Omit<Controller<Out>, "close">) => void | PromiseLike<void>;
}

/** The functions of a readable stream. */
interface Source<Chunk> {
  readonly start?: (controller: Controller<Chunk>) => unknown;
  readonly pull?: (controller: Controller<Chunk>) => unknown;
  readonly cancel?: () => unknown;
}

/** Chunks that wait for their reader, and how the stream ends. */
class Queue<Chunk> implements Controller<Chunk> {
  isClosed = false;
  #chunks: Chunk[] = [];
  #failure: { readonly reason: unknown } | undefined;

  enqueue(chunk: Chunk): void {
    this.#chunks.push(chunk);
  }

  error(reason?: unknown): void {
    this.#failure ??= { reason };
  }

  close(): void {
    this.isClosed = true;
  }

  /** Yields what waits. @throws the reason of `error`, after it. */
  *taken(): Generator<Chunk, void, undefined> {
    const chunks = this.#chunks;
    this.#chunks = [];
    yield* chunks;
    if (this.#failure) throw this.#failure.reason;
  }
}

/**
 * A readable stream made of an async iterable, with the methods that the provider packages call. It reads only what it is asked
 * for. The platform's streams, of which the packages put seven in a row, take more processor time than everything that they transport.
 *
 * Where it is split, and in a transform stream of the platform, it becomes one of the platform's.
 */
export class LightStream<Chunk> implements AsyncIterable<Chunk> {
  readonly #chunks: AsyncIterator<Chunk>;

  constructor(chunks: AsyncIterable<Chunk>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  pipeThrough<Out>(transform: TransformStream<Chunk, Out> | globalThis.TransformStream<Chunk, Out>) {
    if (transform instanceof TransformStream) return new LightStream<Out>(transform.over(this));
    return globalThis.ReadableStream.from<Chunk>(this).pipeThrough(transform);
  }

  getReader() {
    return { read: () => this.#chunks.next(), cancel: () => this.cancel(), releaseLock() {} };
  }

  async cancel(): Promise<void> {
    await this.#chunks.return?.();
  }

  tee() {
    return globalThis.ReadableStream.from<Chunk>(this).tee();
  }

  [Symbol.asyncIterator](): AsyncIterator<Chunk> {
    return this.#chunks;
  }
}

/** Replaces the platform's readable stream in the bundled provider packages. */
export class ReadableStream<Chunk> extends LightStream<Chunk> {
  constructor(source: Source<Chunk>) {
    super(chunksOf(source));
  }
}

async function* chunksOf<Chunk>(source: Source<Chunk>): AsyncGenerator<Chunk, void, undefined> {
  const queue = new Queue<Chunk>();
  let isCancelled = true;
  try {
    await source.start?.(queue);
    for (;;) {
      yield* queue.taken();
      if (queue.isClosed) break;
      await source.pull?.(queue);
    }
    isCancelled = false;
  } finally {
    if (isCancelled) await source.cancel?.();
  }
}

/**
 * Replaces the platform's transform stream in the bundled provider packages. It works on a `LightStream`; on a stream of the
 * platform it is one of the platform's.
 */
export class TransformStream<In, Out> {
  readonly #transformer: Transformer<In, Out>;
  #platforms: globalThis.TransformStream<In, Out> | undefined;

  constructor(transformer: Transformer<In, Out>) {
    this.#transformer = transformer;
  }

  get readable(): globalThis.ReadableStream<Out> {
    return this.#onPlatform().readable;
  }

  get writable(): WritableStream<In> {
    return this.#onPlatform().writable;
  }

  /** Transforms chunks as they are asked for. */
  async *over(chunks: AsyncIterable<In>): AsyncGenerator<Out, void, undefined> {
    const { start, transform, flush } = this.#transformer;
    const queue = new Queue<Out>();
    await start?.(queue);
    yield* queue.taken();
    for await (const chunk of chunks) {
      await transform?.(chunk, queue);
      yield* queue.taken();
    }
    await flush?.(queue);
    yield* queue.taken();
  }

  #onPlatform(): globalThis.TransformStream<In, Out> {
    this.#platforms ??= new globalThis.TransformStream(this.#transformer);
    return this.#platforms;
  }
}

/** Replaces the platform's decoder of UTF-8 in the bundled provider packages. */
export class TextDecoderStream extends TransformStream<Uint8Array, string> {
  constructor() {
    const decoder = new TextDecoder();
    super({
      transform: (chunk, controller) => controller.enqueue(decoder.decode(chunk, { stream: true })),
      flush: (controller) => controller.enqueue(decoder.decode()),
    });
  }
}
