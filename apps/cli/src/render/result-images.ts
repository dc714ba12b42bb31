import { isJsonObject, type JsonValue, maxImages, type SuccessEnvelope } from "@ikigai/protocol";
import { cutToWidth } from "./fit-text.ts";
import type { LineOutput } from "./line-output.ts";
import { sanitiseLine } from "./sanitise.ts";

/** What each line of a result begins with. */
export const indent = "  ";

/** The images of an answer: one line for those that the model sees, one for the others. */
export function imageLines(
  { result, images_ignored: ignored = [] }: SuccessEnvelope,
  look: Pick<LineOutput, "style" | "signs" | "columns">,
): string[] {
  const { style, signs, columns } = look;
  const paths = pathsOf(result.images);
  const seen = paths.slice(0, maxImages).filter((path) => !ignored.some((one) => one.path === path));
  const line = (start: string, texts: readonly string[]) => {
    return texts.length === 0
      ? []
      : [cutToWidth(sanitiseLine(`${start}${texts.join(", ")}`), columns - indent.length, signs.cut)];
  };
  return [
    ...line(seen.length === 1 ? "image: " : `${seen.length} images: `, seen).map(style.dim),
    ...line(
      "not shown to the model: ",
      ignored.map(({ path, reason }) => `${path}: ${reason}`),
    ).map(style.yellow),
  ];
}

/** The paths of the images that an answer names for the model. */
export function pathsOf(images: JsonValue | undefined): string[] {
  if (!Array.isArray(images)) return [];
  return images.flatMap((image) => {
    const isImage = isJsonObject(image) && typeof image.path === "string" && typeof image.mime_type === "string";
    return isImage ? [String(image.path)] : [];
  });
}
