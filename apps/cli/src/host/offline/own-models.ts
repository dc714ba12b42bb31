import type { Model } from "@ikigai/agent/internal";

/** The command's own models, by name. Places in plain requests are looked up from `cwd`. */
export function ownModels(cwd: string): Readonly<Record<"offline", () => Promise<Model>>> {
  return { offline: async () => (await import("./offline-model.ts")).offlineModel(cwd) };
}
