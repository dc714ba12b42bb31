// What is used of sql.js: its published types lack `useBigInt`, and this edition, which has its WebAssembly inside.
declare module "sql.js/dist/sql-wasm-inline.js" {
  export type SqlValue = number | bigint | string | Uint8Array | null;

  export interface Statement {
    getColumnNames(): string[];
    step(): boolean;
    get(parameters: null, options: { readonly useBigInt: boolean }): SqlValue[];
  }

  export interface Database {
    run(sql: string): this;
    iterateStatements(sql: string): Iterable<Statement>;
    prepare(sql: string): Statement;
    close(): void;
  }

  function initSqlJs(): Promise<{ Database: new (bytes: Uint8Array) => Database }>;

  // biome-ignore lint/style/noDefaultExport: so the library has it.
  export default initSqlJs;
}
