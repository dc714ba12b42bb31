import type { Outcome, RegisteredTool } from "@ikigai/core";
import { type ShownVisual, toKept } from "@ikigai/models";
import { type IgnoredVisual, maxImageBytes, type RefusedVisual, readVisuals, type Visual } from "@ikigai/protocol";
import { readKept, toShownImage } from "@ikigai/session";
import { redactJson, replaceMember } from "@ikigai/system";
import { type AnswerPlaces, type CallPlace, placesOf, readNamedFile, type SeenOutcome } from "./answer-images.ts";

/**
 * Takes the visuals of an answer for the user; the model gets their texts instead, and why one is not drawn. Never throws.
 *
 * @param secrets keys, which are removed from what is drawn.
 */
export function withVisuals(
  outcome: SeenOutcome,
  tool: RegisteredTool,
  place: CallPlace,
  secrets: readonly string[],
): SeenOutcome {
  const { envelope } = outcome;
  const named = envelope.tool_success ? readVisuals(envelope.result) : undefined;
  if (!envelope.tool_success || !named) return outcome;
  const places = placesOf(tool, place, { withTemporary: true });
  const visuals = named.map((visual) => shownVisual(visual, places, secrets));
  const alts = visuals.map(({ alt }) => alt).filter((alt) => alt !== "");
  const ignored = visuals.flatMap(({ type, ...visual }, index): IgnoredVisual[] =>
    "reason" in visual ? [{ index, reason: visual.reason }] : [],
  );
  return {
    ...outcome,
    visuals,
    envelope: {
      ...envelope,
      result: { ...envelope.result, visual: alts },
      ...(ignored.length > 0 && { visual_ignored: ignored }),
    },
    json: replaced(outcome, alts, ignored),
  };
}

/** The rest of the tool's own text stays as it is. */
function replaced({ json }: Outcome, alts: readonly string[], ignored: readonly IgnoredVisual[]): string {
  const texts = JSON.stringify(alts);
  const short = replaceMember(json, "result", (result) => replaceMember(result, "visual", () => texts));
  return ignored.length === 0 ? short : `${short.slice(0, -1)},"visual_ignored":${JSON.stringify(ignored)}}`;
}

/** Reads the file of an image, and removes keys from everything else. */
export function shownVisual(
  visual: Visual | RefusedVisual,
  places: AnswerPlaces,
  secrets: readonly string[],
): ShownVisual {
  if (visual.type !== "image") return withoutKeys(visual, secrets);
  const file = readNamedFile(visual.path, places, maxImageBytes);
  if (typeof file === "string") return withoutKeys({ type: "refused", alt: visual.alt, reason: file }, secrets);
  const image = toShownImage(visual, file.path, file.bytes);
  return image.type === "image" ? { ...image, ...withoutKeys(toKept(image), secrets) } : withoutKeys(image, secrets);
}

function withoutKeys<Shown extends ShownVisual>(visual: Shown, secrets: readonly string[]): Shown {
  const json = JSON.stringify(visual);
  const clean = redactJson(json, secrets);
  return clean === json ? visual : (readKept([JSON.parse(clean)])[0] as Shown);
}
