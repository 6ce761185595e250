import type { WebhookAttemptDto, WebhookTriggerDto } from 'webhook-notification-service-client';
import { NextAttempt } from '../../domain/next-attempt.js';
import { Badge } from '../../parts/badge.js';
import { milliseconds, span } from '../../parts/text/format.js';
import { Time } from '../../parts/text/time.js';
import { phasesOf } from './phases.js';

const WIDTH = 1000;
const HEIGHT = 8;
/** What is there can be seen. */
const THINNEST = 4;

const CAUSES: Record<WebhookAttemptDto['cause'], string> = {
  schedule: 'by schedule',
  retry: 'sent again',
  recover: 'recovered',
  probe: 'as a probe',
  test: 'as a test',
};

/** Every attempt, one below the other, the phases of all to the same scale. One is picked to be looked at. */
export function Timeline({
  attempts,
  trigger,
  picked,
  onPick,
}: {
  attempts: readonly WebhookAttemptDto[];
  trigger: WebhookTriggerDto;
  picked: number | undefined;
  onPick: (number: number) => void;
}) {
  const longest = Math.max(1, ...attempts.map(({ duration_ms }) => duration_ms));
  const isOpen = trigger.status === 'PENDING' || trigger.status === 'DELIVERING';
  return (
    <ol class="attempts" aria-label="Attempts">
      {attempts.map((attempt, index) => (
        <li key={attempt.number}>
          <Gap before={attempts[index - 1]} attempt={attempt} />
          <button
            type="button"
            class="attempt"
            aria-current={attempt.number === picked ? 'true' : undefined}
            onClick={() => onPick(attempt.number)}
          >
            <span>
              Attempt {attempt.number} <span class="muted">{CAUSES[attempt.cause]}</span>
            </span>
            <Outcome attempt={attempt} />
            <Bar attempt={attempt} longest={longest} />
            <span class="number">{milliseconds(attempt.duration_ms)}</span>
            <span class="muted when">
              <Time at={attempt.begin} exact />
            </span>
          </button>
        </li>
      ))}
      {isOpen && (
        <li class="attempt next">
          <span>
            {attempts.length === 0 ? 'First attempt' : 'Next attempt'} <NextAttempt {...trigger} />
          </span>
        </li>
      )}
    </ol>
  );
}

/** What came of an attempt, in a word. */
export const outcomeOf = ({ response_data, error }: WebhookAttemptDto): string =>
  response_data && (!error || error.code === 'http_status' || error.code === 'redirect')
    ? String(response_data.status)
    : (error?.code ?? 'no answer');

const Outcome = ({ attempt }: { attempt: WebhookAttemptDto }) => (
  <span>
    <Badge tone={attempt.error ? 'bad' : 'good'}>{outcomeOf(attempt)}</Badge>
  </span>
);

/** How long nothing was tried in between. */
function Gap({ before, attempt }: { before: WebhookAttemptDto | undefined; attempt: WebhookAttemptDto }) {
  if (!before?.end || !attempt.begin) return null;
  const seconds = (Date.parse(attempt.begin) - Date.parse(before.end)) / 1000;
  return seconds < 1 ? null : <span class="gap">{span(seconds)} later</span>;
}

function Bar({ attempt, longest }: { attempt: WebhookAttemptDto; longest: number }) {
  const scale = WIDTH / longest;
  return (
    <svg class="phases" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {phasesOf(attempt)
        .filter(({ ms }) => ms > 0)
        .map(({ key, from, ms }) => (
          <rect
            key={key}
            class={`phase-${key}`}
            x={Math.min(WIDTH - THINNEST, from * scale)}
            width={Math.max(THINNEST, ms * scale)}
            height={HEIGHT}
          />
        ))}
    </svg>
  );
}

/** The same in numbers, which explains the colours too. */
export const PhaseList = ({ attempt }: { attempt: WebhookAttemptDto }) => (
  <ul class="legend-list" aria-label={`Phases of attempt ${attempt.number}`}>
    {phasesOf(attempt).map(({ key, name, ms }) => (
      <li key={key}>
        <span class={`swatch phase-${key}`} />
        {name} <b>{milliseconds(ms)}</b>
      </li>
    ))}
  </ul>
);
