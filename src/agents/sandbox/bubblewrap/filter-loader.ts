/**
 * A program of 61 bytes that loads a seccomp filter and becomes the program its arguments name. Bubblewrap filters
 * everything in a sandbox alike, but the bridge needs unix sockets and the agent must not have them; no tool that every
 * system has can add a filter to one process. It exits with 125 if the kernel refuses the filter.
 */
const CODE = [
  [0x48, 0x8b, 0x1c, 0x24], // mov (%rsp), %rbx            the number of arguments
  [0xb8, 0x3d, 0x01, 0x00, 0x00], // mov $317, %eax        seccomp(
  [0xbf, 0x01, 0x00, 0x00, 0x00], // mov $1, %edi            SECCOMP_SET_MODE_FILTER,
  [0x31, 0xf6], // xor %esi, %esi                            0,
  [0xba, 0x00, 0x00, 0x00, 0x00], // mov $0, %edx            &filter): the address is written below
  [0x0f, 0x05], // syscall
  [0x85, 0xc0], // test %eax, %eax
  [0x75, 0x14], // jne fail
  [0x48, 0x8d, 0x74, 0x24, 0x10], // lea 16(%rsp), %rsi    execve(
  [0x48, 0x8b, 0x3e], // mov (%rsi), %rdi                    argv[1], &argv[1],
  [0x48, 0x8d, 0x54, 0xdc, 0x10], // lea 16(%rsp,%rbx,8), %rdx   environment)
  [0xb8, 0x3b, 0x00, 0x00, 0x00], // mov $59, %eax
  [0x0f, 0x05], // syscall
  [0xbf, 0x7d, 0x00, 0x00, 0x00], // fail: mov $125, %edi  exit_group(125)
  [0xb8, 0xe7, 0x00, 0x00, 0x00], // mov $231, %eax
  [0x0f, 0x05], // syscall
].flat();
/** The offset of the filter's address in CODE. */
const ADDRESS_AT = 17;

const BASE = 0x400000;
const HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;
const CODE_AT = HEADER_BYTES + SEGMENT_BYTES;
/** `struct sock_fprog`, aligned to eight bytes: the number of instructions and the address of the first. */
const FILTER_AT = 184;
const INSTRUCTIONS_AT = FILTER_AT + 16;
const INSTRUCTION_BYTES = 8;

/** An ELF file of one segment; null on an architecture that it has no code for. */
export function filterLoader(filter: Buffer, architecture: string = process.arch): Buffer | null {
  if (architecture !== 'x64') return null;
  const file = Buffer.alloc(INSTRUCTIONS_AT + filter.length);
  writeHeader(file);
  writeSegment(file);
  Buffer.from(CODE).copy(file, CODE_AT);
  file.writeUInt32LE(BASE + FILTER_AT, CODE_AT + ADDRESS_AT);
  file.writeUInt16LE(filter.length / INSTRUCTION_BYTES, FILTER_AT);
  file.writeBigUInt64LE(BigInt(BASE + INSTRUCTIONS_AT), FILTER_AT + 8);
  filter.copy(file, INSTRUCTIONS_AT);
  return file;
}

function writeHeader(file: Buffer): void {
  // 64 bits, little-endian, version 1.
  file.write('\x7fELF\x02\x01\x01', 0, 'latin1');
  const EXECUTABLE = 2;
  const X86_64 = 62;
  file.writeUInt16LE(EXECUTABLE, 16);
  file.writeUInt16LE(X86_64, 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(BASE + CODE_AT), 24);
  file.writeBigUInt64LE(BigInt(HEADER_BYTES), 32);
  file.writeUInt16LE(HEADER_BYTES, 52);
  file.writeUInt16LE(SEGMENT_BYTES, 54);
  file.writeUInt16LE(1, 56);
}

/** The whole file, readable and executable. */
function writeSegment(file: Buffer): void {
  const LOADED = 1;
  const READ_AND_EXECUTE = 5;
  const PAGE_BYTES = 4_096;
  const at = HEADER_BYTES;
  file.writeUInt32LE(LOADED, at);
  file.writeUInt32LE(READ_AND_EXECUTE, at + 4);
  for (const offset of [16, 24]) file.writeBigUInt64LE(BigInt(BASE), at + offset);
  for (const offset of [32, 40]) file.writeBigUInt64LE(BigInt(file.length), at + offset);
  file.writeBigUInt64LE(BigInt(PAGE_BYTES), at + 48);
}
