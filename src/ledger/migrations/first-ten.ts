import { firstMigration } from './0001-first.ts';
import { openTreeMigration } from './0002-open-tree.ts';
import { endedTasksMigration } from './0003-ended-tasks.ts';
import { cheapLivesMigration } from './0004-cheap-lives.ts';
import { ordersMigration } from './0005-orders.ts';
import { eventColumnsMigration } from './0006-event-columns.ts';
import { decidedOrdersMigration } from './0007-decided-orders.ts';
import { workOfTasksMigration } from './0008-work-of-tasks.ts';
import { questionsMigration } from './0009-questions.ts';
import { traceMigration } from './0010-trace.ts';

/** The migrations of schemas 1 to 10, in order. */
export const FIRST_TEN: readonly string[] = [
  firstMigration,
  openTreeMigration,
  endedTasksMigration,
  cheapLivesMigration,
  ordersMigration,
  eventColumnsMigration,
  decidedOrdersMigration,
  workOfTasksMigration,
  questionsMigration,
  traceMigration,
];
