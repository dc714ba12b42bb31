// Where the docs and the issue tracker are.

import { fileURLToPath } from "node:url";

/** A placeholder for the directory of the docs, which depends on how ikigai was installed. */
const docsPlace = "{docs}";

/** A topic with the path of the docs that come with this copy of the command. */
export function withDocsPath(topic: string): string {
  if (!topic.includes(docsPlace)) return topic;
  // The build puts them beside the file that contains this one.
  return topic.replaceAll(docsPlace, fileURLToPath(new URL("docs", import.meta.url)));
}

/** A topic for the manual page, which is the same in every installation. */
export function withDocsInPackage(topic: string): string {
  return topic.replaceAll(docsPlace, "@ikigai/cli/dist/docs");
}

/** Where bugs are reported. */
export const issueTracker = "https://github.com/ikigai-cli/ikigai/issues";
