import { isJsonObject, type JsonValue } from "@ikigai/protocol";

/**
 * Characters that a model reads and a person does not see, or that control a terminal: control characters other than newline and
 * tab, lone surrogates, line separators, bidirectional and zero-width characters, variation selectors, tags.
 */
const hidden = /(?!\n|\t)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** Removes them: the model sees exactly what the user saw. */
export function withoutHidden(text: string): string {
  return text.replace(hidden, "");
}

/** Whether a key or a text in a JSON value has such a character. */
export function hasHidden(root: JsonValue): boolean {
  const values = [root];
  for (const value of values) {
    if (typeof value === "string" && withoutHidden(value) !== value) return true;
    if (typeof value !== "object" || value === null) continue;
    if (isJsonObject(value)) values.push(...Object.keys(value));
    for (const child of Object.values(value)) values.push(child);
  }
  return false;
}
