import { isUtf8 } from "node:buffer";

/*
 * Text that is not UTF-8: what marks UTF-16, which line is the first that is not UTF-8, and in which encoding it probably is.
 */

/** The encoding that a file's first two bytes mark; `undefined` for any other than UTF-16. */
export function markedEncoding(beginning: Buffer): "utf-16le" | "utf-16be" | undefined {
  if (beginning.length < 2) return undefined;
  const mark = beginning.readUInt16BE(0);
  // UTF-32 has the same mark, with NUL after it.
  if (mark === 0xfffe) return beginning.length >= 4 && beginning.readUInt16BE(2) === 0 ? undefined : "utf-16le";
  return mark === 0xfeff ? "utf-16be" : undefined;
}

/** Says that the file is UTF-16, or which line is the first that is not UTF-8. */
export function encodingHint(
  beginning: Buffer,
  bytes: Buffer,
  { firstLine, isCut }: { readonly firstLine: number; readonly isCut: boolean },
): string | undefined {
  const marked = markedEncoding(beginning);
  if (marked) return `The file is ${marked.toUpperCase()}, not UTF-8: iconv -f UTF-16 -t UTF-8 FILE converts it.`;
  if (isUtf8(bytes)) return undefined;
  let line = firstLine;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf("\n", start) + 1 || bytes.length;
    // The answer's last character may be incomplete.
    const cuts = isCut && end === bytes.length ? [0, 1, 2, 3] : [0];
    if (!cuts.some((cut) => isUtf8(bytes.subarray(start, Math.max(start, end - cut))))) {
      const likely = likelyEncoding(bytes.subarray(start));
      const convert = likely ? ` It is probably ${likely}: iconv -f ${likely} -t UTF-8 FILE converts it.` : "";
      return `Line ${line} is the first that is not UTF-8: U+FFFD (\ufffd) stands for other bytes in the file.${convert}`;
    }
    start = end;
  }
  return undefined;
}

/** The letters that tell a text in an encoding from noise, and the least share of them. Chinese read as Korean has other letters, too. */
const scripts = [
  ["SHIFT_JIS", /[\u3041-\u30ff]/g, 0.3],
  ["EUC-JP", /[\u3041-\u30ff]/g, 0.3],
  ["EUC-KR", /\p{sc=Hangul}/gu, 0.9],
  ["GB18030", /\p{sc=Han}/gu, 0.5],
] as const;

/** How much of a text is looked at, in bytes. */
const sampleBytes = 4_096;

/** The encoding that a text is probably in, as iconv calls it; `undefined` if nothing speaks for one. */
function likelyEncoding(bytes: Buffer): string | undefined {
  const sample = bytes.subarray(0, sampleBytes);
  const runs = sample.toString("latin1").match(/[\x80-\xff]+/g) ?? [];
  const high = runs.join("");
  const share = (first: number, last: number) =>
    [...high].filter((one) => one.charCodeAt(0) >= first && one.charCodeAt(0) <= last).length / high.length;
  // Accents stand between letters of ASCII, and other scripts in whole words.
  if (high.length <= 1.5 * runs.length) return "WINDOWS-1252";
  if (share(0xe0, 0xff) > 0.8) return "WINDOWS-1251";
  if (share(0xc0, 0xdf) > 0.8) return "KOI8-R";
  return scripts.find(([label, letter, least]) => {
    const text = new TextDecoder(label).decode(sample).replace(/[\p{ASCII}\p{P}]/gu, "");
    return (text.match(letter) ?? []).length > text.length * least;
  })?.[0];
}
