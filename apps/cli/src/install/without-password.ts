/** An address may hold a password, which is nobody's business who reads the record. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z+]+:\/\/[^/@:]*):[^/@]*@/i, "$1@");
}
