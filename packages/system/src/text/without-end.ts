/**
 * Removes these characters from the end of a text, however many there are. An expression like `/\n+$/` takes time that grows with
 * the square of a run of them in the middle.
 *
 * @param ends single UTF-16 units
 */
export function withoutEnd(text: string, ends: string): string {
  let end = text.length;
  while (end > 0 && ends.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
