export { allowVariable, certainRefusal } from "./address-policy.ts";
export { type HostPlace, isLoopback, isPrivateName, type Surroundings, surroundings } from "./addresses.ts";
export { decodeText } from "./decode-text.ts";
export { defaultLimits, type Limits } from "./limits.ts";
export { checkHops, type Hop, sendRequest, type WebRequest, type WebResponse } from "./send-request.ts";
export { WebError, type WebErrorCode, type WebErrorDetails } from "./web-error.ts";
export { hostOf, maxUrlBytes, readWebUrl } from "./web-url.ts";
