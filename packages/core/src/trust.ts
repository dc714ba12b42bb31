// What the user has agreed to: the files of projects, and what tools need. For ikigai's own packages; it may change in any version.

export { projectOverrides } from "./discovery/known-tools.ts";
export { firstChange, hashTool, stampAt } from "./registry/stamps.ts";
export { agreeToNeeds, describeNeeds, forgetNeeds, hasOpenNeeds } from "./trust/needs.ts";
export { sharedSkillPlaces, untrustedWords } from "./trust/project-files.ts";
export { loadTrustStore, trustFiles } from "./trust/trust.ts";
