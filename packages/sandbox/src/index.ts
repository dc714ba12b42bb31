export { whyNoSandbox } from "./bubblewrap.ts";
export {
  type DecisiveFile,
  decisiveFileAt,
  decisiveFiles,
  gitPlacesNamed,
} from "./decisive-files.ts";
export { keepIndex, recordingProblem } from "./git-recording.ts";
export { endMark, type Launcher, launcherPlace, startMark } from "./launcher.ts";
export { seesNoMore } from "./mount-plan.ts";
export { type NetworkOptions, networkProblem, sessionNetwork } from "./network/session-network.ts";
export { type PathRule, pathJudge, ruledPlaces } from "./path-rules.ts";
export type {
  Command,
  Failure,
  HostTraffic,
  Inside,
  NetworkUser,
  Place,
  SessionNetwork,
  Through,
  View,
} from "./place.ts";
export { isPointer } from "./pointed-places.ts";
export { type ChangeScene, maxPlanAgeMs, mayChange, type SandboxOptions, sandboxPlace } from "./sandbox-place.ts";
export { filterFd, type Placeholder, type Placeholders, type SandboxSettings } from "./sandbox-policy.ts";
export { placeProblem } from "./sandbox-prefix.ts";
export { secretPlacesOf } from "./secret-places.ts";
export { outsidePathOf, temporaryDirectory } from "./temporary-directory.ts";
export { variablesInside } from "./variables-inside.ts";
