/** Why the operating system does not let a file be read, in words; its own code where there are none. */
export function whyUnreadable(systemCode: string): string {
  return REASONS[systemCode] ?? systemCode;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
  ENAMETOOLONG: 'its path is too long to be one',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not valid UTF-8',
};
