/** A report names who stopped its order, so that lists tell a stop from an order that Baton aborted. */
export const stoppedByMigration = `
ALTER TABLE reports ADD COLUMN stopped_by TEXT;
UPDATE reports SET stopped_by = (
    SELECT ifnull(fact ->> '$.by', fact ->> '$.end.by') FROM run_facts
    WHERE run_facts.task_id = reports.task_id AND run_facts.round = reports.round
      AND (fact ->> '$.kind' = 'stop-requested' OR fact ->> '$.end.kind' = 'stopped')
    ORDER BY number LIMIT 1)
  WHERE verdict = 'aborted' AND is_skipped = 0;
`;
