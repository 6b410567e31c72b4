/** A report has one verdict in the kernel's words, in place of AOP's word and a flag beside it. */
export const verdictsMigration = `
ALTER TABLE reports RENAME COLUMN signal TO verdict;
UPDATE reports SET verdict = CASE
  WHEN is_unchecked = 1 THEN 'unchecked'
  WHEN verdict = 'SUCCESS' THEN 'checked'
  WHEN verdict = 'PARTIAL_SUCCESS' THEN 'partial'
  WHEN verdict = 'FAILURE' THEN 'failed'
  WHEN verdict = 'ABORTED' THEN 'aborted'
  ELSE verdict END;
ALTER TABLE reports DROP COLUMN is_unchecked;
`;
