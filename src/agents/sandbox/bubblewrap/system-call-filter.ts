/**
 * A seccomp filter in BPF: refuses calls that reach into other processes, the kernel's keys, mounts and namespaces.
 * Ordinary programs need none of them.
 */
interface Architecture {
  readonly audit: number;
  readonly calls: readonly number[];
}

/** ptrace, process_vm_readv and writev, pidfd_getfd; add_key, request_key, keyctl; unshare, setns, chroot, pivot_root,
 * mount, umount2; bpf, perf_event_open, userfaultfd; modules, kexec, reboot, swap, acct, quotactl; the clocks; syslog;
 * open_by_handle_at. */
const X64 = [
  ...[101, 310, 311, 248, 249, 250, 272, 308, 161, 155, 165, 166, 321, 298, 323],
  ...[175, 313, 176, 246, 320, 169, 167, 168, 163, 179, 164, 227, 103, 304, 172, 173],
];
const ARM64 = [
  ...[117, 270, 271, 217, 218, 219, 97, 268, 51, 41, 40, 39, 280, 241, 282],
  ...[105, 273, 106, 104, 294, 142, 224, 225, 89, 60, 170, 112, 116, 265],
];
/** Numbers shared by all architectures: io_uring, which bypasses filters; the newer mount calls; pidfd_getfd. */
const EVERYWHERE = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442];

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: { audit: 0xc000003e, calls: [...X64, ...EVERYWHERE] },
  arm64: { audit: 0xc00000b7, calls: [...ARM64, ...EVERYWHERE] },
};

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const NOT_PERMITTED = 0x00050001;
const NO_SUCH_CALL = 0x00050026;
/** The x32 interface numbers the same calls again from here. */
const X32 = 0x40000000;

type Instruction = readonly [code: number, value: number, ifTrue?: number, ifFalse?: number];

/** Null on an architecture that is not listed here. */
export function systemCallFilter(architecture: string = process.arch): Buffer | null {
  const known = ARCHITECTURES[architecture];
  if (!known) return null;
  const { audit, calls } = known;
  const program: Instruction[] = [
    [LOAD, 4],
    [JUMP_EQUAL, audit, 0, calls.length + 3],
    [LOAD, 0],
    [JUMP_AT_LEAST, X32, calls.length + 1, 0],
    ...calls.map((call, at): Instruction => [JUMP_EQUAL, call, calls.length - at + 1, 0]),
    [RETURN, ALLOW],
    [RETURN, NO_SUCH_CALL],
    [RETURN, NOT_PERMITTED],
  ];
  return Buffer.concat(program.map(encode));
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
