// Written by "npm run client" from openapi.json: change that, not this.

/** Every path, with its operations by method */
export interface paths {
    "/v1/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find a webhook
         * @description Needs the scope `webhooks:read`.
         */
        get: operations["findWebhook"];
        put?: never;
        /**
         * Create a webhook, or delete one (here only the former; DELETE deletes)
         * @description Creates with the fields of a webhook (201); deletes with exactly `{ "id": "…" }` (200).
         *
         *     Needs the scope `webhooks:write`.
         */
        post: operations["createOrDeleteWebhook"];
        /**
         * Delete a webhook
         * @description What waits for it becomes CANCELLED; its finished triggers stay listed.
         *
         *     Needs the scope `webhooks:write`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description `events` and `headers`, where given, are the whole new list or set. A masked header value is kept. With the `ETag` of an earlier answer in `If-Match`, nothing is changed unless the webhook is as it was then (412). A `url` of another origin (scheme, host or port) needs masked header values anew, or left out: otherwise it is a 400 with the code `credentials_required` that names them.
         *
         *     Needs the scope `webhooks:write`.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v1/webhook/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks, newest first
         * @description Needs the scope `webhooks:read`.
         */
        get: operations["listWebhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the signing secret of a webhook
         * @description Needs the scope `webhooks:write`.
         */
        get: operations["findWebhookSecret"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook/secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook a new signing secret
         * @description For `overlap_seconds` (a day unless given, 7 days at most) requests carry the signature of the previous secret as well, behind the new one; with 0 the previous one ends at once. Those rotated out before sign until their own end: no more than 5 sign together (409, code `too_many_secrets`). `secret` is made unless given.
         *
         *     Needs the scope `webhooks:write`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send again what a webhook missed
         * @description FAILED and CANCELLED triggers that were made from `since` to `until` (now unless given), both included, are due again, each on a fresh retry schedule: oldest first, 10 a second, behind those of an earlier call. Left out are triggers whose event is disabled or deleted, and tests. At most 50,000 in one call (422); `dry_run` only counts.
         *
         *     Needs the scope `webhooks:write`.
         */
        post: operations["recoverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook/event": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Subscribe a webhook to a kind of event, or end a subscription (here only the former; DELETE deletes)
         * @description Creates with the fields of an event (201); deletes with exactly `{ "id": "…" }` (200).
         *
         *     Needs the scope `webhooks:write`.
         */
        post: operations["createOrDeleteEvent"];
        /**
         * End a subscription
         * @description What waits because of it becomes CANCELLED.
         *
         *     Needs the scope `webhooks:write`.
         */
        delete: operations["deleteEvent"];
        options?: never;
        head?: never;
        /**
         * Switch an event on or off
         * @description Needs the scope `webhooks:write`.
         */
        patch: operations["updateEvent"];
        trace?: never;
    };
    "/v1/webhook/event/kind/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the kinds of event, with schema and example of their payloads
         * @description Needs the scope `webhooks:read`.
         */
        get: operations["listEventKinds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook/trigger/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List triggers, newest first
         * @description Bodies of requests and responses are left out unless `include=data`; a page then ends after 1 MiB, however few triggers that are.
         *
         *     Needs the scope `webhooks:read`.
         */
        get: operations["listTriggers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find a trigger with its newest attempts
         * @description Needs the scope `webhooks:read`.
         */
        get: operations["findTrigger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook/trigger/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a trigger due now
         * @description Whatever its status, unless an attempt is under way (409). Its retry schedule starts anew.
         *
         *     Needs the scope `webhooks:write`.
         */
        post: operations["retryTrigger"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook/trigger/attempt/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the attempts of a trigger, newest first
         * @description A page ends after 1 MiB of responses, however few attempts that are.
         *
         *     Needs the scope `webhooks:read`.
         */
        get: operations["listAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a lifecycle event
         * @description Answered only after the notification and all its triggers are stored. No subscriber is no error.
         *
         *     Needs the scope `notifications:write`.
         */
        post: operations["notify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a sample notification to a webhook
         * @description Through the real pipeline, whatever the webhook is subscribed to.
         *
         *     Needs the scope `webhooks:write`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an API key
         * @description The key is answered this once; only its hash is stored.
         *
         *     Needs the scope `admin`.
         */
        post: operations["createApiKey"];
        /**
         * Revoke an API key, at once
         * @description Needs the scope `admin`.
         */
        delete: operations["deleteApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-key/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys, newest first
         * @description Needs the scope `admin`.
         */
        get: operations["listApiKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
/** What each operation takes and answers */
export interface operations {
    findWebhook: {
        parameters: {
            query: {
                id: string;
            };
            header?: {
                /** @description The `ETag` of the webhook that the caller has, or several, or `*` */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook */
            200: {
                headers: {
                    /** @description Names this version of the webhook, for `If-Match` and `If-None-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookDto;
                };
            };
        };
    };
    createOrDeleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters. The same key and body within 24 h answer the first result again, with `Idempotent-Replayed: true`; another body is a 422. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    url: string;
                    /** @default true */
                    enabled?: boolean;
                    /** @default null */
                    description?: string | null;
                    headers?: {
                        [key: string]: string;
                    };
                    events?: (string | {
                        kind?: string;
                        event_kind?: string;
                        /** @default true */
                        enabled?: boolean;
                    })[];
                    secret?: string;
                    user_id?: string;
                };
            };
        };
        responses: {
            /** @description The webhook, with its secret */
            201: {
                headers: {
                    /** @description Names this version of the webhook, for `If-Match` and `If-None-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": CreatedWebhookDto;
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query: {
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookDeletedDto;
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the webhook that is to be changed, or several, or `*` */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
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
                        /** @default true */
                        enabled?: boolean;
                    })[];
                };
            };
        };
        responses: {
            /** @description The webhook as it is now */
            200: {
                headers: {
                    /** @description Names this version of the webhook, for `If-Match` and `If-None-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookDto;
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                enabled?: "true" | "false";
                event_kind?: string;
                name?: string;
                user_id?: string;
                /** @description Rows on a page: 1 to 100, 20 unless given */
                limit?: string;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List webhooks, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookListDto;
                };
            };
        };
    };
    findWebhookSecret: {
        parameters: {
            query: {
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Show the signing secret of a webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookSecretDto;
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    id: string;
                    /** @default 86400 */
                    overlap_seconds?: number;
                    secret?: string;
                };
            };
        };
        responses: {
            /** @description Give a webhook a new signing secret */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookRotatedSecretDto;
                };
            };
        };
    };
    recoverWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    id: string;
                    /** Format: date-time */
                    since: string;
                    /** Format: date-time */
                    until?: string;
                    /** @default false */
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description Send again what a webhook missed */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookRecoveredDto;
                };
            };
        };
    };
    createOrDeleteEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    webhook_id: string;
                    kind?: string;
                    event_kind?: string;
                    /** @default true */
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description The event */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookEventDto;
                };
            };
        };
    };
    deleteEvent: {
        parameters: {
            query: {
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description End a subscription */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookDeletedDto;
                };
            };
        };
    };
    updateEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    id: string;
                    enabled: boolean;
                };
            };
        };
        responses: {
            /** @description Switch an event on or off */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookEventDto;
                };
            };
        };
    };
    listEventKinds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the kinds of event, with schema and example of their payloads */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookEventKindListDto;
                };
            };
        };
    };
    listTriggers: {
        parameters: {
            query?: {
                webhook_id?: string;
                event_id?: string;
                event_kind?: string;
                status?: "PENDING" | "DELIVERING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
                notification_id?: string;
                since?: string;
                until?: string;
                user_id?: string;
                include?: "data";
                /** @description Rows on a page: 1 to 100, 20 unless given */
                limit?: string;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List triggers, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookTriggerListDto;
                };
            };
        };
    };
    findTrigger: {
        parameters: {
            query: {
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Find a trigger with its newest attempts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookTriggerDetailDto;
                };
            };
        };
    };
    retryTrigger: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    id: string;
                };
            };
        };
        responses: {
            /** @description Make a trigger due now */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookTriggerDetailDto;
                };
            };
        };
    };
    listAttempts: {
        parameters: {
            query: {
                trigger_id: string;
                /** @description Rows on a page: 1 to 100, 20 unless given */
                limit?: string;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the attempts of a trigger, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookAttemptListDto;
                };
            };
        };
    };
    notify: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters. The same key and body within 24 h answer the first result again, with `Idempotent-Replayed: true`; another body is a 422. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example ANALYSIS_FINISHED */
                    event_kind: string;
                    /** @description Whose webhooks hear of it */
                    user_id: string;
                    /** @description The record; all other fields pass through untouched */
                    record: {
                        id: string;
                        /** @description `analyses` is accepted in its place */
                        analysis: ({
                            id: string;
                        } & {
                            [key: string]: any;
                        })[];
                    } & {
                        [key: string]: any;
                    };
                    /** @description Which analysis finished; required for ANALYSIS_FINISHED */
                    analysis_id?: string;
                };
            };
        };
        responses: {
            /** @description Report a lifecycle event */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookAcceptedNotificationDto;
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    id: string;
                    event_kind?: string;
                };
            };
        };
        responses: {
            /** @description Send a sample notification to a webhook */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookTriggerDetailDto;
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example acme */
                    user_id: string;
                    scopes: ("webhooks:read" | "webhooks:write" | "notifications:write" | "admin")[];
                    /**
                     * @default null
                     * @example CRM
                     */
                    name?: string | null;
                };
            };
        };
        responses: {
            /** @description Create an API key */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookCreatedApiKeyDto;
                };
            };
        };
    };
    deleteApiKey: {
        parameters: {
            query: {
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoke an API key, at once */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookDeletedDto;
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                user_id?: string;
                /** @description Rows on a page: 1 to 100, 20 unless given */
                limit?: string;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List API keys, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookApiKeyListDto;
                };
            };
        };
    };
    receive_ANALYSIS_FINISHED: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the notification, the same on every attempt
                 * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
                 */
                "webhook-id": string;
                /**
                 * @description When this attempt was made, in seconds since the Unix epoch
                 * @example 1795256130
                 */
                "webhook-timestamp": string;
                /**
                 * @description Standard Webhooks: `v1,` + base64 HMAC-SHA256 of `id.timestamp.body`, once for each secret in use
                 * @example v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=
                 */
                "webhook-signature": string;
                /**
                 * @description Number of the attempt, from 1
                 * @example 1
                 */
                "webhook-attempt": string;
                /**
                 * @description Number of webhook services that the event has passed through. Send it along with whatever you report because of the event, so that loops end
                 * @example 1
                 */
                "webhook-hops": string;
                /**
                 * @description W3C Trace Context, if the report carried one
                 * @example 00-4bf9…-00f0…-01
                 */
                traceparent?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "id": "rec_1",
                 *         "status": "VALID",
                 *         "analysis": [
                 *           {
                 *             "id": "ana_1",
                 *             "status": "VALID"
                 *           }
                 *         ]
                 *       },
                 *       "triggered_at": "2026-11-21T10:15:30.123Z",
                 *       "event_kind": "ANALYSIS_FINISHED"
                 *     }
                 */
                "application/json": {
                    /** @description The Record: every field that was reported, untouched */
                    data: {
                        id: string;
                        /** @description Only the analysis that finished */
                        analysis: {
                            id: string;
                        }[];
                    };
                    /** Format: date-time */
                    triggered_at: string;
                    /** @constant */
                    event_kind: "ANALYSIS_FINISHED";
                };
            };
        };
        responses: {
            /** @description Received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receive_RECORD_FINISHED: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the notification, the same on every attempt
                 * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
                 */
                "webhook-id": string;
                /**
                 * @description When this attempt was made, in seconds since the Unix epoch
                 * @example 1795256130
                 */
                "webhook-timestamp": string;
                /**
                 * @description Standard Webhooks: `v1,` + base64 HMAC-SHA256 of `id.timestamp.body`, once for each secret in use
                 * @example v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=
                 */
                "webhook-signature": string;
                /**
                 * @description Number of the attempt, from 1
                 * @example 1
                 */
                "webhook-attempt": string;
                /**
                 * @description Number of webhook services that the event has passed through. Send it along with whatever you report because of the event, so that loops end
                 * @example 1
                 */
                "webhook-hops": string;
                /**
                 * @description W3C Trace Context, if the report carried one
                 * @example 00-4bf9…-00f0…-01
                 */
                traceparent?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "id": "rec_1",
                 *         "status": "VALID",
                 *         "analysis": [
                 *           {
                 *             "id": "ana_1",
                 *             "status": "VALID"
                 *           },
                 *           {
                 *             "id": "ana_2",
                 *             "status": "VALID"
                 *           }
                 *         ]
                 *       },
                 *       "triggered_at": "2026-11-21T10:15:30.123Z",
                 *       "event_kind": "RECORD_FINISHED"
                 *     }
                 */
                "application/json": {
                    /** @description The Record: every field that was reported, untouched */
                    data: {
                        id: string;
                        /** @description All analyses of the record */
                        analysis: {
                            id: string;
                        }[];
                    };
                    /** Format: date-time */
                    triggered_at: string;
                    /** @constant */
                    event_kind: "RECORD_FINISHED";
                };
            };
        };
        responses: {
            /** @description Received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receive_STATUS_CHANGED: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the notification, the same on every attempt
                 * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
                 */
                "webhook-id": string;
                /**
                 * @description When this attempt was made, in seconds since the Unix epoch
                 * @example 1795256130
                 */
                "webhook-timestamp": string;
                /**
                 * @description Standard Webhooks: `v1,` + base64 HMAC-SHA256 of `id.timestamp.body`, once for each secret in use
                 * @example v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=
                 */
                "webhook-signature": string;
                /**
                 * @description Number of the attempt, from 1
                 * @example 1
                 */
                "webhook-attempt": string;
                /**
                 * @description Number of webhook services that the event has passed through. Send it along with whatever you report because of the event, so that loops end
                 * @example 1
                 */
                "webhook-hops": string;
                /**
                 * @description W3C Trace Context, if the report carried one
                 * @example 00-4bf9…-00f0…-01
                 */
                traceparent?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "id": "rec_1",
                 *         "status": "VALID",
                 *         "analysis": [
                 *           {
                 *             "id": "ana_1",
                 *             "status": "VALID"
                 *           },
                 *           {
                 *             "id": "ana_2",
                 *             "status": "PENDING"
                 *           }
                 *         ]
                 *       },
                 *       "triggered_at": "2026-11-21T10:15:30.123Z",
                 *       "event_kind": "STATUS_CHANGED"
                 *     }
                 */
                "application/json": {
                    /** @description The Record: every field that was reported, untouched */
                    data: {
                        id: string;
                        /** @description All analyses of the record */
                        analysis: {
                            id: string;
                        }[];
                    };
                    /** Format: date-time */
                    triggered_at: string;
                    /** @constant */
                    event_kind: "STATUS_CHANGED";
                };
            };
        };
        responses: {
            /** @description Received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
/** What webhooks receive */
export interface webhooks {
    ANALYSIS_FINISHED: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An analysis of a record finished.
         * @description Any 2xx is success; redirects are not followed; 410 disables the webhook; 429 and 503 may ask for a later retry with Retry-After.
         */
        post: operations["receive_ANALYSIS_FINISHED"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    RECORD_FINISHED: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * All analyses of a record finished.
         * @description Any 2xx is success; redirects are not followed; 410 disables the webhook; 429 and 503 may ask for a later retry with Retry-After.
         */
        post: operations["receive_RECORD_FINISHED"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    STATUS_CHANGED: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The status of a record changed.
         * @description Any 2xx is success; redirects are not followed; 410 disables the webhook; 429 and 503 may ask for a later retry with Retry-After.
         */
        post: operations["receive_STATUS_CHANGED"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
/** @description A field that is not valid */
export interface WebhookFieldErrorDto {
    /**
     * @description JSON Pointer (RFC 6901) into the body, or `?name` of a query parameter
     * @example /url
     */
    pointer: string;
    /** @example The URL must use http or https. */
    message: string;
}
/** @description What went wrong: RFC 9457 problem details */
export interface WebhookProblemDto {
    /** @example about:blank */
    type: string;
    /** @example Bad Request */
    title: string;
    /** @example 400 */
    status: number;
    /** @example A field is not valid; see "errors". */
    detail: string;
    /** @example /v1/webhook */
    instance: string;
    /**
     * @description A stable word for programs
     * @example validation_failed
     */
    code: string;
    errors?: WebhookFieldErrorDto[];
}
/** @description A kind of event that a webhook is subscribed to */
export interface WebhookEventDto {
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b43
     */
    id: string;
    /** @example true */
    enabled: boolean;
    /** @example ANALYSIS_FINISHED */
    kind: string;
    /**
     * @description Always equal to `kind`
     * @example ANALYSIS_FINISHED
     */
    event_kind: string;
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    webhook_id: string;
}
/** @description A new webhook, with its signing secret */
export interface CreatedWebhookDto {
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    id: string;
    /** @example acme */
    user_id: string;
    /** @example CRM sync */
    name: string;
    /** @example https://crm.example.com/hooks */
    url: string;
    /** @example true */
    enabled: boolean;
    /** @example null */
    description: string | null;
    /**
     * @description Values that may be credentials are answered as `********`
     * @example {
     *       "X-Team": "risk",
     *       "Authorization": "********"
     *     }
     */
    headers: {
        [key: string]: string;
    };
    events: WebhookEventDto[];
    /**
     * @example null
     * @enum {string|null}
     */
    disabled_reason: "gone" | "failing" | null;
    /**
     * @description When the previous signing secrets that still sign cease to, the newest first
     * @example []
     */
    previous_secrets_expire_at: string[];
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    created_at: string;
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    updated_at: string;
    /**
     * @description Verifies the requests sent (Standard Webhooks)
     * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
     */
    secret: string;
}
/** @description The answer of every deletion */
export interface WebhookDeletedDto {
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    id: string;
    /** @example true */
    deleted: boolean;
}
/** @description A webhook: where to send, and what */
export interface WebhookDto {
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    id: string;
    /** @example acme */
    user_id: string;
    /** @example CRM sync */
    name: string;
    /** @example https://crm.example.com/hooks */
    url: string;
    /** @example true */
    enabled: boolean;
    /** @example null */
    description: string | null;
    /**
     * @description Values that may be credentials are answered as `********`
     * @example {
     *       "X-Team": "risk",
     *       "Authorization": "********"
     *     }
     */
    headers: {
        [key: string]: string;
    };
    events: WebhookEventDto[];
    /**
     * @example null
     * @enum {string|null}
     */
    disabled_reason: "gone" | "failing" | null;
    /**
     * @description When the previous signing secrets that still sign cease to, the newest first
     * @example []
     */
    previous_secrets_expire_at: string[];
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    created_at: string;
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    updated_at: string;
}
/** @description A page of webhooks, newest first */
export interface WebhookListDto {
    data: WebhookDto[];
    /** @example AZqi4H1cfD6dCwx-Wh87Qi1xFkK3JrBEAWJ8qfusMvU */
    next_cursor: string | null;
}
/** @description The signing secret of a webhook */
export interface WebhookSecretDto {
    /** @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw */
    secret: string;
}
/** @description The new signing secret, and until when the one before it signs as well */
export interface WebhookRotatedSecretDto {
    /** @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw */
    secret: string;
    /**
     * Format: date-time
     * @description Until then the previous secret signs as well; null where it does not
     * @example 2026-11-22T10:15:30.123Z
     */
    previous_expires_at: string | null;
}
/** @description How many triggers are due again, or would be */
export interface WebhookRecoveredDto {
    /**
     * @description Triggers that are due again, or, on a dry run, would be
     * @example 42
     */
    triggers: number;
}
/** @description A kind of event, with the JSON Schema and an example of what webhooks receive for it */
export interface WebhookEventKindDto {
    /** @example ANALYSIS_FINISHED */
    kind: string;
    /** @example ANALYSIS_FINISHED */
    event_kind: string;
    /** @example An analysis of a record finished. */
    description: string;
    /**
     * @description JSON Schema of the payload
     * @example {
     *       "type": "object",
     *       "required": [
     *         "data",
     *         "triggered_at",
     *         "event_kind"
     *       ]
     *     }
     */
    schema: {
        [key: string]: unknown;
    };
    /**
     * @description A payload
     * @example {
     *       "data": {
     *         "id": "rec_1",
     *         "analysis": [
     *           {
     *             "id": "ana_1",
     *             "status": "VALID"
     *           }
     *         ]
     *       },
     *       "triggered_at": "2026-11-21T10:15:30.123Z",
     *       "event_kind": "ANALYSIS_FINISHED"
     *     }
     */
    example: {
        [key: string]: unknown;
    };
}
/** @description All kinds of event */
export interface WebhookEventKindListDto {
    data: WebhookEventKindDto[];
    /** @example null */
    next_cursor: string | null;
}
/** @description What was sent, credentials masked */
export interface WebhookRequestDataDto {
    /** @example POST */
    method: string;
    /**
     * @description null before the first attempt
     * @example https://crm.example.com/hooks
     */
    url: string | null;
    /**
     * @description Credentials are masked
     * @example {
     *       "content-type": "application/json; charset=utf-8",
     *       "X-Team": "risk",
     *       "Authorization": "********"
     *     }
     */
    headers: {
        [key: string]: string;
    };
    /**
     * @description The JSON body sent, character for character
     * @example {
     *       "data": {
     *         "id": "rec_1",
     *         "analysis": [
     *           {
     *             "id": "ana_1",
     *             "status": "VALID"
     *           }
     *         ]
     *       },
     *       "triggered_at": "2026-11-21T10:15:30.123Z",
     *       "event_kind": "RECORD_FINISHED"
     *     }
     */
    body?: {
        [key: string]: unknown;
    };
}
/** @description What came back, cut where it is too long */
export interface WebhookResponseDataDto {
    /** @example 200 */
    status: number;
    /**
     * @example {
     *       "content-type": "text/plain"
     *     }
     */
    headers: {
        [key: string]: string;
    };
    /**
     * @description At most 16 KiB, as text
     * @example thanks
     */
    body?: string;
    /** @example false */
    truncated: boolean;
    /** @example 12 */
    duration_ms: number;
}
/** @description Why an attempt failed */
export interface WebhookAttemptErrorDto {
    /** @example http_status */
    code: string;
    /** @example The receiver answered 503. */
    message: string;
}
/** @description One firing of a webhook */
export interface WebhookTriggerDto {
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    id: string;
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    notification_id: string;
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    webhook_id: string;
    /**
     * Format: uuid
     * @description null for a test
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    event_id: string | null;
    /** @example RECORD_FINISHED */
    event_kind: string;
    /** @example acme */
    user_id: string;
    /**
     * @example SUCCEEDED
     * @enum {string}
     */
    status: "PENDING" | "DELIVERING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
    /** @example 1 */
    attempt_count: number;
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    begin: string | null;
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    end: string | null;
    /**
     * Format: date-time
     * @example null
     */
    next_attempt_at: string | null;
    request_data: WebhookRequestDataDto;
    response_data: WebhookResponseDataDto | null;
    /** @example null */
    error: WebhookAttemptErrorDto | null;
}
/** @description A page of triggers, newest first */
export interface WebhookTriggerListDto {
    data: WebhookTriggerDto[];
    /** @example AZqi4H1cfD6dCwx-Wh87Qi1xFkK3JrBEAWJ8qfusMvU */
    next_cursor: string | null;
}
/** @description One attempt to deliver */
export interface WebhookAttemptDto {
    /** @example 1 */
    number: number;
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    begin: string | null;
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    end: string | null;
    /** @example 12 */
    duration_ms: number;
    /**
     * @description Milliseconds from the start of the attempt to the end of dns, connect, tls and headers
     * @example {
     *       "connect": 2,
     *       "headers": 11
     *     }
     */
    phases: {
        [key: string]: number;
    };
    response_data: WebhookResponseDataDto | null;
    /** @example null */
    error: WebhookAttemptErrorDto | null;
}
/** @description One firing of a webhook, with its newest attempts */
export interface WebhookTriggerDetailDto {
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    id: string;
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    notification_id: string;
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    webhook_id: string;
    /**
     * Format: uuid
     * @description null for a test
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    event_id: string | null;
    /** @example RECORD_FINISHED */
    event_kind: string;
    /** @example acme */
    user_id: string;
    /**
     * @example SUCCEEDED
     * @enum {string}
     */
    status: "PENDING" | "DELIVERING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
    /** @example 1 */
    attempt_count: number;
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    begin: string | null;
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    end: string | null;
    /**
     * Format: date-time
     * @example null
     */
    next_attempt_at: string | null;
    request_data: WebhookRequestDataDto;
    response_data: WebhookResponseDataDto | null;
    /** @example null */
    error: WebhookAttemptErrorDto | null;
    /** @description The newest 20, the last one last */
    attempts: WebhookAttemptDto[];
}
/** @description A page of the attempts of a trigger, newest first */
export interface WebhookAttemptListDto {
    data: WebhookAttemptDto[];
    /** @example AZqi4H1cfD6dCwx-Wh87Qi1xFkK3JrBEAWJ8qfusMvU */
    next_cursor: string | null;
}
/** @description A trigger of a notification, and its webhook */
export interface WebhookAcceptedTriggerDto {
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b46
     */
    id: string;
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    webhook_id: string;
}
/** @description A notification that is stored: it will be sent */
export interface WebhookAcceptedNotificationDto {
    /**
     * Format: uuid
     * @description Sent to the receivers as webhook-id
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b45
     */
    id: string;
    /** @example ANALYSIS_FINISHED */
    event_kind: string;
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    triggered_at: string;
    /** @description One for each subscribed webhook */
    triggers: WebhookAcceptedTriggerDto[];
}
/** @description A new API key, which is shown this once */
export interface WebhookCreatedApiKeyDto {
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b44
     */
    id: string;
    /** @example acme */
    user_id: string;
    /**
     * @example [
     *       "webhooks:read",
     *       "webhooks:write"
     *     ]
     */
    scopes: ("webhooks:read" | "webhooks:write" | "notifications:write" | "admin")[];
    /** @example CRM */
    name: string | null;
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    created_at: string;
    /**
     * Format: date-time
     * @example null
     */
    last_used_at: string | null;
    /**
     * @description Shown this once
     * @example whk_…
     */
    key: string;
}
/** @description An API key, never the key itself */
export interface WebhookApiKeyDto {
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b44
     */
    id: string;
    /** @example acme */
    user_id: string;
    /**
     * @example [
     *       "webhooks:read",
     *       "webhooks:write"
     *     ]
     */
    scopes: ("webhooks:read" | "webhooks:write" | "notifications:write" | "admin")[];
    /** @example CRM */
    name: string | null;
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    created_at: string;
    /**
     * Format: date-time
     * @example null
     */
    last_used_at: string | null;
}
/** @description A page of API keys, newest first */
export interface WebhookApiKeyListDto {
    data: WebhookApiKeyDto[];
    /** @example AZqi4H1cfD6dCwx-Wh87Qi1xFkK3JrBEAWJ8qfusMvU */
    next_cursor: string | null;
}
