/** Somebody waits: npm tells of a registry that is not there after a few seconds, not minutes. The user's own settings count more. */
export function hastyNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    npm_config_fetch_retries: "1",
    npm_config_fetch_retry_mintimeout: "500",
    npm_config_fetch_retry_maxtimeout: "2000",
    ...env,
  };
}
