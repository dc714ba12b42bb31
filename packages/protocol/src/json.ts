/** What a JSON text can hold. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** What goes into a tool, and what comes out of it. */
export interface JsonObject {
  [key: string]: JsonValue;
}
