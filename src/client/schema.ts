// Written by "npm run client" from openapi.json: change that, not this.

/** A field that is not valid */
export interface WebhookFieldErrorDto {
  /** JSON Pointer (RFC 6901) into the body, or `?name` of a query parameter */
  pointer: string;
  message: string;
}

/** What went wrong: RFC 9457 problem details */
export interface WebhookProblemDto {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  /** A stable word for programs */
  code: string;
  errors?: WebhookFieldErrorDto[];
}

/** A kind of event that a webhook is subscribed to */
export interface WebhookEventDto {
  id: string;
  enabled: boolean;
  kind: string;
  /** Always equal to `kind` */
  event_kind: string;
  webhook_id: string;
}

/** A new webhook, with its signing secret */
export interface CreatedWebhookDto {
  id: string;
  user_id: string;
  name: string;
  url: string;
  enabled: boolean;
  description: string | null;
  /** Values that may be credentials are answered as `********` */
  headers: {
    [key: string]: string;
  };
  events: WebhookEventDto[];
  disabled_reason: 'gone' | 'failing' | null;
  /** When the previous signing secrets that still sign cease to, the newest first */
  previous_secrets_expire_at: string[];
  created_at: string;
  updated_at: string;
  /** Verifies the requests sent (Standard Webhooks) */
  secret: string;
}

/** The answer of every deletion */
export interface WebhookDeletedDto {
  id: string;
  deleted: boolean;
}

/** A webhook: where to send, and what */
export interface WebhookDto {
  id: string;
  user_id: string;
  name: string;
  url: string;
  enabled: boolean;
  description: string | null;
  /** Values that may be credentials are answered as `********` */
  headers: {
    [key: string]: string;
  };
  events: WebhookEventDto[];
  disabled_reason: 'gone' | 'failing' | null;
  /** When the previous signing secrets that still sign cease to, the newest first */
  previous_secrets_expire_at: string[];
  created_at: string;
  updated_at: string;
}

/** A page of webhooks, newest first */
export interface WebhookListDto {
  data: WebhookDto[];
  next_cursor: string | null;
}

/** The signing secret of a webhook */
export interface WebhookSecretDto {
  secret: string;
}

/** The new signing secret, and until when the one before it signs as well */
export interface WebhookRotatedSecretDto {
  secret: string;
  /** Until then the previous secret signs as well; null where it does not */
  previous_expires_at: string | null;
}

/** How many triggers are due again, or would be */
export interface WebhookRecoveredDto {
  /** Triggers that are due again, or, on a dry run, would be */
  triggers: number;
}

/** A kind of event, with the JSON Schema and an example of what webhooks receive for it */
export interface WebhookEventKindDto {
  kind: string;
  event_kind: string;
  description: string;
  /** JSON Schema of the payload */
  schema: {
    [key: string]: unknown;
  };
  /** A payload */
  example: {
    [key: string]: unknown;
  };
}

/** All kinds of event */
export interface WebhookEventKindListDto {
  data: WebhookEventKindDto[];
  next_cursor: string | null;
}

/** What was sent, credentials masked */
export interface WebhookRequestDataDto {
  method: string;
  /** null before the first attempt */
  url: string | null;
  /** Credentials are masked */
  headers: {
    [key: string]: string;
  };
  /** The JSON body sent, character for character */
  body?: {
    [key: string]: unknown;
  };
}

/** What came back, cut where it is too long */
export interface WebhookResponseDataDto {
  status: number;
  headers: {
    [key: string]: string;
  };
  /** At most 16 KiB, as text */
  body?: string;
  truncated: boolean;
  duration_ms: number;
}

/** Why an attempt failed */
export interface WebhookAttemptErrorDto {
  code: string;
  message: string;
}

/** One firing of a webhook */
export interface WebhookTriggerDto {
  id: string;
  notification_id: string;
  webhook_id: string;
  /** null for a test */
  event_id: string | null;
  event_kind: string;
  user_id: string;
  status: 'PENDING' | 'DELIVERING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  attempt_count: number;
  begin: string | null;
  end: string | null;
  next_attempt_at: string | null;
  request_data: WebhookRequestDataDto;
  response_data: WebhookResponseDataDto | null;
  error: WebhookAttemptErrorDto | null;
}

/** A page of triggers, newest first */
export interface WebhookTriggerListDto {
  data: WebhookTriggerDto[];
  next_cursor: string | null;
}

/** One attempt to deliver */
export interface WebhookAttemptDto {
  number: number;
  begin: string | null;
  end: string | null;
  duration_ms: number;
  /** Milliseconds from the start of the attempt to the end of dns, connect, tls and headers */
  phases: {
    [key: string]: number;
  };
  response_data: WebhookResponseDataDto | null;
  error: WebhookAttemptErrorDto | null;
}

/** One firing of a webhook, with its newest attempts */
export interface WebhookTriggerDetailDto {
  id: string;
  notification_id: string;
  webhook_id: string;
  /** null for a test */
  event_id: string | null;
  event_kind: string;
  user_id: string;
  status: 'PENDING' | 'DELIVERING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  attempt_count: number;
  begin: string | null;
  end: string | null;
  next_attempt_at: string | null;
  request_data: WebhookRequestDataDto;
  response_data: WebhookResponseDataDto | null;
  error: WebhookAttemptErrorDto | null;
  /** The newest 20, the last one last */
  attempts: WebhookAttemptDto[];
}

/** A page of the attempts of a trigger, newest first */
export interface WebhookAttemptListDto {
  data: WebhookAttemptDto[];
  next_cursor: string | null;
}

/** A trigger of a notification, and its webhook */
export interface WebhookAcceptedTriggerDto {
  id: string;
  webhook_id: string;
}

/** A notification that is stored: it will be sent */
export interface WebhookAcceptedNotificationDto {
  /** Sent to the receivers as webhook-id */
  id: string;
  event_kind: string;
  triggered_at: string;
  /** One for each subscribed webhook */
  triggers: WebhookAcceptedTriggerDto[];
}

/** A new API key, which is shown this once */
export interface WebhookCreatedApiKeyDto {
  id: string;
  user_id: string;
  scopes: ('webhooks:read' | 'webhooks:write' | 'notifications:write' | 'admin')[];
  name: string | null;
  created_at: string;
  last_used_at: string | null;
  /** Shown this once */
  key: string;
}

/** An API key, never the key itself */
export interface WebhookApiKeyDto {
  id: string;
  user_id: string;
  scopes: ('webhooks:read' | 'webhooks:write' | 'notifications:write' | 'admin')[];
  name: string | null;
  created_at: string;
  last_used_at: string | null;
}

/** A page of API keys, newest first */
export interface WebhookApiKeyListDto {
  data: WebhookApiKeyDto[];
  next_cursor: string | null;
}

/** What every path takes and answers, by method. */
export interface Paths {
  '/v1/webhook': {
    /** Create a webhook, or delete one (here only the former; DELETE deletes) */
    POST: {
      request: {
        headers?: {
          /** 1 to 255 printable ASCII characters. The same key and body within 24 h answer the first result again, with `Idempotent-Replayed: true`; another body is a 422. */
          'Idempotency-Key'?: string;
        };
        body: {
          name: string;
          url: string;
          enabled?: boolean;
          description?: string | null;
          headers?: {
            [key: string]: string;
          };
          events?: (string | {
            kind?: string;
            event_kind?: string;
            enabled?: boolean;
          })[];
          secret?: string;
          user_id?: string;
        };
      };
      data: CreatedWebhookDto;
    };
    /** Delete a webhook */
    DELETE: {
      request: {
        query: {
          id: string;
        };
      };
      data: WebhookDeletedDto;
    };
    /** Change a webhook */
    PATCH: {
      request: {
        headers?: {
          /** The `ETag` of the webhook that is to be changed, or several, or `*` */
          'If-Match'?: string;
        };
        body: {
          id: string;
          name?: string;
          url?: string;
          enabled?: boolean;
          description?: string | null;
          headers?: {
            [key: string]: string;
          };
          events?: (string | {
            kind?: string;
            event_kind?: string;
            enabled?: boolean;
          })[];
        };
      };
      data: WebhookDto;
    };
    /** Find a webhook */
    GET: {
      request: {
        query: {
          id: string;
        };
        headers?: {
          /** The `ETag` of the webhook that the caller has, or several, or `*` */
          'If-None-Match'?: string;
        };
      };
      data: WebhookDto;
    };
  };
  '/v1/webhook/list': {
    /** List webhooks, newest first */
    GET: {
      request: {
        query?: {
          enabled?: 'true' | 'false';
          event_kind?: string;
          name?: string;
          user_id?: string;
          /** Rows on a page: 1 to 100, 20 unless given */
          limit?: string;
          /** `next_cursor` of the page before */
          cursor?: string;
        };
      };
      data: WebhookListDto;
    };
  };
  '/v1/webhook/secret': {
    /** Show the signing secret of a webhook */
    GET: {
      request: {
        query: {
          id: string;
        };
      };
      data: WebhookSecretDto;
    };
  };
  '/v1/webhook/secret/rotate': {
    /** Give a webhook a new signing secret */
    POST: {
      request: {
        body: {
          id: string;
          overlap_seconds?: number;
          secret?: string;
        };
      };
      data: WebhookRotatedSecretDto;
    };
  };
  '/v1/webhook/recover': {
    /** Send again what a webhook missed */
    POST: {
      request: {
        body: {
          id: string;
          since: string;
          until?: string;
          dry_run?: boolean;
        };
      };
      data: WebhookRecoveredDto;
    };
  };
  '/v1/webhook/event': {
    /** Subscribe a webhook to a kind of event, or end a subscription (here only the former; DELETE deletes) */
    POST: {
      request: {
        body: {
          webhook_id: string;
          kind?: string;
          event_kind?: string;
          enabled?: boolean;
        };
      };
      data: WebhookEventDto;
    };
    /** End a subscription */
    DELETE: {
      request: {
        query: {
          id: string;
        };
      };
      data: WebhookDeletedDto;
    };
    /** Switch an event on or off */
    PATCH: {
      request: {
        body: {
          id: string;
          enabled: boolean;
        };
      };
      data: WebhookEventDto;
    };
  };
  '/v1/webhook/event/kind/list': {
    /** List the kinds of event, with schema and example of their payloads */
    GET: {
      request: {};
      data: WebhookEventKindListDto;
    };
  };
  '/v1/webhook/trigger/list': {
    /** List triggers, newest first */
    GET: {
      request: {
        query?: {
          webhook_id?: string;
          event_id?: string;
          event_kind?: string;
          status?: 'PENDING' | 'DELIVERING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
          notification_id?: string;
          since?: string;
          until?: string;
          user_id?: string;
          include?: 'data';
          /** Rows on a page: 1 to 100, 20 unless given */
          limit?: string;
          /** `next_cursor` of the page before */
          cursor?: string;
        };
      };
      data: WebhookTriggerListDto;
    };
  };
  '/v1/webhook/trigger': {
    /** Find a trigger with its newest attempts */
    GET: {
      request: {
        query: {
          id: string;
        };
      };
      data: WebhookTriggerDetailDto;
    };
  };
  '/v1/webhook/trigger/retry': {
    /** Make a trigger due now */
    POST: {
      request: {
        body: {
          id: string;
        };
      };
      data: WebhookTriggerDetailDto;
    };
  };
  '/v1/webhook/trigger/attempt/list': {
    /** List the attempts of a trigger, newest first */
    GET: {
      request: {
        query: {
          trigger_id: string;
          /** Rows on a page: 1 to 100, 20 unless given */
          limit?: string;
          /** `next_cursor` of the page before */
          cursor?: string;
        };
      };
      data: WebhookAttemptListDto;
    };
  };
  '/v1/notification': {
    /** Report a lifecycle event */
    POST: {
      request: {
        headers?: {
          /** 1 to 255 printable ASCII characters. The same key and body within 24 h answer the first result again, with `Idempotent-Replayed: true`; another body is a 422. */
          'Idempotency-Key'?: string;
        };
        body: {
          event_kind: string;
          /** Whose webhooks hear of it */
          user_id: string;
          /** The record; all other fields pass through untouched */
          record: {
            id: string;
            /** `analyses` is accepted in its place */
            analysis: {
              id: string;
              [key: string]: any;
            }[];
            [key: string]: any;
          };
          /** Which analysis finished; required for ANALYSIS_FINISHED */
          analysis_id?: string;
        };
      };
      data: WebhookAcceptedNotificationDto;
    };
  };
  '/v1/webhook/test': {
    /** Send a sample notification to a webhook */
    POST: {
      request: {
        body: {
          id: string;
          event_kind?: string;
        };
      };
      data: WebhookTriggerDetailDto;
    };
  };
  '/v1/api-key': {
    /** Create an API key */
    POST: {
      request: {
        body: {
          user_id: string;
          scopes: ('webhooks:read' | 'webhooks:write' | 'notifications:write' | 'admin')[];
          name?: string | null;
        };
      };
      data: WebhookCreatedApiKeyDto;
    };
    /** Revoke an API key, at once */
    DELETE: {
      request: {
        query: {
          id: string;
        };
      };
      data: WebhookDeletedDto;
    };
  };
  '/v1/api-key/list': {
    /** List API keys, newest first */
    GET: {
      request: {
        query?: {
          user_id?: string;
          /** Rows on a page: 1 to 100, 20 unless given */
          limit?: string;
          /** `next_cursor` of the page before */
          cursor?: string;
        };
      };
      data: WebhookApiKeyListDto;
    };
  };
}
