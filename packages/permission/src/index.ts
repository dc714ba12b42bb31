// Whether a call may run, and where. The README has the modules.

export { hostText } from "@ikigai/http";
export {
  argumentsOf,
  type CallFacts,
  factsOf,
  gitUseOf,
  hasParameter,
  missingArgument,
} from "./decision/call-facts.ts";
export {
  decide,
  isAllowedInEdits,
  type Judgement,
  judge,
  needsKey,
  touchesProtected,
  withAgreedNeeds,
} from "./decision/judge.ts";
export { seenFrom } from "./decision/limits.ts";
export { ruleFor, ruleOffers, stricterRule, whyStillAsked } from "./decision/offers.ts";
export {
  pageHost,
  pathRulesIn,
  permittedHosts,
} from "./decision/rule-match.ts";
export {
  type Answer,
  type AnswerTool,
  type Ask,
  type CallToPermit,
  type Confirm,
  callDirectory,
  conversationModes,
  type Decision,
  type HookVerdict,
  isSystemBash,
  isVerdict,
  type PendingCall,
  type Permission,
  type PermissionLimit,
  type PermissionMode,
  type PermissionRule,
  permissionModes,
  permissionModeTable,
  type Question,
  type RulePlace,
  type RunPlace,
  type SandboxUse,
  type ToolQuestion,
  type Verdict,
  verdicts,
  type YesOrNo,
} from "./permission.ts";

export {
  hostRuleFor,
  localPorts,
  readHostText,
  type WantedHost,
  withOpenedHosts,
} from "./rules/host-rules.ts";
export {
  insertRule,
  nameProblem,
  namesTool,
  parseRule,
  placeOfRule,
  type RuleParts,
  type RuleProblem,
  ruleProblem,
} from "./rules/rules.ts";
export { matchesWildcard } from "./rules/wildcard.ts";

export { matchesCommand } from "./shell/commands.ts";
export { isReader } from "./shell/reading.ts";

export {
  argumentsRead,
  changesFile,
  declaredAccess,
  fileTarget,
  isFileAccess,
  projectsOf,
  realTarget,
  withMeantPath,
} from "./targets/paths.ts";
export { isDoubtfulUrl, readUrl, refusedAddress, takesUrl } from "./targets/urls.ts";
