/** `scan.wat` describes the layout of a set. */
const headerBytes = 128;
const tablesAt = 32;
const vectorBytes = 16;

/** The scan looks at bytes that are rare in text and source code. These are frequent, the most frequent first. */
const frequent = ' etosrnia0\n-lcduh=mfp12_\t:gw.bk6yTv,345q)"(/';

/** The difference between an upper case and a lower case letter. */
const caseBit = 0x20;

/** Returns the size of a set of literals in the memory of `scan.wat`, in bytes. */
export function literalSetBytes(literals: readonly Buffer[]): number {
  return literals.reduce((sum, { length }) => sum + 8 + paddedLength(length) * 2, headerBytes);
}

/** Writes a set of literals to unused `memory` at `set`. Several literals must have at least 3 bytes each. */
export function writeLiteralSet(memory: Buffer, set: number, literals: readonly Buffer[], ignoreCase: boolean): void {
  const bitsOf = (byte: number) => (ignoreCase && /[a-z]/i.test(String.fromCharCode(byte)) ? caseBit : 0);
  const shortest = Math.min(...literals.map(({ length }) => length));
  const offsets = rarestOffsets(literals, shortest);
  const header = [shortest, ...offsets, set + literalSetBytes(literals)];
  for (const [index, value] of header.entries()) memory.writeUInt32LE(value, set + index * 4);
  let at = set + headerBytes;
  for (const [index, literal] of literals.entries()) {
    // Eight buckets share the literals.
    const bucket = 1 << (index & 7);
    for (const [place, offset] of offsets.entries()) {
      const byte = literal[offset] as number;
      const writeTables = literals.length === 1 ? writeByte : addToBucket;
      writeTables(memory, set + tablesAt + place * 2 * vectorBytes, byte, bitsOf(byte), bucket);
    }
    memory.writeUInt32LE(literal.length, at);
    memory.writeUInt32LE(bucket, at + 4);
    at += 8;
    for (let from = 0; from < paddedLength(literal.length); from++) {
      // The padding equals every byte.
      const byte = literal[from] ?? 0xff;
      const bits = from < literal.length ? bitsOf(byte) : 0xff;
      const vector = at + from - (from % vectorBytes);
      memory[vector + from] = bits;
      memory[vector + from + vectorBytes] = byte | bits;
    }
    at += paddedLength(literal.length) * 2;
  }
}

function paddedLength(length: number): number {
  return Math.ceil(length / vectorBytes) * vectorBytes;
}

/** Returns the three offsets with the rarest bytes; short literals repeat the last one. */
function rarestOffsets(literals: readonly Buffer[], shortest: number): [number, number, number] {
  const frequencyAt = (offset: number) =>
    literals.reduce((sum, literal) => {
      const rank = frequent.indexOf(String.fromCharCode(literal[offset] as number).toLowerCase());
      return rank < 0 ? sum : sum + frequent.length - rank;
    }, 0);
  const sorted = Array.from({ length: shortest }, (_, offset) => ({ offset, frequency: frequencyAt(offset) }));
  sorted.sort((a, b) => a.frequency - b.frequency);
  const [first, second = first, third = second] = sorted.map(({ offset }) => offset);
  return [first as number, second as number, third as number];
}

/** Writes the tables of `findOne`: the bits to set, and the byte to expect. */
function writeByte(memory: Buffer, table: number, byte: number, bits: number): void {
  memory.fill(bits, table, table + vectorBytes);
  memory.fill(byte | bits, table + vectorBytes, table + 2 * vectorBytes);
}

/** Adds to the tables of `findAny`: those of a byte's low half, and of its high half. */
function addToBucket(memory: Buffer, table: number, byte: number, bits: number, bucket: number): void {
  for (const either of [byte, byte ^ bits]) {
    const low = table + (either & 15);
    const high = table + vectorBytes + (either >> 4);
    memory[low] = (memory[low] as number) | bucket;
    memory[high] = (memory[high] as number) | bucket;
  }
}
