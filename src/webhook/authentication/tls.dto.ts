import { z } from 'zod';
import {
  certificatesOf,
  faultOfCertificates,
  faultOfKey,
  faultOfPair,
  keyOf,
} from '../../engine/webhook/certificates.js';
import { MASK, NOTHING_STORED } from '../../engine/webhook/headers.js';
import type { WebhookTls } from '../../engine/webhook/webhook-tls.js';
import { answerOf } from '../../rest/answer.js';
import { camelCase, camelKeys } from '../../rest/camel.js';
import { ApiSchema } from '../../rest/docs.js';
import { inputLike } from '../../rest/input.js';

/** All three, encrypted and in base64, fit into 64 KiB. */
const MAX_CERTIFICATES = 16 * 1024;
const MAX_KEY = 8 * 1024;

const pem = (max: number) =>
  z
    .string({ error: 'must be a string in PEM, or null' })
    .max(max, { error: `must be at most ${max} characters`, abort: true })
    .nullish()
    .transform((given) => given ?? null);

const tlsBody = z.strictObject(
  { client_certificate: pem(MAX_CERTIFICATES), client_key: pem(MAX_KEY), ca: pem(MAX_CERTIFICATES) },
  {
    error: ({ code }) =>
      code === 'invalid_type' ? 'must be { client_certificate, client_key, ca } in PEM, or null' : undefined,
  },
);

/** The names in the body of the REST API, which errors name. */
type Name = keyof z.infer<typeof tlsBody>;
type Fault = [field: Name | null, message: string];

/** What is wrong with the values, all of it. A mask stands for a stored key, which is not known here. */
function faultsOf({ clientCertificate, clientKey, ca }: WebhookTls, now: number): Fault[] {
  const isGiven = clientKey !== null && clientKey !== MASK;
  if (clientCertificate === null && clientKey === null && ca === null)
    return [[null, 'must hold client_certificate and client_key, or ca; null is for none']];
  const all: [field: Name, message: string | null][] = [
    ['client_certificate', clientCertificate === null ? null : faultOfCertificates(clientCertificate, now)],
    ['client_key', isGiven ? faultOfKey(clientKey) : null],
    ['ca', ca === null ? null : faultOfCertificates(ca, now)],
  ];
  if (clientCertificate === null && clientKey !== null)
    all.push(['client_certificate', 'is required beside client_key']);
  if (clientKey === null && clientCertificate !== null)
    all.push(['client_key', 'is required beside client_certificate']);
  const isReadable = all.every(([, message]) => message === null);
  if (isReadable && isGiven && clientCertificate !== null)
    all.push(['client_key', faultOfPair(clientCertificate, clientKey)]);
  return all.flatMap(([field, message]): Fault[] => (message === null ? [] : [[field, message]]));
}

const inPem = ({ clientCertificate, clientKey, ca }: WebhookTls): WebhookTls => ({
  clientCertificate: clientCertificate && certificatesOf(clientCertificate),
  clientKey: clientKey && clientKey !== MASK ? keyOf(clientKey) : clientKey,
  ca: ca && certificatesOf(ca),
});

/**
 * `tls` in a body of the REST API, and in what services take. Both are read into the same form.
 *
 * @param now epoch milliseconds: certificates that have ended are refused.
 */
export function tlsFields(now: () => number) {
  const checked =
    (nameOf: (field: Name) => string) =>
    (tls: WebhookTls, context: z.RefinementCtx): void => {
      for (const [field, message] of faultsOf(tls, now()))
        context.addIssue({ code: 'custom', message, path: field === null ? [] : [nameOf(field)] });
    };
  const wire: z.ZodType<WebhookTls | null> = tlsBody
    .superRefine((tls, context) => checked((field) => field)(camelKeys(tls), context))
    .transform((tls) => inPem(camelKeys(tls)))
    .nullable();
  const input: z.ZodType<WebhookTls | null> = inputLike(tlsBody)
    .superRefine(checked(camelCase))
    .transform((tls) => inPem(tls))
    .nullable();
  return { wire, input };
}

/** Refines the TLS of a new webhook, which has no stored key for a mask to keep. */
export function noMaskedKey(tls: WebhookTls | null, context: z.RefinementCtx): void {
  if (tls?.clientKey === MASK)
    context.addIssue({ code: 'custom', message: NOTHING_STORED, path: ['client_key'] });
}

@ApiSchema({ description: 'What the service shows and trusts in the TLS handshake with this receiver; PEM' })
export class WebhookTlsDto extends answerOf<WebhookTls>({
  client_certificate: { type: String, nullable: true, example: '-----BEGIN CERTIFICATE-----\n…' },
  client_key: { type: String, nullable: true, example: MASK },
  ca: {
    type: String,
    nullable: true,
    example: null,
    description: 'The authorities to trust instead of the public ones',
  },
}) {}
