import type { ComponentChildren } from 'preact';
import type { WebhookDiagnosisDto } from 'webhook-notification-service-client';
import type { Problem } from '../../data/problem.js';
import type { Tone } from '../badge.js';
import { Button } from '../button.js';
import { Icon, type IconName } from '../icon.js';

const ICONS = { bad: 'warning', warn: 'warning', wait: 'info' } as const satisfies Partial<
  Record<Tone, IconName>
>;

/** Something to read before the rest. */
export const Box = ({
  tone,
  title,
  children,
  alert = false,
}: {
  tone: keyof typeof ICONS;
  title?: ComponentChildren;
  children?: ComponentChildren;
  /** Read out at once. */
  alert?: boolean;
}) => (
  <div class={`box ${tone}`} role={alert ? 'alert' : undefined}>
    <Icon name={ICONS[tone]} />
    {title && <strong>{title}</strong>}
    {children}
  </div>
);

/** What the service knows about a failure, and what to do. */
export const Diagnosis = ({ diagnosis }: { diagnosis: WebhookDiagnosisDto }) => (
  <Box tone="bad" title={diagnosis.summary}>
    <p>{diagnosis.advice}</p>
  </Box>
);

/** A call that failed: what the service says, its code, and a way to try again. */
export const ProblemBox = ({
  problem,
  onRetry,
}: {
  problem: Problem;
  onRetry?: (() => void) | undefined;
}) => (
  <Box tone="bad" title={problem.detail} alert>
    {problem.errors.length > 0 && (
      <ul>
        {problem.errors.map(({ pointer, message }) => (
          <li key={pointer}>
            <code>{pointer}</code> {message}
          </li>
        ))}
      </ul>
    )}
    <div class="row">
      <code class="code">{problem.code}</code>
      {onRetry && (
        <Button small icon="again" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  </Box>
);
