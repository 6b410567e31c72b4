import type { RequestOf } from './node-client.ts';

// Names for the requests that several files speak of. Their fields stand in the schemas, once.

export type NewTaskRequest = RequestOf<'createTask'>;
export type TaskChange = RequestOf<'editTask'>;
export type MoveRequest = RequestOf<'moveTask'>;
export type CancelRequest = RequestOf<'cancelTask'>;
export type DependRequest = RequestOf<'dependTask'>;
export type TaskListRequest = RequestOf<'listTasks'>;
export type RunListRequest = RequestOf<'listRuns'>;
export type RunRequest = RequestOf<'claimTask'>;
export type MessageRequest = RequestOf<'send'>;
export type EventsRequest = RequestOf<'listEvents'>;
export type FollowRequest = RequestOf<'follow'>;
export type SettledRequest = RequestOf<'treeSettled'>;
export type BackupRequest = RequestOf<'backup'>;
export type LogRequest = RequestOf<'readLog'>;
export type ApplyRequest = RequestOf<'applyWork'>;
export type UndoRequest = RequestOf<'undoWork'>;
