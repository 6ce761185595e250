import type { RequestOf } from 'webhook-notification-service-client';
import { isAdmin, whose } from '../../data/who.js';
import { settingsOf, type TypedSettings } from '../../domain/settings.js';
import { type HeaderRow, headersOf } from '../../parts/form/headers-field.js';

/** What is typed, as it is typed. */
export interface NewWebhook extends TypedSettings {
  name: string;
  url: string;
  description: string;
  user: string;
  kinds: readonly string[];
  headers: readonly HeaderRow[];
  scheme: 'standard' | 'standard-asymmetric' | 'stripe' | 'github';
  secret: string;
}

type Body = RequestOf<'POST', '/v1/webhook'>['body'];

/** What the API takes. */
export function bodyOf(typed: NewWebhook): Body {
  const userId = typed.user.trim() || whose.value;
  return {
    name: typed.name.trim(),
    url: typed.url.trim(),
    description: typed.description.trim() || null,
    events: [...typed.kinds],
    headers: headersOf(typed.headers),
    signature: { scheme: typed.scheme },
    settings: settingsOf(typed),
    ...(typed.secret.trim() && { secret: typed.secret.trim() }),
    ...(isAdmin.value && userId && { user_id: userId }),
  } as Body;
}
