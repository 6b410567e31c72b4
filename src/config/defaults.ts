/** The value of every setting that nobody set. A value with a unit has it in its name. */
export const DEFAULTS = {
  http: {
    /** An address; anything but loopback needs TLS. */
    host: '127.0.0.1',
    /** A TCP port; 0 binds any free one. */
    port: 0,
  },
} as const;
