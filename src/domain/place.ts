/** What was found at a path of an order, by whoever looked at the disk. */
export type Place =
  | { readonly kind: 'there'; readonly realPath: string; readonly what: 'file' | 'folder' | 'other' }
  /** Where it would be: the links of what is there are followed. */
  | { readonly kind: 'missing'; readonly realPath: string }
  /** A path of another system, such as C:/… here. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'unreadable'; readonly reason: string };
