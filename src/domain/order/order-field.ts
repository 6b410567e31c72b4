/**
 * The field of an order that a refusal is about. The kernel does not know where the field lies in the message that the order was
 * read from: the edge that read it does (`OrderEdge.locate`).
 */
export type OrderField =
  | {
      readonly kind:
        | 'session-id'
        | 'pattern'
        | 'task-id'
        | 'parent'
        | 'agent'
        | 'model'
        | 'workspace'
        | 'access'
        | 'network';
    }
  | { readonly kind: 'read-path' | 'write-path' | 'input' | 'dependency'; readonly index: number }
  | { readonly kind: 'output'; readonly index: number; readonly part: 'path' | 'snapshot' | 'command' }
  /** The command that validates a checkpoint. */
  | ({ readonly kind: 'checkpoint' } & CheckpointPlace)
  | ({ readonly kind: 'artifact'; readonly index: number; readonly part: 'path' | 'command' } & CheckpointPlace);

interface CheckpointPlace {
  /** The `position` of its phase. */
  readonly phase: number;
  readonly checkpoint: number;
}
