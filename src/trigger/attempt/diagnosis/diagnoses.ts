import { redactedUrl } from '../../../platform/redacted-url.js';
import { type DiagnosedCode, type Diagnosis, type FailedAttempt, triedOf } from './diagnosis.js';
import { ofStatus } from './of-status.js';
import { ofTimeout } from './of-timeout.js';
import { ofTls } from './of-tls.js';

const OPERATOR = 'Tell whoever runs this webhook service';

/** For a trigger that was cancelled because its data was erased; no attempt says so. */
export const ERASED: Diagnosis = {
  summary: 'The data of the record was erased before it was delivered.',
  advice: 'Nothing is left to send, so this cannot be retried. Nothing is wrong with your receiver.',
};

/** For a trigger that a newer one of the same record and kind took the place of. */
export const SUPERSEDED: Diagnosis = {
  summary: 'A newer notification of the same record and kind took its place before it was delivered.',
  advice: 'Nothing is wrong: the webhook has the setting coalesce, and gets the newest one only.',
};

/** Instead of the diagnosis of a direct connection, where the message is about the proxy. */
const unlessProxy =
  (diagnose: (failed: FailedAttempt) => Diagnosis) =>
  (failed: FailedAttempt): Diagnosis =>
    /\bproxy\b/.test(failed.message)
      ? {
          summary: failed.message,
          advice: `${OPERATOR}: it sends through a proxy, and its settings or rules have to change. Nothing is wrong with your receiver.`,
        }
      : diagnose(failed);

const nameOf = ({ detail }: FailedAttempt) => detail.host ?? 'the host of the URL';

/** Every code of an error has an entry. `docs/diagnosis.md` lists what they say, and a test compares the two. */
export const DIAGNOSES: Record<DiagnosedCode, (failed: FailedAttempt) => Diagnosis> = {
  timeout: ofTimeout,
  tls: ofTls,
  http_status: ofStatus,
  redirect: ofRedirect,
  dns: unlessProxy((failed) =>
    failed.detail.reason === undefined
      ? {
          summary: `The name servers did not say where ${nameOf(failed)} is.`,
          advice:
            'Check that the name servers of your domain answer. While the schedule lasts, the request is sent again.',
        }
      : {
          summary: `The name ${nameOf(failed)} does not resolve to any address.`,
          advice:
            'Check the spelling of the host in the URL, and that it has an A or AAAA record in the public DNS.',
        },
  ),
  connection_refused: unlessProxy((failed) => ({
    summary: `Nothing accepted the connection to ${nameOf(failed)}.${triedOf(failed.detail.addresses)}`,
    advice:
      'Check that your service runs, listens on the port of the URL on its public address (not only on localhost), and that no firewall refuses the connection.',
  })),
  connection_reset: (failed) => ({
    summary: `The connection to ${nameOf(failed)} was closed before an answer came.${triedOf(failed.detail.addresses)}`,
    advice:
      'Your service, or a proxy or load balancer before it, closed it. Look at its log for a crash or a limit at that time, and whether the port speaks the scheme of the URL (http or https).',
  }),
  blocked_address: unlessProxy(({ message }) => ({
    summary: message,
    advice:
      'Webhooks may only point to public addresses. Give your receiver one, or use a tunnel for development. Whoever runs this webhook service can allow a private network with ALLOWED_NETWORKS.',
  })),
  invalid_response: ({ message }) => ({
    summary: message,
    advice:
      'Check what listens at the URL: it has to answer with valid HTTP/1.1. A wrong Content-Length, broken chunks, or a port that speaks another protocol look like this.',
  }),
  response_too_large: () => ({
    summary: 'The headers of the answer are too large.',
    advice:
      'Answer a webhook with few headers: a status of 2xx is all that is read. Look for cookies that pile up.',
  }),
  auth: ({ message }) => ({
    summary: message,
    advice:
      'Without an access token the request was not accepted or not sent. Check token_url, client_id, client_secret and scope in the authentication of the webhook, and the log of the token endpoint at that time. While the schedule lasts, it is asked again.',
  }),
  internal: ({ message }) => ({
    summary: message || 'The attempt failed inside this service.',
    advice: `Nothing is wrong with your receiver. ${OPERATOR}; its log says more.`,
  }),
  erased: () => ERASED,
  superseded: () => SUPERSEDED,
};

/** Works for any row, also for those that hold less than is stored today. */
export function diagnosisOf(failed: FailedAttempt): Diagnosis {
  const diagnose = Object.hasOwn(DIAGNOSES, failed.code)
    ? DIAGNOSES[failed.code as DiagnosedCode]
    : DIAGNOSES.internal;
  return diagnose(failed);
}

function ofRedirect({ status, location, detail }: FailedAttempt): Diagnosis {
  const to = location && addressOf(location, detail.from);
  return {
    summary: `The receiver answered ${status ?? 'with a redirect'}${to ? ` and pointed to ${to}` : ''}; redirects are not followed.`,
    advice: to
      ? `Change the URL of the webhook to ${to}.`
      : 'Change the URL of the webhook to the address that it ends at: often https instead of http, another host, or a slash at the end.',
  };
}

/** Where a `Location` leads to (RFC 9110, section 10.2.2); null if that is no address of the web. */
function addressOf(location: string, from: string | undefined): string | null {
  const to = URL.parse(location, from);
  return to && /^https?:$/.test(to.protocol) ? redactedUrl(to.href) : null;
}
