/** The state of the disk at a path of an order. */
export type Place =
  | { readonly kind: 'there'; readonly realPath: string; readonly what: 'file' | 'folder' | 'other' }
  /** The real path that it would have, with the links of existing parents resolved. */
  | { readonly kind: 'missing'; readonly realPath: string }
  /** A path of another system, such as C:/… here. */
  | { readonly kind: 'other-system' }
  | { readonly kind: 'unreadable'; readonly reason: string };
