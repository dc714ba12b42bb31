import { writeFileSync } from "node:fs";
import { shellWord, temporaryPath } from "@ikigai/system";
import { WebError, type WebResponse } from "@ikigai/web-requests";

/** What ends the name of a saved file, where the end of its type is not that. */
const extensions: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "application/gzip": "gz",
  "application/x-gzip": "gz",
  "application/octet-stream": "bin",
};

/** Saves a body that is no text, and returns the failure that names the file. */
export function unsupported({ url, status, body }: WebResponse, mediaType: string): WebError {
  const what = `${url.href} is ${mediaType}, which web_fetch does not read`;
  const saved = save(body, mediaType);
  if (saved === undefined) return new WebError("UNSUPPORTED_TYPE", `${what}; it could not be saved either.`);
  const step =
    mediaType === "application/pdf"
      ? `Run: pdftotext ${shellWord(saved)} -`
      : `Read ${saved} with a program for ${mediaType}.`;
  const details = { status, content_type: mediaType, saved, help: { steps: [step] } };
  return new WebError("UNSUPPORTED_TYPE", `${what}. It was saved to a file.`, details);
}

/** Saves a body in a file that only the user can read. Returns its path; `undefined` if the system refuses. */
function save(body: Buffer, mediaType: string): string | undefined {
  const { randomUUID } = process.getBuiltinModule("node:crypto");
  const ending = extensions[mediaType] ?? /^[^/]+\/([a-z0-9]{1,8})$/.exec(mediaType)?.[1] ?? "bin";
  // The model reads it with other tools, so it belongs to ikigai, which outlives this process.
  const path = temporaryPath(
    `web-${randomUUID()}.${ending}`,
    Number.parseInt(process.env.IKIGAI_HOST_ID ?? "", 10) || process.pid,
  );
  try {
    writeFileSync(path, body, { flag: "wx", mode: 0o600 });
    return path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return undefined;
  }
}
