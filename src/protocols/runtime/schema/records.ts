import { type CapabilityCatalog, capabilityCatalogSchema } from './capability-catalog.ts';
import { type CapabilityIndex, capabilityIndexSchema } from './capability-index.ts';
import { type Cursor, cursorSchema } from './cursor.ts';
import { type Review, reviewSchema } from './review.ts';

export type RuntimeRecord = CapabilityCatalog | CapabilityIndex | Cursor | Review;

/** What lies in the control plane. */
export const RECORD_SCHEMAS = {
  catalog: capabilityCatalogSchema,
  index: capabilityIndexSchema,
  cursor: cursorSchema,
  review: reviewSchema,
} as const;
