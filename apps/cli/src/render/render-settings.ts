import { withoutPassword } from "@ikigai/system";

/** Settings as JSON for people, without keys and without passwords in URLs. */
export function renderSettings(settings: unknown): string {
  return JSON.stringify(settings, shownSetting, 2);
}

/** A setting as it may be shown. */
export function shownSetting(name: string, value: unknown): unknown {
  if (name === "apiKey") return "…";
  return name === "baseUrl" && typeof value === "string" ? withoutPassword(value) : value;
}
