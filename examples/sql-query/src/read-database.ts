import { readFileSync, statSync } from "node:fs";
import { Failure } from "./failure.ts";

/** Largest database, which is read into memory. */
const maxDatabaseBytes = 512 * 1_048_576;

/** Offsets of the two header bytes that say whether the file has a write-ahead log: 1 is no, 2 is yes. */
const [writeVersion, readVersion] = [18, 19];

/** Reads the database at `SQL_QUERY_DATABASE`. Never opens it for writing. */
export function readDatabase(path: string | undefined): Buffer {
  if (!path) {
    throw new Failure("MISSING_CREDENTIALS", "SQL_QUERY_DATABASE is not set.", [
      "Put the path of a SQLite file into SQL_QUERY_DATABASE: export SQL_QUERY_DATABASE=$PWD/app.db",
      "Start ikigai again from that shell",
    ]);
  }
  try {
    const { size } = statSync(path);
    if (size > maxDatabaseBytes)
      throw new Failure("TOO_LARGE", `${path} has ${size} bytes, at most ${maxDatabaseBytes}.`);
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
      throw new Failure(
        "BUSY",
        `${path} has changes in its log. Run: sqlite3 ${path} 'PRAGMA wal_checkpoint(TRUNCATE)'`,
      );
    const bytes = readFileSync(path);
    // The copy in memory has no log, and the engine would look for one.
    if (bytes[readVersion] === 2) bytes[writeVersion] = bytes[readVersion] = 1;
    return bytes;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("OPEN_FAILED", `Cannot read the database: ${(error as Error).message}`);
  }
}
