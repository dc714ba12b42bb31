/** Bytes in a single buffer that doubles as needed: many small chunks create no objects. */
export class GrowingBytes {
  #buffer = Buffer.alloc(0);
  length = 0;

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }

  push(chunk: Uint8Array): void {
    const length = this.length + chunk.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#buffer.length));
      this.#buffer.copy(larger);
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.length);
    this.length = length;
  }

  keepLast(count: number): void {
    this.#buffer.copyWithin(0, this.length - count, this.length);
    this.length = count;
  }
}
