import type { StoryStep, StoryTurn } from '../../../../src/api/trace/story-contract.ts';
import { overview } from '../../../node/overview.ts';
import { countText, durationText, moneyText } from '../../../parts/format.ts';
import { isOpened, LongText, toggle } from '../../../parts/long-text.tsx';
import { withParams } from '../../../parts/route.ts';
import { Ago } from '../../../parts/time.tsx';
import { Shape } from '../../../parts/verdict.tsx';
import { argumentsOf, pathsOf } from './tool-input.ts';

const THOUGHT_LINES = 3;
const RESULT_LINES = 10;

/** One exchange: what the agent thought, did, saw and said. */
export function TurnRow({ turn, task }: { readonly turn: StoryTurn; readonly task: string }) {
  const { steps, words, action, observation, isSuperseded } = turn;
  const thought = turn.thought || turn.streamed;
  const told = new Set(steps.flatMap(({ input }) => pathsOf(input)));
  const key = `${task}-${turn.id}`;
  return (
    <div class={`turn-parts ${isSuperseded ? 'superseded' : ''}`}>
      <TurnHead turn={turn} />
      {thought !== '' && (
        <div class="thought">
          <LongText id={`${key}-thought`} text={thought} lines={THOUGHT_LINES} />
        </div>
      )}
      {action !== '' && <LongText id={`${key}-action`} text={action} lines={2} isMono />}
      {observation !== '' && <LongText id={`${key}-seen`} text={observation} lines={RESULT_LINES} end isMono />}
      {steps.map((step) => (
        <StepPart key={step.call} step={step} id={`${key}-${step.call}`} />
      ))}
      <Chips paths={turn.files.filter((path) => ![...told].some((each) => each.endsWith(path)))} />
      {words !== '' && (
        <div class="words">
          <LongText id={`${key}-words`} text={words} lines={12} />
        </div>
      )}
    </div>
  );
}

function TurnHead({ turn }: { readonly turn: StoryTurn }) {
  const { index, at, endedAt, tokens, costUsd, confidence, isSuperseded, reviewer } = turn;
  const tookMs = endedAt === null ? null : Date.parse(endedAt) - Date.parse(at);
  const name = index === null ? (endedAt === null ? 'Now' : 'Turn, cut off') : `Turn ${index + 1}`;
  return (
    <div class="turn-head">
      <strong>{reviewer === null ? name : `${reviewer} ${endedAt === null ? 'reviews' : 'reviewed'} it`}</strong>
      {tookMs === null ? (
        <span class="muted">
          for <Ago at={at} how="age" />
        </span>
      ) : (
        <span class="muted">{durationText(tookMs)}</span>
      )}
      {tokens !== null && <span class="muted">{countText(tokens)} tokens so far</span>}
      {costUsd !== null && costUsd > 0 && <span class="muted">{moneyText(costUsd)}</span>}
      {confidence !== null && confidence !== 0.5 && <span class="muted">confidence {confidence.toFixed(2)}</span>}
      {isSuperseded && <span class="verdict stale">~ rewound</span>}
    </div>
  );
}

/** A tool and its arguments in one line; the whole of both on demand. */
function StepPart({ step, id }: { readonly step: StoryStep; readonly id: string }) {
  const { tool, input, result, endedAt, startedAt } = step;
  const isOpen = isOpened(`${id}-input`);
  const { line, whole } = argumentsOf(input, overview.value.value?.workspace ?? '');
  return (
    <div class="step">
      <div class="step-head">
        <button type="button" class="call" aria-expanded={isOpen} onClick={() => toggle(`${id}-input`)}>
          <strong>{tool}</strong> <span class="mono">{isOpen ? '' : line}</span>
        </button>
        <StepEnd step={step} />
      </div>
      {isOpen && <pre class="whole">{whole}</pre>}
      <Chips paths={pathsOf(input)} />
      {result !== null && result !== '' && (
        <LongText id={`${id}-result`} text={result} lines={RESULT_LINES} end isMono />
      )}
      {endedAt === null && (
        <span class="muted">
          running for <Ago at={startedAt} how="age" />
        </span>
      )}
    </div>
  );
}

function StepEnd({ step: { endedAt, startedAt, isSuccess, exitCode } }: { readonly step: StoryStep }) {
  if (endedAt === null) return null;
  const took = durationText(Date.parse(endedAt) - Date.parse(startedAt));
  return (
    <span class="step-end">
      <Shape kind={isSuccess ? 'checked' : 'failed'} />{' '}
      <span class="muted">
        {exitCode !== null && `exit ${exitCode}, `}
        {took}
      </span>
    </span>
  );
}

/** Files that were changed lead to their place in the diff. */
function Chips({ paths }: { readonly paths: readonly string[] }) {
  if (paths.length === 0) return null;
  return (
    <span class="chips">
      {paths.map((path) => (
        <a key={path} class="file-chip mono" href={withParams({ show: 'diff', file: path })}>
          {path.split('/').slice(-2).join('/')}
        </a>
      ))}
    </span>
  );
}
