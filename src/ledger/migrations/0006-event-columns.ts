/**
 * Every event names its run and its session in columns of their own, and a turn that is recorded has its event. A task
 * carries the session of its newest order, so that an event finds it without a second table. A run has one task, so the
 * index by task finds its events too; an index of their own would cost a twentieth of a task's life.
 *
 * Events from before get their run from their payload, and the moves in and out of in-progress from the run that made
 * them; a session is known of tasks with orders alone. Turns from before have no event. An event of an agent that was
 * recorded twice keeps both rows, and the first of them the id. Nothing ever read the outbox.
 */
export const eventColumnsMigration = `
ALTER TABLE tasks ADD COLUMN session_id TEXT;
UPDATE tasks SET session_id = (SELECT orders.session_id FROM orders WHERE orders.task_id = tasks.id ORDER BY round DESC LIMIT 1)
  WHERE id IN (SELECT task_id FROM orders);

ALTER TABLE events ADD COLUMN run_id TEXT;
ALTER TABLE events ADD COLUMN session_id TEXT;
UPDATE events SET run_id = payload ->> '$.run'
  WHERE task_id IS NOT NULL AND json_valid(payload) AND json_type(payload, '$.run') = 'text';
UPDATE events SET run_id = (SELECT runs.id FROM runs WHERE runs.task_id = events.task_id
    AND (runs.started_at = events.at OR runs.ended_at = events.at) ORDER BY fence DESC LIMIT 1)
  WHERE type = 'task.transitioned' AND run_id IS NULL AND json_valid(payload)
    AND (payload ->> '$.to' = 'in-progress' OR payload ->> '$.from' = 'in-progress');
UPDATE events SET session_id = (SELECT tasks.session_id FROM tasks WHERE tasks.id = events.task_id)
  WHERE task_id IN (SELECT task_id FROM orders);
CREATE INDEX events_by_session ON events (session_id) WHERE session_id IS NOT NULL;

ALTER TABLE agent_logs ADD COLUMN seq INTEGER;
UPDATE agent_logs SET event_id = NULL WHERE event_id IS NOT NULL AND EXISTS (SELECT 1 FROM agent_logs AS earlier
  WHERE earlier.task_id = agent_logs.task_id AND earlier.run_id IS agent_logs.run_id
    AND earlier.event_id = agent_logs.event_id AND earlier.log_id < agent_logs.log_id);
CREATE UNIQUE INDEX agent_logs_by_event ON agent_logs (task_id, ifnull(run_id, ''), event_id) WHERE event_id IS NOT NULL;

DROP TABLE outbox;
`;
