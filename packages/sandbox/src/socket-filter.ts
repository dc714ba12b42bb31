/** The system call numbers of one architecture. */
interface CallNumbers {
  /** The constant in <linux/audit.h>. */
  readonly auditArch: number;
  readonly socket: number;
  readonly socketpair: number;
  /** The first of add_key, request_key and keyctl, which follow each other. */
  readonly keys: number;
  readonly clone: number;
  readonly unshare: number;
  /** Does the work of the others, selected by its first argument; 32-bit programs only. */
  readonly socketcall?: number;
}

const x64: CallNumbers = { auditArch: 0xc000_003e, socket: 41, socketpair: 53, keys: 248, clone: 56, unshare: 272 };
const ia32: CallNumbers = {
  auditArch: 0x4000_0003,
  socket: 359,
  socketpair: 360,
  keys: 286,
  clone: 120,
  unshare: 310,
  socketcall: 102,
};
const arm64: CallNumbers = { auditArch: 0xc000_00b7, socket: 198, socketpair: 199, keys: 217, clone: 220, unshare: 97 };
const arm: CallNumbers = {
  auditArch: 0x4000_0028,
  socket: 281,
  socketpair: 288,
  keys: 309,
  clone: 120,
  unshare: 337,
  socketcall: 102,
};

/** The architectures a machine can run: its own, and its 32-bit variant. */
const kinds: Readonly<Record<string, readonly CallNumbers[]>> = { x64: [x64, ia32], arm64: [arm64, arm] };

/** io_uring creates and connects sockets without the calls above. Same number on all architectures. */
const ioUringSetup = 425;

/** Passes its flags in memory, where a filter cannot read them; programs then use clone. Same number on all architectures. */
const clone3 = 435;

/** CLONE_NEWUSER: in a user namespace of its own a process has all capabilities, and so most of the kernel to attack. */
const newUserFlag = 0x1000_0000;

/** On x86-64: marks calls of the unused x32 ABI. */
const x32Bit = 0x4000_0000;

/** Socket families confined to the sandbox's network namespace: IPv4, IPv6, netlink. */
const networkFamilies = [2, 10, 16];
const netlinkFamily = 16;
const unixFamily = 1;

/** NETLINK_AUDIT and NETLINK_NETFILTER: nothing that a tool needs, and often attacked. */
const refusedNetlink = [9, 12];

/** SOCK_STREAM and SOCK_SEQPACKET: such a pair stays connected. A datagram socket could send elsewhere. */
const connectedTypes = [1, 5];
const typeMask = 0xf;

const eperm = 1;
const enosys = 38;

/** Offsets in the filter's input (struct seccomp_data), in bytes. Both architectures are little-endian. */
const offsets = { number: 0, auditArch: 4, firstArgument: 16, secondArgument: 24, thirdArgument: 32 };

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const and = (mask: number): Instruction => [0x54, 0, 0, mask];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
const allow = answer(0x7fff_0000);
const refuse = (errno: number): Instruction => answer(0x0005_0000 + errno);

/** Each body must end with an answer. */
const when = (value: number, ...body: Instruction[]): Instruction[] => [[0x15, 0, body.length, value], ...body];
const whenSet = (flag: number, ...body: Instruction[]): Instruction[] => [[0x45, 0, body.length, flag], ...body];
const whenAtLeast = (value: number, ...body: Instruction[]): Instruction[] => [[0x35, 0, body.length, value], ...body];

/**
 * Builds a seccomp program that forbids Unix sockets, and families that network namespaces do not confine (vsock). Mounts
 * cannot do that: a process that sees a socket, even in a read-only directory or created later, can connect to it. It also forbids the
 * kernel's keyrings, which no namespace confines: other programs keep keys there; and user namespaces, which not every
 * bubblewrap can forbid.
 *
 * Socket pairs stay allowed, since programs use them to talk to
 * their children. Returns `undefined` for an unknown architecture.
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
  { auditArch, socket, socketpair, keys, clone, unshare, socketcall }: CallNumbers,
  families: readonly number[],
): Instruction[] {
  const pairTypes = families.includes(unixFamily) ? [...connectedTypes, 2, 3] : connectedTypes;
  return [
    load(offsets.number),
    ...(auditArch === x64.auditArch ? whenAtLeast(x32Bit, refuse(enosys)) : []),
    ...[ioUringSetup, clone3, keys, keys + 1, keys + 2].flatMap((number) => when(number, refuse(enosys))),
    ...(socketcall === undefined ? [] : when(socketcall, refuse(eperm))),
    ...[clone, unshare].flatMap((number) =>
      when(number, load(offsets.firstArgument), ...whenSet(newUserFlag, refuse(eperm)), allow),
    ),
    ...when(
      socket,
      load(offsets.firstArgument),
      ...families.filter((family) => family !== netlinkFamily).flatMap((family) => when(family, allow)),
      ...when(
        netlinkFamily,
        load(offsets.thirdArgument),
        ...refusedNetlink.flatMap((protocol) => when(protocol, refuse(eperm))),
        allow,
      ),
      refuse(eperm),
    ),
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
