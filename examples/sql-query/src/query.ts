import initSqlJs, { type Database, type SqlValue } from "sql.js/dist/sql-wasm-inline.js";
import { Failure } from "./failure.ts";
import type { Arguments } from "./schema.ts";

/** Reserved for the JSON around the rows, in bytes. */
const frameBytes = 64;

/** Runs one statement; returns up to `limit` rows, as many as fit into `maxBytes`. */
export async function query(bytes: Buffer, { query, limit }: Arguments, maxBytes: number) {
  const { Database } = await initSqlJs();
  const database = new Database(bytes);
  try {
    // Only the copy in memory could change, but the model should get an error for trying.
    database.run("PRAGMA query_only = ON");
    return readRows(database, { query, limit }, maxBytes);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("INVALID_QUERY", (error as Error).message);
  } finally {
    database.close();
  }
}

function readRows(database: Database, { query, limit }: Arguments, maxBytes: number) {
  const { length } = [...database.iterateStatements(query)];
  if (length !== 1) throw new Failure("INVALID_QUERY", `Expected one statement, got ${length}.`);
  const statement = database.prepare(query);
  const columns = statement.getColumnNames();
  const rows: unknown[][] = [];
  let room = maxBytes - frameBytes - Buffer.byteLength(JSON.stringify(columns));
  while (statement.step()) {
    const row = statement.get(null, { useBigInt: true }).map(toJson);
    room -= Buffer.byteLength(JSON.stringify(row)) + 1;
    if (rows.length === limit || room < 0) return { columns, rows, truncated: true };
    rows.push(row);
  }
  return { columns, rows };
}

/** Converts bytes to base64, and integers beyond 2^53 to text, which JSON readers would round. */
function toJson(value: SqlValue): unknown {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString("base64") };
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
