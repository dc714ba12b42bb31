import { readFileSync, writeSync } from "node:fs";
import { Failure } from "./failure.ts";
import { query } from "./query.ts";
import { readDatabase } from "./read-database.ts";
import { type Arguments, readArguments, schema } from "./schema.ts";

if (process.argv[2] === "--schema") print(schema);
else void call();

async function call(): Promise<void> {
  let args: Arguments;
  try {
    args = readArguments(readFileSync(0, "utf8"));
  } catch (error) {
    console.error(`sql-query-tool: ${(error as Error).message}`);
    process.exitCode = 1;
    return;
  }
  const { SQL_QUERY_DATABASE, IKIGAI_MAX_OUTPUT_BYTES } = process.env;
  try {
    print(await query(readDatabase(SQL_QUERY_DATABASE), args, Number(IKIGAI_MAX_OUTPUT_BYTES) || 65_536));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    print(error.answer);
  }
}

function print(value: object): void {
  for (let rest = Buffer.from(`${JSON.stringify(value)}\n`); rest.length > 0; )
    rest = rest.subarray(writeSync(1, rest));
}
