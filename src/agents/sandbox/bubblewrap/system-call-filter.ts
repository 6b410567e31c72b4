/**
 * A seccomp filter in BPF. It refuses calls that reach into other processes, the kernel's keys, mounts and namespaces,
 * sockets of unusual families, and modes that let a file run as its owner. Ordinary programs need none of them.
 */
interface Architecture {
  readonly audit: number;
  readonly refused: readonly number[];
  readonly named: Readonly<Partial<Record<JudgedCall, number>>>;
}

type JudgedCall = keyof ReturnType<typeof judgements>;

/** Whether a process may create unix sockets. A pair that stays connected, and so reaches nobody else, is always allowed. */
export type UnixSockets = 'allowed' | 'refused';

/** ptrace, process_vm_readv and writev, kcmp; add_key, request_key, keyctl; unshare, setns, chroot, pivot_root,
 * mount, umount2; bpf, perf_event_open, userfaultfd; modules, kexec, reboot, swap, acct, quotactl; the clocks; syslog;
 * open_by_handle_at. */
const X64 = [
  ...[101, 310, 311, 312, 248, 249, 250, 272, 308, 161, 155, 165, 166, 321, 298, 323],
  ...[175, 313, 176, 246, 320, 169, 167, 168, 163, 179, 164, 227, 103, 304, 172, 173],
];
const ARM64 = [
  ...[117, 270, 271, 272, 217, 218, 219, 97, 268, 51, 41, 40, 39, 280, 241, 282],
  ...[105, 273, 106, 104, 294, 142, 224, 225, 89, 60, 170, 112, 116, 265],
];
/** Numbers shared by all architectures: io_uring, which bypasses filters; the newer mount and quota calls; pidfd_getfd. */
const EVERYWHERE = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442, 443, 467];
/** Its mode lies in memory, which a filter cannot read. Programs that use it call openat where it does not exist. */
const OPENAT2 = 437;

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    refused: [...X64, ...EVERYWHERE],
    named: {
      ...{ socket: 41, socketpair: 53, ioctl: 16, open: 2, openat: 257, creat: 85, mknod: 133, mknodat: 259 },
      ...{ chmod: 90, fchmod: 91, fchmodat: 268, fchmodat2: 452 },
    },
  },
  arm64: {
    audit: 0xc00000b7,
    refused: [...ARM64, ...EVERYWHERE],
    named: {
      ...{ socket: 198, socketpair: 199, ioctl: 29, openat: 56, mknodat: 33 },
      ...{ fchmod: 52, fchmodat: 53, fchmodat2: 452 },
    },
  },
};

const LOAD = 0x20;
const JUMP = 0x05;
const IS_EQUAL = 0x15;
const IS_AT_LEAST = 0x35;
const HAS_BIT = 0x45;
const KEEP_BITS = 0x54;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const NOT_PERMITTED = 0x00050001;
const NO_SUCH_CALL = 0x00050026;
const NO_SUCH_FAMILY = 0x00050061;
const NO_SUCH_TYPE = 0x0005005e;
/** The x32 interface numbers the same calls again from here. */
const X32 = 0x40000000;

const UNIX = 1;
/** SOCK_STREAM and SOCK_SEQPACKET: an end of such a pair can never connect or send to another socket. */
const STAY_CONNECTED = [1, 5];
/** The type of a socket without SOCK_CLOEXEC and SOCK_NONBLOCK. */
const TYPE_BITS = 0xf;
/** IPv4, IPv6, and the kernel's list of addresses and routes. */
const USUAL_FAMILIES = [2, 10, 16];
/** TIOCSTI and TIOCLINUX put text into the input of a terminal. */
const TERMINAL_REQUESTS = [0x5412, 0x541c];
/** O_CREAT and O_TMPFILE: without them the mode is whatever the register holds. */
const CREATES = 0o20000100;
/** S_ISUID and S_ISGID. */
const SET_ID = 0o6000;

type Instruction = readonly [code: number, value: number, ifTrue?: number, ifFalse?: number];

/** Judges each call by its arguments. Every judgement ends in an answer. */
function judgements(unixSockets: UnixSockets) {
  return {
    socket: onlyFamilies(unixSockets === 'allowed' ? [UNIX, ...USUAL_FAMILIES] : USUAL_FAMILIES),
    socketpair: unixSockets === 'allowed' ? onlyFamilies([UNIX]) : onlyConnectedPairs(),
    ioctl: [argument(1), ...refuseIf(IS_EQUAL, TERMINAL_REQUESTS)],
    open: [argument(1), [HAS_BIT, CREATES, 1, 0], [RETURN, ALLOW], ...withoutSetId(2)],
    openat: [argument(2), [HAS_BIT, CREATES, 1, 0], [RETURN, ALLOW], ...withoutSetId(3)],
    creat: withoutSetId(1),
    mknod: withoutSetId(1),
    mknodat: withoutSetId(2),
    chmod: withoutSetId(1),
    fchmod: withoutSetId(1),
    fchmodat: withoutSetId(2),
    fchmodat2: withoutSetId(2),
  } satisfies Readonly<Record<string, readonly Instruction[]>>;
}

/** The low half: the kernel reads these arguments as 32 bits or fewer. */
function argument(at: number): Instruction {
  return [LOAD, 16 + 8 * at];
}

function onlyFamilies(families: readonly number[]): Instruction[] {
  const known = families.map((family, at): Instruction => [IS_EQUAL, family, families.length - at, 0]);
  return [argument(0), ...known, [RETURN, NO_SUCH_FAMILY], [RETURN, ALLOW]];
}

/** An end of a datagram pair may be connected or send again, by path, to any socket of the machine. */
function onlyConnectedPairs(): Instruction[] {
  return [
    argument(0),
    [IS_EQUAL, UNIX, 1, 0],
    [RETURN, NO_SUCH_FAMILY],
    argument(1),
    [KEEP_BITS, TYPE_BITS],
    ...STAY_CONNECTED.map((type, at): Instruction => [IS_EQUAL, type, STAY_CONNECTED.length - at, 0]),
    [RETURN, NO_SUCH_TYPE],
    [RETURN, ALLOW],
  ];
}

function withoutSetId(mode: number): Instruction[] {
  return [argument(mode), ...refuseIf(HAS_BIT, [SET_ID])];
}

function refuseIf(test: number, values: readonly number[]): Instruction[] {
  const tests = values.map((value, at): Instruction => [test, value, values.length - at, 0]);
  return [...tests, [RETURN, ALLOW], [RETURN, NOT_PERMITTED]];
}

/** Null on an architecture that is not listed here. */
export function systemCallFilter(
  unixSockets: UnixSockets = 'refused',
  architecture: string = process.arch,
): Buffer | null {
  const known = ARCHITECTURES[architecture];
  if (!known) return null;
  const { audit, refused, named } = known;
  const judged = Object.entries(judgements(unixSockets)).flatMap(([name, judgement]) => {
    const call = named[name as JudgedCall];
    return call === undefined ? [] : onCall(call, judgement);
  });
  const program: Instruction[] = [
    [LOAD, 4],
    [IS_EQUAL, audit, 1, 0],
    [RETURN, NOT_PERMITTED],
    [LOAD, 0],
    [IS_AT_LEAST, X32, 0, 1],
    [RETURN, NO_SUCH_CALL],
    ...onCall(OPENAT2, [[RETURN, NO_SUCH_CALL]]),
    ...refused.map((call, at): Instruction => [IS_EQUAL, call, refused.length - at, 0]),
    [JUMP, 1],
    [RETURN, NOT_PERMITTED],
    ...judged,
    [RETURN, ALLOW],
  ];
  return Buffer.concat(program.map(encode));
}

function onCall(call: number, judgement: readonly Instruction[]): Instruction[] {
  return [[IS_EQUAL, call, 0, judgement.length], ...judgement];
}

function encode([code, value, ifTrue = 0, ifFalse = 0]: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  // In the machine's byte order; all listed architectures are little-endian.
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
