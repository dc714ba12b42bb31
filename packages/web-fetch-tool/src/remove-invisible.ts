/**
 * Characters that a person does not see in a page and a model reads: soft hyphens, zero width, directions of writing, byte order marks,
 * and the block U+E0000, which can spell whole sentences.
 */
const invisible = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/gu;

/** Removes invisible characters, and counts them. */
export function withoutInvisible(text: string): { readonly text: string; readonly removed: number } {
  let removed = 0;
  const visible = text.replace(invisible, () => {
    removed++;
    return "";
  });
  return { text: visible, removed };
}
