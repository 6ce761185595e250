import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Problem } from '../common/problem.js';

/** Header of every delivery: how many services like this one it has come through, this one included. */
export const HOPS_HEADER = 'webhook-hops';

/** A call that has come through more belongs to a loop: a receiver that reports to the service that notifies it. */
const MAX_HOPS = 5;

interface IncomingRequest {
  headers: Record<string, string | string[] | undefined>;
}

/** How many such services a call has come through; what cannot be read is as near to the end as can be. */
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

/** The {@link hopsOf} the request, as a handler's parameter. */
export const Hops = createParamDecorator((_: unknown, context: ExecutionContext): number =>
  hopsOf(context.switchToHttp().getRequest()),
);
