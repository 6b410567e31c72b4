/** The steps of a round; each happens once or twice in the exchange that is played. */
export const FEEDBACK_STEPS: Readonly<Record<string, number>> = {
  'exchange-opened': 1,
  asked: 2,
  launched: 2,
  'vendor-session': 2,
  ended: 2,
  answered: 2,
  'exchange-asked': 2,
  'exchange-answered': 2,
  'exchange-fixed': 1,
  'exchange-ended': 1,
};

export const FEEDBACK_POINTS = Object.entries(FEEDBACK_STEPS).flatMap(([step, times]) =>
  Array.from({ length: times }, (_, at) => at + 1).flatMap((count) => [
    `feedback.found-${step}:${count}`,
    `feedback.kept-${step}:${count}`,
  ]),
);

export const folderNameOf = (point: string) => point.replaceAll(/[^a-z0-9]+/g, '-');
