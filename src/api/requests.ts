import type { RequestOf } from './node-client.ts';

// Names for the requests that several files speak of. Their fields stand in the schemas, once.

export type NewTaskRequest = RequestOf<'createTask'>;
export type TaskEditRequest = RequestOf<'editTask'>;
export type TaskListRequest = RequestOf<'listTasks'>;
export type EventsRequest = RequestOf<'listEvents'>;
export type FollowRequest = RequestOf<'follow'>;
