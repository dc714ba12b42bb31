import type { Signs } from "../../render/style.ts";
import type { Theme } from "../pi-tui/theme.ts";

/** What components are drawn with. */
export interface Look {
  readonly theme: Theme;
  readonly signs: Signs;
}
