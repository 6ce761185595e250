import { SelectField, TextArea, TextField } from '../../parts/form/fields.js';
import type { FormState } from '../../parts/form/form.js';
import type { Edited } from './edited.js';

const TYPES = [
  ['none', 'None'],
  ['basic', 'User name and password'],
  ['bearer', 'Bearer token'],
  ['oauth2', 'OAuth 2.0 client credentials'],
] as const;

/** How the service proves who it is. Secrets are masked; one that is not touched stays. */
export function AuthenticationFields({ form }: { form: FormState<Edited> }) {
  const { authType } = form.values;
  const text = (name: keyof Edited & string, label: string, pointer: string, isSecret = false) => (
    <TextField
      field={form.field(name) as never}
      label={label}
      pointer={`/authentication/${pointer}`}
      type={isSecret ? 'password' : 'text'}
      autocomplete="off"
      spellcheck={false}
      mono
    />
  );
  return (
    <>
      <SelectField
        field={form.field('authType')}
        label="Authentication at the receiver"
        pointer="/authentication/type"
        choices={TYPES}
        hint="Besides the signature. Stored encrypted, and never shown again."
      />
      <div class="split">
        {authType === 'basic' && text('username', 'User name', 'username')}
        {authType === 'basic' && text('password', 'Password', 'password', true)}
        {authType === 'bearer' && text('token', 'Token', 'token', true)}
        {authType === 'oauth2' && (
          <>
            {text('tokenUrl', 'Address for tokens', 'token_url')}
            {text('clientId', 'Client id', 'client_id')}
            {text('clientSecret', 'Client secret', 'client_secret', true)}
            {text('scope', 'Scope', 'scope')}
            {text('audience', 'Audience', 'audience')}
          </>
        )}
      </div>
    </>
  );
}

const PEM = '-----BEGIN CERTIFICATE-----';

/** What is shown and trusted in the TLS handshake. */
export function TlsFields({ form }: { form: FormState<Edited> }) {
  return (
    <details class="more">
      <summary>Client certificate and own authorities</summary>
      <div class="form">
        <TextArea
          field={form.field('certificate')}
          label="Client certificate (PEM)"
          pointer="/tls/client_certificate"
          placeholder={PEM}
          rows={4}
          spellcheck={false}
          mono
        />
        <TextArea
          field={form.field('key')}
          label="Its private key (PEM)"
          pointer="/tls/client_key"
          hint="Stored encrypted, and never shown again."
          rows={4}
          spellcheck={false}
          mono
        />
        <TextArea
          field={form.field('ca')}
          label="Authorities to trust instead of the public ones (PEM)"
          pointer="/tls/ca"
          placeholder={PEM}
          rows={4}
          spellcheck={false}
          mono
        />
      </div>
    </details>
  );
}
