/** The number and the kinds of calls to the kernel, as one architecture has them. */
interface CallNumbers {
  /** As <linux/audit.h> names it. */
  readonly auditArch: number;
  readonly socket: number;
  readonly socketpair: number;
  /** Does the same as the others by a number in its first argument; only 32-bit programs have it. */
  readonly socketcall?: number;
}

const x64: CallNumbers = { auditArch: 0xc000_003e, socket: 41, socketpair: 53 };
const ia32: CallNumbers = { auditArch: 0x4000_0003, socket: 359, socketpair: 360, socketcall: 102 };
const arm64: CallNumbers = { auditArch: 0xc000_00b7, socket: 198, socketpair: 199 };
const arm: CallNumbers = { auditArch: 0x4000_0028, socket: 281, socketpair: 288, socketcall: 102 };

/** What runs on a machine: its own programs, and the 32-bit ones that its kernel may run as well. */
const kinds: Readonly<Record<string, readonly CallNumbers[]>> = { x64: [x64, ia32], arm64: [arm64, arm] };

/** Makes and connects sockets without any of the calls above. The same number everywhere. */
const ioUringSetup = 425;

/** On x86-64: calls of a third kind (x32), which nobody uses. */
const x32Bit = 0x4000_0000;

/** Families of sockets that stay inside the sandbox's network, or may leave it where one is granted: IPv4, IPv6, netlink. */
const networkFamilies = [2, 10, 16];
const unixFamily = 1;

/** SOCK_STREAM and SOCK_SEQPACKET: such a pair is connected for good. One for datagrams can be sent elsewhere. */
const connectedTypes = [1, 5];
const typeMask = 0xf;

const eperm = 1;
const enosys = 38;

/** Where the kernel puts what a filter looks at (struct seccomp_data), in bytes. Both architectures are little-endian. */
const offsets = { number: 0, auditArch: 4, firstArgument: 16, secondArgument: 24 };

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const and = (mask: number): Instruction => [0x54, 0, 0, mask];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
const allow = answer(0x7fff_0000);
const refuse = (errno: number): Instruction => answer(0x0005_0000 + errno);

/** Each of these bodies ends with an answer. */
const when = (value: number, ...body: Instruction[]): Instruction[] => [[0x15, 0, body.length, value], ...body];
const whenAtLeast = (value: number, ...body: Instruction[]): Instruction[] => [[0x35, 0, body.length, value], ...body];

/**
 * A program for the kernel (seccomp) that keeps a process from making sockets of the file system, and of families that no
 * network namespace holds (vsock). Mounts cannot: whoever sees a socket, in however protected a directory, can connect to it,
 * also to one that is made later.
 *
 * Pairs of sockets can be made, which programs talk to their children by. `undefined` for a machine of another kind.
 */
export function socketFilter({ unix }: { readonly unix: boolean }, arch: string = process.arch): Buffer | undefined {
  const own = kinds[arch];
  if (own === undefined) return undefined;
  const families = unix ? [...networkFamilies, unixFamily] : networkFamilies;
  const program = [
    ...own.flatMap((numbers) => [
      load(offsets.auditArch),
      ...when(numbers.auditArch, ...callFilter(numbers, families)),
    ]),
    refuse(enosys),
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}

function callFilter(
  { auditArch, socket, socketpair, socketcall }: CallNumbers,
  families: readonly number[],
): Instruction[] {
  const pairTypes = families.includes(unixFamily) ? [...connectedTypes, 2, 3] : connectedTypes;
  return [
    load(offsets.number),
    ...(auditArch === x64.auditArch ? whenAtLeast(x32Bit, refuse(enosys)) : []),
    ...when(ioUringSetup, refuse(enosys)),
    ...(socketcall === undefined ? [] : when(socketcall, refuse(eperm))),
    ...when(socket, load(offsets.firstArgument), ...families.flatMap((family) => when(family, allow)), refuse(eperm)),
    ...when(
      socketpair,
      load(offsets.secondArgument),
      and(typeMask),
      ...pairTypes.flatMap((type) => when(type, allow)),
      refuse(eperm),
    ),
    allow,
  ];
}
