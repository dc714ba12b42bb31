// Where a tool runs: the policy of a sandbox and the place that it makes, the network of a session, launchers, and what git may do there.

export type { Traffic as HostTraffic } from "@ikigai/http/door";
export { whyNoSandbox } from "./bubblewrap.ts";
export {
  type DecisiveFile,
  decisiveFileAt,
  decisiveFiles,
  type PathRule,
  pathJudge,
  ruledPlaces,
} from "./decisive-files.ts";
export { gitPlacesNamed } from "./git-config.ts";
export { commitProblem, keepIndex } from "./git-places.ts";
export { endMark, type Launcher, launcherPlace, startMark } from "./launcher.ts";
export { seesNoMore } from "./mount-plan.ts";
export { type NetworkOptions, networkProblem, sessionNetwork } from "./network.ts";
export {
  type Command,
  type Failure,
  filterFd,
  type Inside,
  type NetworkUser,
  type Place,
  type Placeholder,
  type Placeholders,
  type SandboxSettings,
  type SessionNetwork,
  type Through,
  type View,
} from "./place.ts";
export {
  type ChangeScene,
  maxPlanAgeMs,
  outsidePathOf,
  placeProblem,
  type SandboxOptions,
  sandboxLetsChange,
  sandboxPlace,
  temporaryDirectory,
} from "./sandbox.ts";
export { isPointer, secretPlacesOf, variablesInside } from "./visible.ts";
