import { join } from "node:path";
import type { ConfigProblem } from "@ikigai/agent";
import { renderConfigProblem } from "@ikigai/agent/internal";
import { readDataFile, type Shape } from "@ikigai/agent/setup";
import { actionNames, defaultBindings, type KeyAction, type KeyBindings } from "../components/key-bindings.ts";

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
