import type { Signs } from "../../render/signs.ts";
import type { Theme } from "../pi-tui/theme.ts";

/** What components are drawn with. */
export interface Look {
  readonly theme: Theme;
  readonly signs: Signs;
}
