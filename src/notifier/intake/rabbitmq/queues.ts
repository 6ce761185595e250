import type { Channel } from 'amqplib';

/** Exactly these, so that those who publish can declare the same queue without knowing more. */
const QUORUM = { durable: true, arguments: { 'x-queue-type': 'quorum' } };

/** The names of the two queues, and whether to declare them. */
export interface QueueNames {
  queue: string;
  refusedQueue: string;
  declare: boolean;
}

/** @throws Error of the broker, which has then closed the channel */
export async function declareQueues(
  channel: Channel,
  { queue, refusedQueue, declare }: QueueNames,
): Promise<void> {
  if (!declare) return;
  await channel.assertQueue(queue, QUORUM);
  await channel.assertQueue(refusedQueue, QUORUM);
}

const PASSWORD =
  'see whether the user and the password in INTAKE_URL are right, and whether the virtual host exists';
const ADVICE: [RegExp, string][] = [
  [
    /inequivalent arg/,
    'the queue exists with other arguments than those of a durable quorum queue. Delete it there once it is empty, name ' +
      'another one (INTAKE_QUEUE, INTAKE_REFUSED_QUEUE), or use it as it is (INTAKE_DECLARE=false)',
  ],
  [
    /delivery acknowledgement .* timed out/,
    'the broker does not wait longer for acknowledgements (its consumer_timeout); the messages come again',
  ],
  [/ACCESS[_-]REFUSED.*(login|authentication)/i, PASSWORD],
  [
    /ACCESS[_-]REFUSED/,
    'the user needs the rights to configure both queues (unless INTAKE_DECLARE=false), to read INTAKE_QUEUE, and to write to ' +
      'INTAKE_REFUSED_QUEUE by way of the default exchange',
  ],
  [/NOT[_-]ALLOWED|ConnectionOpenOk; got <ConnectionClose/, PASSWORD],
  [
    /NOT[_-]FOUND/,
    'a queue is missing, or cannot be used now. Declare it, or let the service do so (INTAKE_DECLARE=true)',
  ],
  [
    /self[- ]signed certificate|unable to (verify|get local issuer)/i,
    'set NODE_EXTRA_CA_CERTS to the file of the authority that signed the certificate of the broker',
  ],
  [/wrong version number/i, 'no TLS is spoken at that port; its scheme would be amqp'],
  [/RESOURCE[_-]LOCKED/, 'the queue belongs to another connection alone (it is exclusive)'],
];

/** What a broker says, and what to do about it. */
export function explained(error: unknown): string {
  const message = (error as Error).message || String(error);
  const [, advice] = ADVICE.find(([pattern]) => pattern.test(message)) ?? [];
  return advice ? `${message} (${advice})` : message;
}
