import type { WebhookDto } from 'webhook-notification-service-client';
import { useAddress } from '../../../parts/address.js';
import { Tabs } from '../../../parts/tabs.js';
import { ProblemBox } from '../../../parts/text/boxes.js';
import { CodeBlock } from '../../../parts/text/code-block.js';
import { Bones } from '../../../parts/text/empty.js';
import { SecretBox } from './secret-box.js';
import { OTHER_SCHEMES, secretName, VERIFIERS } from './verifiers.js';
import { useVerifyCode } from './verify-code.js';

/** The signing secret, and the code that a receiver checks requests with. */
export function VerifyTab({ webhook, refresh }: { webhook: WebhookDto; refresh: () => void }) {
  const { values, set } = useAddress('language');
  const { scheme } = webhook.signature;
  const variable = secretName(webhook);
  return (
    <div class="stack">
      <SecretBox webhook={webhook} variable={variable} refresh={refresh} />
      <section class="stack tight" aria-labelledby="verify">
        <h2 id="verify">Verify each request</h2>
        <p class="muted">
          Anybody can send a request to your address. Read the body as bytes, before anything parses it;
          verify it; answer 401 to what does not verify, and 2xx within{' '}
          {webhook.effective_settings.timeout_ms / 1000} s to the rest. The same <code>webhook-id</code> may
          come twice.
        </p>
        {scheme === 'standard' ? (
          <Tabs
            label="Languages"
            shown={values.language || 'typescript'}
            onShow={(language) => set({ language: language === 'typescript' ? '' : language })}
            tabs={VERIFIERS.map(({ key, label, use }) => ({
              key,
              label,
              content: () => (
                <div class="stack tight">
                  <CodeBlock text={use(webhook, variable)} label={`Use in ${label}`} />
                  <Verifier language={key} label={label} />
                </div>
              ),
            }))}
          />
        ) : (
          <CodeBlock text={OTHER_SCHEMES[scheme](variable)} label="How to verify" />
        )}
      </section>
    </div>
  );
}

function Verifier({ language, label }: { language: string; label: string }) {
  const code = useVerifyCode();
  const text = code.data?.[language];
  if (text !== undefined) return <CodeBlock text={text} label={`Function in ${label}`} />;
  return code.problem ? <ProblemBox problem={code.problem} onRetry={code.refresh} /> : <Bones />;
}
