/** What holds where nobody said anything. Every value has its unit in its name, or is none. */
export const DEFAULTS = {
  http: {
    /** An address; others than loopback need TLS. */
    host: '127.0.0.1',
    /** A TCP port; 0 takes any that is free. */
    port: 0,
  },
} as const;
