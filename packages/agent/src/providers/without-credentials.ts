/** An address as it may be shown: without the user name and the password in it, however badly it is written. */
export function withoutCredentials(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, "$1…@");
}
