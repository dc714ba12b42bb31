/** Where bugs are reported. */
export const issueTracker = "https://github.com/ikigai-cli/ikigai/issues";
