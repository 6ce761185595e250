import type { AttemptPhase } from '../../../network/phase-clock.js';
import { type Diagnosis, type FailedAttempt, triedOf } from './diagnosis.js';

const BY_PHASE: Record<AttemptPhase, (host: string, addresses?: string) => Diagnosis> = {
  dns: (host) => ({
    summary: `Looking up the name ${host} took until the deadline.`,
    advice:
      'Check that the name servers of your domain answer quickly. While the schedule lasts, the request is sent again.',
  }),
  connect: (host, addresses) => ({
    summary: `No connection to ${host} was opened before the deadline.${triedOf(addresses)}`,
    advice:
      'Check the address and the port of the URL, that your server runs, and that no firewall drops connections to it.',
  }),
  tls: (host) => ({
    summary: `The TLS handshake with ${host} was not done before the deadline.`,
    advice:
      'Check that the port speaks TLS and not plain HTTP, and that the server or load balancer is not overloaded.',
  }),
  answer: () => ({
    summary: 'The receiver took the request but did not answer before the deadline.',
    advice:
      'Answer 2xx at once, and do the work afterwards, such as from a queue. The body of the answer is not needed.',
  }),
};

/** The phase of a timeout that the network reported, or of an attempt of an earlier version. */
function phaseOf(
  { addresses }: FailedAttempt['detail'],
  { connect }: FailedAttempt['phases'],
): AttemptPhase | null {
  if (addresses !== undefined) return 'connect';
  return connect === undefined ? null : 'answer';
}

export function ofTimeout({ detail, phases, message }: FailedAttempt): Diagnosis {
  const phase = detail.phase ?? phaseOf(detail, phases);
  const diagnose = phase !== null && Object.hasOwn(BY_PHASE, phase) ? BY_PHASE[phase] : null;
  if (diagnose) return diagnose(detail.host ?? 'the host of the URL', detail.addresses);
  return {
    summary: message,
    advice: 'Answer 2xx at once, and check that your server can be reached under the URL from the internet.',
  };
}
