// Hooks: the user's own programs that are run at events. For ikigai's own packages; it may change in any version.

export { type FoundHooks, findHooks, type HookFinder, listHooks } from "./hooks/find-hooks.ts";
export {
  eventAdvice,
  type Hook,
  type HookEvent,
  hookEventNames,
  hookEvents,
  isForTool,
  isHookEvent,
  isShippedTool,
  toolMeant,
} from "./hooks/hook.ts";
export { type HookOptions, type HookRun, runHook } from "./hooks/run-hook.ts";
