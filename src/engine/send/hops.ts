import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Problem } from '../../platform/problem.js';

/** Header of every delivery: the number of webhook services that it has passed through, including this one. */
export const HOPS_HEADER = 'webhook-hops';

/** More hops mean a loop: a receiver that reports to the service that notifies it. */
const MAX_HOPS = 5;

interface IncomingRequest {
  headers: Record<string, string | string[] | undefined>;
}

/** The number of webhook services that a call has passed through. An unreadable header counts as the maximum. */
export function hopsOf({ headers }: IncomingRequest): number {
  const value = headers[HOPS_HEADER];
  if (value === undefined) return 0;
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : MAX_HOPS;
}

/** @throws Problem 400 `too_many_hops` */
export function refuseLoop(request: IncomingRequest): void {
  if (hopsOf(request) <= MAX_HOPS) return;
  throw new Problem(
    400,
    'too_many_hops',
    `This call has come through more than ${MAX_HOPS} webhook services (${HOPS_HEADER}): it seems to go in a circle.`,
  );
}

/** Handler parameter: the {@link hopsOf} the request. */
export const Hops = createParamDecorator((_: unknown, context: ExecutionContext): number =>
  hopsOf(context.switchToHttp().getRequest()),
);
