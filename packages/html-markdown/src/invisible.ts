/**
 * Characters that a person does not see in a page and a model reads: zero width, soft hyphens, directions of writing, fillers, variation
 * selectors and tags, which can spell whole sentences. Unicode says which they are, except the three of interlinear annotations. The
 * selector of an emoji stays.
 */
const invisible = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb](?<!\p{Extended_Pictographic}\ufe0f)/gu;

/** Below the first one. */
const surelyVisible = 0xad;

/** Whether a text has such a character. */
export function hasInvisible(text: string): boolean {
  return text.search(invisible) >= 0;
}

/** Whether a character is such a one. */
export function isInvisible(codePoint: number): boolean {
  return codePoint >= surelyVisible && hasInvisible(String.fromCodePoint(codePoint));
}

/** Removes invisible characters, and counts them. */
export function withoutInvisible(text: string): { readonly text: string; readonly removed: number } {
  let removed = 0;
  const visible = text.replace(invisible, () => {
    removed++;
    return "";
  });
  return { text: visible, removed };
}
