import type { WebhookDto } from 'webhook-notification-service-client';
import { settingsOf, type TypedSettings, typedSettings } from '../../domain/settings.js';
import { type HeaderRow, headersOf, newHeader } from '../../parts/form/headers-field.js';
import { authenticationOf, type TypedAuthentication, typedAuthentication } from './authentication.js';

/** A webhook as it is being changed. */
export interface Edited extends TypedSettings, TypedAuthentication {
  /** As it was when somebody began, and its ETag: what he has seen. */
  base: WebhookDto;
  etag: string | null;
  name: string;
  url: string;
  description: string;
  headers: readonly HeaderRow[];
  scheme: WebhookDto['signature']['scheme'];
  certificate: string;
  key: string;
  ca: string;
}

export function editedOf(base: WebhookDto, etag: string | null): Edited {
  const headers = Object.entries(base.headers).map(([name, value]) => newHeader(name, value));
  return {
    base,
    etag,
    name: base.name,
    url: base.url,
    description: base.description ?? '',
    headers,
    scheme: base.signature.scheme,
    ...typedSettings(base),
    ...typedAuthentication(base.authentication),
    certificate: base.tls?.client_certificate ?? '',
    key: base.tls?.client_key ?? '',
    ca: base.tls?.ca ?? '',
  };
}

/** All that the form can change, as the API takes it. */
function wholeOf(edited: Edited) {
  const [certificate, key, ca] = [edited.certificate, edited.key, edited.ca].map(
    (text) => text.trim() || null,
  );
  return {
    name: edited.name.trim(),
    url: edited.url.trim(),
    description: edited.description.trim() || null,
    headers: headersOf(edited.headers),
    signature: { scheme: edited.scheme },
    settings: settingsOf(edited),
    authentication: authenticationOf(edited),
    tls: certificate || key || ca ? { client_certificate: certificate, client_key: key, ca } : null,
  };
}

/** What differs from what was there: the rest is left to whoever else changes it. Undefined if nothing does. */
export function changesOf(edited: Edited): Record<string, unknown> | undefined {
  const before = wholeOf(editedOf(edited.base, edited.etag));
  const changes = differing(before, wholeOf(edited));
  if (changes.settings) changes.settings = differing(before.settings, changes.settings as object);
  return Object.keys(changes).length === 0 ? undefined : changes;
}

function differing(before: object, after: object): Record<string, unknown> {
  const was = before as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name])),
  );
}

/** What is stored now, with what was typed over what was `seen` before: nothing typed is lost, and nothing else is changed. */
export function rebased(typed: Edited, seen: Edited, now: Edited): Edited {
  const own = Object.entries(typed).filter(
    ([name, value]) => name !== 'base' && name !== 'etag' && !isSame(value, seen[name as keyof Edited]),
  );
  return { ...now, ...Object.fromEntries(own) };
}

/** Rows of headers are told apart by numbers that say nothing. */
const isSame = (a: unknown, b: unknown): boolean => withoutIds(a) === withoutIds(b);
const withoutIds = (value: unknown): string =>
  JSON.stringify(value, (key, inner) => (key === 'id' ? undefined : inner));
