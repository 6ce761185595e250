import type { WebhookDto } from 'webhook-notification-service-client';

type Language = 'typescript' | 'python' | 'go' | 'php' | 'ruby' | 'shell';

interface Verifier {
  key: Language;
  label: string;
  /** Where a request comes in, with the names of this webhook. */
  use: (webhook: WebhookDto, variable: string) => string;
}

/** The environment variable that holds the secret: `CRM sync` has `CRM_SYNC_SECRET`. */
export function secretName({ name }: Pick<WebhookDto, 'name'>): string {
  const text = name
    .normalize('NFD')
    .toUpperCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^[\d_]+|_+$/g, '');
  return `${text || 'WEBHOOK'}_SECRET`;
}

/** The path of its address, as it can stand between quotes. */
const pathOf = ({ url }: WebhookDto): string =>
  new URL(url).pathname.replaceAll(/['"\\]/g, encodeURIComponent);

const USES: Record<Language, readonly [label: string, use: Verifier['use']]> = {
  typescript: [
    'TypeScript',
    (webhook, variable) => `// Express, before any express.json()
app.post('${pathOf(webhook)}', express.raw({ type: 'application/json', limit: '2mb' }), (request, response) => {
  if (!verify(process.env.${variable}!, request.headers, request.body)) return response.sendStatus(401);
  response.sendStatus(204);
});`,
  ],
  python: [
    'Python',
    (webhook, variable) => `# Flask
@app.post("${pathOf(webhook)}")
def ${variable.replace(/_SECRET$/, '').toLowerCase()}():
    if not verify(os.environ["${variable}"], request.headers, request.get_data()):
        abort(401)
    return "", 204`,
  ],
  go: [
    'Go',
    (
      webhook,
      variable,
    ) => `http.HandleFunc("POST ${pathOf(webhook)}", func(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 2<<20))
	if err != nil || webhook.Verify(os.Getenv("${variable}"), r.Header, body) != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.WriteHeader(http.StatusNoContent)
})`,
  ],
  php: [
    'PHP',
    (webhook, variable) => `// ${pathOf(webhook)}
$isGenuine = verify_webhook(getenv('${variable}'), $_SERVER, file_get_contents('php://input'));
http_response_code($isGenuine ? 204 : 401);`,
  ],
  ruby: [
    'Ruby',
    (webhook, variable) => `# Rails: post '${pathOf(webhook)}'
return head :unauthorized unless verify_webhook(ENV.fetch('${variable}'), request.headers, request.raw_post)
head :no_content`,
  ],
  shell: [
    'Shell',
    (_, variable) => `# To check one request by hand. Not for a receiver: others on the machine see the key.
verify_webhook "$${variable}" "$id" "$timestamp" "$signature" < body.json && echo verified`,
  ],
};

export const VERIFIERS: readonly Verifier[] = (Object.keys(USES) as Language[]).map((key) => {
  const [label, use] = USES[key];
  return { key, label, use };
});

type OtherScheme = Exclude<WebhookDto['signature']['scheme'], 'standard'>;

/** Of the other schemes, with the libraries of who made them. */
export const OTHER_SCHEMES: Record<OtherScheme, (variable: string) => string> = {
  stripe: (variable) => `// npm install stripe. The key is the whole secret, as a text.
Stripe.webhooks.constructEvent(body, request.headers['stripe-signature'], process.env.${variable});`,
  github: (variable) => `// npm install @octokit/webhooks-methods. The key is the whole secret, as a text.
await verify(process.env.${variable}, body, request.headers['x-hub-signature-256']);
// It has no timestamp: detect repeats by X-GitHub-Delivery.`,
  'standard-asymmetric': (variable) => `import { createPublicKey, verify } from 'node:crypto';

// What stands before the bytes of an Ed25519 key (RFC 8410).
const head = Buffer.from('302a300506032b6570032100', 'hex');
const bytes = Buffer.from(process.env.${variable}.slice('whpk_'.length), 'base64');
const key = createPublicKey({ key: Buffer.concat([head, bytes]), format: 'der', type: 'spki' });

/** Refuse as well what is older than five minutes. */
export function isGenuine(headers, body) {
  const signed = Buffer.concat([Buffer.from(\`\${headers['webhook-id']}.\${headers['webhook-timestamp']}.\`), body]);
  return headers['webhook-signature']
    .split(' ')
    .some((one) => one.startsWith('v1a,') && verify(null, signed, key, Buffer.from(one.slice(4), 'base64')));
}`,
};
