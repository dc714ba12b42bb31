/**
 * Characters that a person does not see in a text and a model reads: control characters but those of white space, format characters (zero
 * width, soft hyphens, directions of writing, tags, which can spell whole sentences), fillers, variation selectors, private and broken
 * characters. Unicode says which they are, except the three of interlinear annotations. The selector of an emoji stays, and so do the
 * signs of numbers and years in Arabic, Syriac and Kaithi, which are format characters, but visible.
 */
const invisible =
  /(?![\t\n\f\r\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb](?<!\p{Extended_Pictographic}\ufe0f)/gu;

/** Whether a text has such a character. */
export function hasInvisible(text: string): boolean {
  return text.search(invisible) >= 0;
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
