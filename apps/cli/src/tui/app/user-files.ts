// The files of the user that the screen reads: themes, then keys.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ConfigProblem } from "@ikigai/agent";
import { renderConfigProblem } from "@ikigai/agent/internal";
import { readDataFile, type Shape } from "@ikigai/agent/setup";
import { ansiNames, type ColourScheme, type Colours, colourNames, type Theme, themeWith } from "@ikigai/screen";
import { shortPath } from "../../render/short-forms.ts";
import { actionNames, defaultBindings, type KeyAction, type KeyBindings } from "../components/key-bindings.ts";
import ansi from "./themes/ansi.json" with { type: "json" };
import colourBlindDark from "./themes/colour-blind-dark.json" with { type: "json" };
import colourBlindLight from "./themes/colour-blind-light.json" with { type: "json" };
import dark from "./themes/dark.json" with { type: "json" };
import highContrastDark from "./themes/high-contrast-dark.json" with { type: "json" };
import highContrastLight from "./themes/high-contrast-light.json" with { type: "json" };
import light from "./themes/light.json" with { type: "json" };

/** A theme as a file has it. */
interface ThemeFile {
  readonly scheme?: string;
  readonly colours?: Partial<Colours>;
}

/** The themes that ship, by name. */
export const shippedThemes: Readonly<Record<string, Required<ThemeFile>>> = {
  dark,
  light,
  ansi,
  "high-contrast-dark": highContrastDark,
  "high-contrast-light": highContrastLight,
  "colour-blind-dark": colourBlindDark,
  "colour-blind-light": colourBlindLight,
};

const colour: Shape = {
  type: "string",
  pattern: new RegExp(`^(?:#[0-9a-fA-F]{6}|(?:bright-)?(?:${ansiNames.join("|")}))$`),
  example: "#87d7ff",
  about: "#rrggbb, or one of the terminal's 16 colours: red, bright-red",
};

/** The shape of `themes/NAME.json`. */
export const themeShape: Shape = {
  type: "object",
  about: "A theme of ikigai's full screen, ~/.ikigai/themes/NAME.json. Colours that are missing are the scheme's.",
  keys: {
    $schema: { type: "string", about: "URL of this schema, for editors" },
    scheme: { type: "string", oneOf: ["dark", "light"], about: "The terminal that it is for" },
    colours: { type: "object", noun: "colour", keys: Object.fromEntries(colourNames.map((name) => [name, colour])) },
  },
};

/** The file of a theme, below the user's directory. */
function themePath(name: string): string {
  return `themes/${name}.json`;
}

/**
 * Loads a theme by name: the user's own, otherwise one that ships, whose name may also be spelled `color-`. The theme is undefined
 * if no theme has this name.
 */
export function loadTheme(
  name: string,
  home: string,
  { COLORTERM }: NodeJS.ProcessEnv,
): { readonly theme: Theme | undefined; readonly problems: readonly string[] } {
  const path = join(home, themePath(name));
  const { value, problems } = readDataFile(path, themeShape);
  const own = value as ThemeFile;
  const file = existsSync(path) ? own : shippedThemes[name.replace(/^color-/, "colour-")];
  const told = problems.map(renderConfigProblem);
  const hasTrueColour = COLORTERM === "truecolor" || COLORTERM === "24bit";
  if (file) return { theme: themeWith(schemeOf(file), file.colours ?? {}, hasTrueColour), problems: told };
  const known = ["auto", ...Object.keys(shippedThemes)].join(", ");
  return {
    theme: undefined,
    problems: [
      `There is no theme ${name}. Create ${shortPath(path, { projectDir: "" })}, or set screen.theme to one of ${known}.`,
    ],
  };
}

function schemeOf({ scheme }: ThemeFile): ColourScheme {
  return scheme === "light" ? "light" : "dark";
}

/** Keys whose meaning is fixed: without them, one could not send, stop or quit. */
const fixed = ["enter", "escape", "tab", "up", "down", "ctrl-c", "ctrl-d", "ctrl-z", "ctrl-\\"];

const named = "enter|tab|space|up|down|left|right|home|end|page-up|page-down|insert|delete|backspace|f[1-9]|f1[0-2]";

/** A key that `keys.json` may bind: with a modifier, or one that types no text, or `?`. */
const keyPattern = new RegExp(
  `^(?!(?:${fixed.map((key) => key.replaceAll("\\", "\\\\")).join("|")})$)` +
    `(?:\\?|(?:f[1-9]|f1[0-2]|home|end|page-up|page-down|insert|delete)|(?:(?:ctrl|alt|shift)-)+(?:${named}|[!-~]))$`,
);

const keyForm = `a key like "ctrl-s", "alt-enter", "f5" or "?", and none of ${fixed.join(", ")}, which are fixed`;

/** The shape of `keys.json`: each action has a list of keys. */
export const keysShape: Shape = {
  type: "object",
  noun: "action",
  about: "The keys of ikigai's full screen, ~/.ikigai/keys.json. An action that is missing keeps its keys.",
  keys: {
    $schema: { type: "string", about: "URL of this schema, for editors" },
    ...Object.fromEntries(
      actionNames.map((action) => [
        action,
        {
          type: "texts",
          example: JSON.stringify(defaultBindings[action]),
          pattern: keyPattern,
          form: keyForm,
        } as const,
      ]),
    ),
  },
};

export function keysPath(home: string): string {
  return join(home, "keys.json");
}

/** Reads `keys.json`. A key that it gives to one action is taken from the others. */
export function loadBindings(home: string): { readonly bindings: KeyBindings; readonly problems: readonly string[] } {
  const path = keysPath(home);
  const { value, problems } = readDataFile(path, keysShape);
  const own = value as Partial<KeyBindings>;
  const all = actionNames.map((action) => [action, own[action] ?? withoutTaken(action, own)]);
  return {
    bindings: Object.fromEntries(all) as KeyBindings,
    problems: [...problems, ...boundTwice(path, own)].map(renderConfigProblem),
  };
}

/** The default keys of an action, without those that the file gives to another. */
function withoutTaken(action: KeyAction, own: Partial<KeyBindings>): readonly string[] {
  const taken = new Set(actionNames.flatMap((name) => own[name] ?? []));
  return defaultBindings[action].filter((key) => !taken.has(key));
}

function boundTwice(path: string, own: Partial<KeyBindings>): ConfigProblem[] {
  const owners = new Map<string, KeyAction>();
  const problems: ConfigProblem[] = [];
  for (const action of actionNames) {
    for (const key of own[action] ?? []) {
      const first = owners.get(key);
      if (first === undefined) owners.set(key, action);
      else if (first !== action)
        problems.push({
          path,
          message: `${key} is bound to "${first}" and "${action}". The first one counts.`,
          isFatal: false,
        });
    }
  }
  return problems;
}
