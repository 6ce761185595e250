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
        /**
         * Create a webhook, or make it so
         * @description Finds the webhook of this user by its `uid`. If there is none, creates it (201, with its secret); otherwise changes what differs (200). What is left out gets its default; only the secret stays, unless another is given, which is then rotated in. Can be repeated at will: a call that says what is so already changes nothing. With `If-Match` it creates nothing (412).
         *
         *     Needs the scope `webhooks:write`.
         */
        put: operations["putWebhook"];
        /**
         * Create a webhook, or delete one (here only the former; DELETE deletes)
         * @description Creates with the fields of a webhook (201); deletes with exactly `{ "id": "…" }` (200). Without `events`, which the answer shows as `[]`, a webhook gets nothing until one is added.
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
         * @description `events` and `headers`, where given, are the whole new list or set. A masked header value is kept. With the `ETag` of an earlier answer in `If-Match`, nothing is changed unless the webhook is as it was then (412). A `url` of another origin (scheme, host or port) needs masked header values, `authentication` and `tls` anew, or removed: otherwise it is a 400 with the code `credentials_required` that names them.
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
    "/v1/webhook/public-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the public key of a webhook that signs with a key pair
         * @description For webhooks with the signature scheme `standard-asymmetric`. After a rotation it is the new one; until the end of the overlap requests carry a signature of each.
         *
         *     Needs the scope `webhooks:read`.
         */
        get: operations["findWebhookPublicKey"];
        put?: never;
        post?: never;
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
        /**
         * Find a recovery: its state, and how far it has come
         * @description Needs the scope `webhooks:read`.
         */
        get: operations["findRecovery"];
        put?: never;
        /**
         * Send again what a webhook missed
         * @description FAILED and CANCELLED triggers that were made from `since` to `until` (now unless given), both included, become due again, each on a fresh retry schedule: oldest first, `per_second` a second, in the background, also after a restart. Left out are tests, triggers whose event is disabled or deleted, and what is erased or past retention. While the receiver cannot take them, the recovery waits. With `missed` also notifications of that span, of the kinds that the webhook is subscribed to now, for which it has no trigger: it was disabled, not subscribed, or not there yet. One recovery of a webhook runs at a time (409); `dry_run` only counts.
         *
         *     Needs the scope `webhooks:write`.
         */
        post: operations["recoverWebhook"];
        /**
         * Stop a recovery
         * @description What it has made due already is still sent: about a second of its pace, or a few if the receiver is slow. Stopping one that has ended changes nothing.
         *
         *     Needs the scope `webhooks:write`.
         */
        delete: operations["stopRecovery"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook/recover/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List recoveries, newest first
         * @description Needs the scope `webhooks:read`.
         */
        get: operations["listRecoveries"];
        put?: never;
        post?: never;
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
         * Switch an event on or off, or change its filter
         * @description Needs the scope `webhooks:write`.
         */
        patch: operations["updateEvent"];
        trace?: never;
    };
    "/v1/webhook/event/filter/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a filter on a record
         * @description Stores nothing, and needs no webhook.
         *
         *     Needs the scope `webhooks:read`.
         */
        post: operations["testFilter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * Make a trigger, or up to 100, due now
         * @description Whatever its status, unless an attempt is under way (409 `trigger_delivering`) or its data is gone (409 `payload_gone`). Its retry schedule starts anew. With `ids`, triggers that cannot be retried are listed under `skipped`, each with the code that it would get alone; an id given twice counts once.
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
    "/v1/webhook/trigger/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow triggers as they are made and change
         * @description Each event is a trigger without bodies, as it is by then: of several quick changes the last may come alone. Server-Sent Events, from every process within two seconds. Each has an `id`; sent back as `Last-Event-ID`, it brings what came since, possibly some of it again. Where that is not known any more, as after five minutes without any stream, the event `reset` comes first: read the list anew. A comment comes at least every 15 seconds, and says the position too. A client that does not read is cut off. The answer ends after a quarter of an hour at most, when the key is deleted or the session is over, and when the service stops; `EventSource` comes back by itself. At most 10 streams of a user and 200 of a process (429 `too_many_streams`).
         *
         *     Needs the scope `webhooks:read`.
         */
        get: operations["streamTriggers"];
        put?: never;
        post?: never;
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
        /**
         * Find a notification, with its record and why each webhook got it or not
         * @description Of several reasons why a webhook did not get it, `decisions` names the first of `webhook_disabled`, `not_subscribed`, `event_disabled` and `filtered`.
         *
         *     Needs the scope `webhooks:read`.
         */
        get: operations["findNotification"];
        put?: never;
        /**
         * Report a lifecycle event
         * @description Answered only after the notification and all its triggers are stored. No subscriber is no error.
         *
         *     Needs the scope `notifications:write`.
         */
        post: operations["notify"];
        /**
         * Erase what is stored of a record
         * @description The bodies of all notifications of the record that are stored when the call begins, and what was sent and answered. What is not delivered yet is cancelled; an attempt under way goes on, but nothing of its answer is stored. The rows stay, without the data. `record_id` is compared exactly. Repeating the call answers zeros; repeat it after a 503. Only a key with the scope `admin` may name another user.
         *
         *     Needs the scope `webhooks:write`.
         */
        delete: operations["eraseRecord"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notification/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List notifications, newest first
         * @description Each with the number of its triggers in each state. Notifications that no webhook got are listed too.
         *
         *     Needs the scope `webhooks:read`.
         */
        get: operations["listNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notification/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow notifications as they are accepted
         * @description Each event is a notification with the bytes that webhooks get, whether or not any does. Server-Sent Events, from every process within two seconds. Each has an `id`; sent back as `Last-Event-ID`, it brings what came since, possibly some of it again. Where that is not known any more, as after five minutes without any stream, the event `reset` comes first: read the list anew. A comment comes at least every 15 seconds, and says the position too. A client that does not read is cut off. The answer ends after a quarter of an hour at most, when the key is deleted or the session is over, and when the service stops; `EventSource` comes back by itself. At most 10 streams of a user and 200 of a process (429 `too_many_streams`).
         *
         *     Needs the scope `webhooks:read`.
         */
        get: operations["streamNotifications"];
        put?: never;
        post?: never;
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
    "/v1/webhook/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count attempts in steps of time
         * @description Attempts by the time of their end, from the step that `since` lies in to the step that `until` lies in: the last 24 hours unless given, in at most 1,500 steps, which begin in UTC. Without `id` all webhooks of the user, those that are gone included. Minutes are kept for 2 days, hours for 35 and days for 400. The counts are exact; the percentiles of the durations are within 5 %.
         *
         *     Needs the scope `webhooks:read`.
         */
        get: operations["findStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say who is calling
         * @description The user and the scopes of the key, of the session, or of the user of the application.
         */
        get: operations["findCaller"];
        put?: never;
        post?: never;
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
    "/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in to the console with an API key
         * @description Answers a cookie, for 12 hours, with which this browser may make every call that the key may. Only pages of the same origin may use it; others get 403 `cross_site`. Leaving and deleting the key end it. In place of the key, a link to the console has a `code`, which works once. Programs send the key itself.
         */
        post: operations["openSession"];
        /**
         * Log out
         * @description Ends the session at once and removes the cookie. Does nothing where there is none.
         */
        delete: operations["leaveSession"];
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
            query?: {
                id?: string;
                uid?: string;
                user_id?: string;
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
    putWebhook: {
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
                        filter?: unknown;
                    })[];
                    secret?: string;
                    /** @default null */
                    signature?: {
                        /** @enum {string} */
                        scheme: "standard" | "standard-asymmetric" | "stripe" | "github";
                    } | null;
                    uid: string;
                    /**
                     * @description Notes of your own, under names of up to 64 characters; null for none
                     * @default null
                     */
                    metadata?: {
                        [key: string]: string;
                    } | null;
                    settings?: {
                        timeout_ms?: number | null;
                        retry_schedule_seconds?: number[] | null;
                        concurrency?: number | null;
                        rate_per_second?: number | null;
                        ordering?: ("none" | "record") | null;
                        coalesce?: boolean | null;
                        auto_recover?: boolean | null;
                    } | null;
                    authentication?: ({
                        /** @constant */
                        type: "basic";
                        username: string;
                        password: string;
                    } | {
                        /** @constant */
                        type: "bearer";
                        token: string;
                    } | {
                        /** @constant */
                        type: "oauth2";
                        token_url: string;
                        client_id: string;
                        client_secret: string;
                        /** @default null */
                        scope?: (string & (unknown & unknown)) | null;
                        /** @default null */
                        audience?: string | null;
                    }) | null;
                    tls?: {
                        client_certificate?: string | null;
                        client_key?: string | null;
                        ca?: string | null;
                    } | null;
                    user_id?: string;
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
            /** @description The new webhook, with its secret */
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
                        filter?: unknown;
                    })[];
                    secret?: string;
                    /** @default null */
                    signature?: {
                        /** @enum {string} */
                        scheme: "standard" | "standard-asymmetric" | "stripe" | "github";
                    } | null;
                    /** @default null */
                    uid?: string | null;
                    /**
                     * @description Notes of your own, under names of up to 64 characters; null for none
                     * @default null
                     */
                    metadata?: {
                        [key: string]: string;
                    } | null;
                    settings?: {
                        timeout_ms?: number | null;
                        retry_schedule_seconds?: number[] | null;
                        concurrency?: number | null;
                        rate_per_second?: number | null;
                        ordering?: ("none" | "record") | null;
                        coalesce?: boolean | null;
                        auto_recover?: boolean | null;
                    } | null;
                    authentication?: ({
                        /** @constant */
                        type: "basic";
                        username: string;
                        password: string;
                    } | {
                        /** @constant */
                        type: "bearer";
                        token: string;
                    } | {
                        /** @constant */
                        type: "oauth2";
                        token_url: string;
                        client_id: string;
                        client_secret: string;
                        /** @default null */
                        scope?: (string & (unknown & unknown)) | null;
                        /** @default null */
                        audience?: string | null;
                    }) | null;
                    tls?: {
                        client_certificate?: string | null;
                        client_key?: string | null;
                        ca?: string | null;
                    } | null;
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
                        filter?: unknown;
                    })[];
                    uid?: string | null;
                    /** @description Notes of your own, under names of up to 64 characters; null for none */
                    metadata?: {
                        [key: string]: string;
                    } | null;
                    settings?: {
                        timeout_ms?: number | null;
                        retry_schedule_seconds?: number[] | null;
                        concurrency?: number | null;
                        rate_per_second?: number | null;
                        ordering?: ("none" | "record") | null;
                        coalesce?: boolean | null;
                        auto_recover?: boolean | null;
                    } | null;
                    signature?: {
                        /** @enum {string} */
                        scheme: "standard" | "standard-asymmetric" | "stripe" | "github";
                    } | null;
                    authentication?: ({
                        /** @constant */
                        type: "basic";
                        username: string;
                        password: string;
                    } | {
                        /** @constant */
                        type: "bearer";
                        token: string;
                    } | {
                        /** @constant */
                        type: "oauth2";
                        token_url: string;
                        client_id: string;
                        client_secret: string;
                        /** @default null */
                        scope?: (string & (unknown & unknown)) | null;
                        /** @default null */
                        audience?: string | null;
                    }) | null;
                    tls?: {
                        client_certificate?: string | null;
                        client_key?: string | null;
                        ca?: string | null;
                    } | null;
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
    findWebhookPublicKey: {
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
            /** @description Show the public key of a webhook that signs with a key pair */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookPublicKeyDto;
                };
            };
        };
    };
    findRecovery: {
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
            /** @description Find a recovery: its state, and how far it has come */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookRecoveryDto;
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
                    missed?: boolean;
                    /** @default 10 */
                    per_second?: number;
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
                    "application/json": WebhookRecoveryDto;
                };
            };
        };
    };
    stopRecovery: {
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
            /** @description Stop a recovery */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookRecoveryDto;
                };
            };
        };
    };
    listRecoveries: {
        parameters: {
            query?: {
                webhook_id?: string;
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
            /** @description List recoveries, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookRecoveryListDto;
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
                    /**
                     * @description Conditions on the record that a notification must meet, in the manner of MongoDB; null for none
                     * @default null
                     */
                    filter?: Record<string, never> | null;
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
                    enabled?: boolean;
                    /** @description Conditions on the record that a notification must meet, in the manner of MongoDB; null for none */
                    filter?: Record<string, never> | null;
                };
            };
        };
        responses: {
            /** @description Switch an event on or off, or change its filter */
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
    testFilter: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Conditions on the record that a notification must meet, in the manner of MongoDB; null for none */
                    filter: Record<string, never> | null;
                    record: {
                        [key: string]: any;
                    };
                };
            };
        };
        responses: {
            /** @description Try a filter on a record */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookFilterTestDto;
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
                    id?: string;
                    ids?: string[];
                };
            };
        };
        responses: {
            /** @description The trigger, or, for `ids`, how many are due */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookTriggerDetailDto | WebhookRetriedTriggersDto;
                };
            };
        };
    };
    streamTriggers: {
        parameters: {
            query?: {
                webhook_id?: string;
                event_kind?: string;
                status?: "PENDING" | "DELIVERING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
                user_id?: string;
            };
            header?: {
                /** @description The `id` of the last event, or comment, that was received */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events `trigger`, whose `data` is a `WebhookTriggerDto` as JSON on one line, and `reset` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: Xb0lq4yT2vJ8sZkP1cWmE6nUoRa3dGfH7iLxQ9tVwYzBjKpS
                     *     event: trigger
                     *     data: {"id":"019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42","notification_id":"019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42","webhook_id":"019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42","event_id":"019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42","event_kind":"RECORD_FINISHED","user_id":"acme","status":"SUCCEEDED","attempt_count":1,"begin":"2026-11-21T10:15:30.123Z","end":"2026-11-21T10:15:30.123Z","next_attempt_at":null,"request_data":{"method":"POST","url":"https://crm.example.com/hooks","headers":{"content-type":"application/json; charset=utf-8","X-Team":"risk","Authorization":"********"},"body":{"data":{"id":"rec_1","analysis":[{"id":"ana_1","status":"VALID"}]},"triggered_at":"2026-11-21T10:15:30.123Z","event_kind":"RECORD_FINISHED"}},"response_data":{"status":200,"headers":{"content-type":"text/plain"},"body":"thanks","truncated":false,"duration_ms":12},"error":null,"diagnosis":null}
                     */
                    "text/event-stream": string;
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
    findNotification: {
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
            /** @description Find a notification, with its record and why each webhook got it or not */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookNotificationDetailDto;
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
    eraseRecord: {
        parameters: {
            query: {
                record_id: string;
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Erase what is stored of a record */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookErasedDto;
                };
            };
        };
    };
    listNotifications: {
        parameters: {
            query?: {
                event_kind?: string;
                record_id?: string;
                since?: string;
                until?: string;
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
            /** @description List notifications, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookNotificationListDto;
                };
            };
        };
    };
    streamNotifications: {
        parameters: {
            query?: {
                event_kind?: string;
                user_id?: string;
            };
            header?: {
                /** @description The `id` of the last event, or comment, that was received */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events `notification`, whose `data` is a `WebhookStreamedNotificationDto` as JSON on one line, and `reset` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: Xb0lq4yT2vJ8sZkP1cWmE6nUoRa3dGfH7iLxQ9tVwYzBjKpS
                     *     event: notification
                     *     data: {"id":"019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42","event_kind":"RECORD_FINISHED","triggered_at":"2026-11-21T10:15:30.123Z","body":"{\"data\":{\"id\":\"rec_1\",\"analysis\":[{\"id\":\"ana_1\"}]},\"triggered_at\":\"2026-11-21T10:15:30.123Z\",\"event_kind\":\"RECORD_FINISHED\"}"}
                     */
                    "text/event-stream": string;
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
    findStatistics: {
        parameters: {
            query?: {
                id?: string;
                event_kind?: string;
                since?: string;
                until?: string;
                /** @description `hour` unless given */
                step?: "minute" | "hour" | "day";
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Count attempts in steps of time */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookStatisticsDto;
                };
            };
        };
    };
    findCaller: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Say who is calling */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookCallerDto;
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
    openSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description An API key
                     * @example whk_…
                     */
                    key?: string;
                    /** @description The code of a link to the console, in place of the key */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Log in to the console with an API key */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookSessionDto;
                };
            };
        };
    };
    leaveSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Log out */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": WebhookSessionLeftDto;
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
    receive_WEBHOOK_FAILING: {
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
                 *         "id": "019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42",
                 *         "webhook_id": "019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42",
                 *         "webhook_name": "CRM sync",
                 *         "url": "https://crm.example.com/hooks",
                 *         "failing_since": "2026-11-18T22:15:30.123Z",
                 *         "percent": 50,
                 *         "will_be_disabled_at": "2026-11-23T22:15:30.123Z"
                 *       },
                 *       "triggered_at": "2026-11-21T10:15:30.123Z",
                 *       "event_kind": "WEBHOOK_FAILING"
                 *     }
                 */
                "application/json": {
                    /** @description Another webhook fails, and is 25, 50 or 75 % of the way to being disabled for that. */
                    data: {
                        /** Format: uuid */
                        id: string;
                        /** Format: uuid */
                        webhook_id: string;
                        webhook_name: string;
                        /** @description Of the webhook; a query is masked */
                        url: string;
                        /** Format: date-time */
                        failing_since: string;
                        /** @enum {integer} */
                        percent: 25 | 50 | 75;
                        /**
                         * Format: date-time
                         * @description From then on the next failure disables it
                         */
                        will_be_disabled_at: string;
                    };
                    /** Format: date-time */
                    triggered_at: string;
                    /** @constant */
                    event_kind: "WEBHOOK_FAILING";
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
    receive_WEBHOOK_DISABLED: {
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
                 *         "id": "019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42",
                 *         "webhook_id": "019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42",
                 *         "webhook_name": "CRM sync",
                 *         "url": "https://crm.example.com/hooks",
                 *         "reason": "failing",
                 *         "disabled_at": "2026-11-21T10:15:30.123Z",
                 *         "failing_since": "2026-11-16T10:15:30.123Z"
                 *       },
                 *       "triggered_at": "2026-11-21T10:15:30.123Z",
                 *       "event_kind": "WEBHOOK_DISABLED"
                 *     }
                 */
                "application/json": {
                    /** @description Another webhook was disabled because of the answers of its receiver. */
                    data: {
                        /** Format: uuid */
                        id: string;
                        /** Format: uuid */
                        webhook_id: string;
                        webhook_name: string;
                        /** @description Of the webhook; a query is masked */
                        url: string;
                        /** @enum {string} */
                        reason: "gone" | "failing";
                        /** Format: date-time */
                        disabled_at: string;
                        /** Format: date-time */
                        failing_since: string | null;
                    };
                    /** Format: date-time */
                    triggered_at: string;
                    /** @constant */
                    event_kind: "WEBHOOK_DISABLED";
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
    receive_TRIGGER_FAILED: {
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
                 *         "id": "019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b46",
                 *         "webhook_id": "019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42",
                 *         "webhook_name": "CRM sync",
                 *         "url": "https://crm.example.com/hooks",
                 *         "notification_id": "019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b45",
                 *         "event_kind": "RECORD_FINISHED",
                 *         "attempt_count": 8,
                 *         "error": {
                 *           "code": "http_status",
                 *           "message": "The receiver answered 503."
                 *         },
                 *         "failed_at": "2026-11-21T10:15:30.123Z"
                 *       },
                 *       "triggered_at": "2026-11-21T10:15:30.123Z",
                 *       "event_kind": "TRIGGER_FAILED"
                 *     }
                 */
                "application/json": {
                    /** @description The last attempt of a trigger of another webhook failed. */
                    data: {
                        /** Format: uuid */
                        id: string;
                        /** Format: uuid */
                        webhook_id: string;
                        webhook_name: string;
                        /** @description Of the webhook; a query is masked */
                        url: string;
                        /** Format: uuid */
                        notification_id: string;
                        event_kind: string;
                        attempt_count: number;
                        error: {
                            code: string;
                            message: string;
                        };
                        /** Format: date-time */
                        failed_at: string;
                    };
                    /** Format: date-time */
                    triggered_at: string;
                    /** @constant */
                    event_kind: "TRIGGER_FAILED";
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
    receive_TRIGGER_RECOVERED: {
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
                 *         "id": "019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b46",
                 *         "webhook_id": "019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42",
                 *         "webhook_name": "CRM sync",
                 *         "url": "https://crm.example.com/hooks",
                 *         "notification_id": "019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b45",
                 *         "event_kind": "RECORD_FINISHED",
                 *         "attempt_count": 9,
                 *         "cause": "retry",
                 *         "recovered_at": "2026-11-21T10:15:30.123Z"
                 *       },
                 *       "triggered_at": "2026-11-21T10:15:30.123Z",
                 *       "event_kind": "TRIGGER_RECOVERED"
                 *     }
                 */
                "application/json": {
                    /** @description A trigger of another webhook that had failed was delivered after all. */
                    data: {
                        /** Format: uuid */
                        id: string;
                        /** Format: uuid */
                        webhook_id: string;
                        webhook_name: string;
                        /** @description Of the webhook; a query is masked */
                        url: string;
                        /** Format: uuid */
                        notification_id: string;
                        event_kind: string;
                        attempt_count: number;
                        /** @description Why the attempt that succeeded was made */
                        cause: string;
                        /** Format: date-time */
                        recovered_at: string;
                    };
                    /** Format: date-time */
                    triggered_at: string;
                    /** @constant */
                    event_kind: "TRIGGER_RECOVERED";
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
    WEBHOOK_FAILING: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Another webhook fails, and is 25, 50 or 75 % of the way to being disabled for that.
         * @description Any 2xx is success; redirects are not followed; 410 disables the webhook; 429 and 503 may ask for a later retry with Retry-After.
         */
        post: operations["receive_WEBHOOK_FAILING"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    WEBHOOK_DISABLED: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Another webhook was disabled because of the answers of its receiver.
         * @description Any 2xx is success; redirects are not followed; 410 disables the webhook; 429 and 503 may ask for a later retry with Retry-After.
         */
        post: operations["receive_WEBHOOK_DISABLED"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    TRIGGER_FAILED: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The last attempt of a trigger of another webhook failed.
         * @description Any 2xx is success; redirects are not followed; 410 disables the webhook; 429 and 503 may ask for a later retry with Retry-After.
         */
        post: operations["receive_TRIGGER_FAILED"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    TRIGGER_RECOVERED: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A trigger of another webhook that had failed was delivered after all.
         * @description Any 2xx is success; redirects are not followed; 410 disables the webhook; 429 and 503 may ask for a later retry with Retry-After.
         */
        post: operations["receive_TRIGGER_RECOVERED"];
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
/** @description A user name and a password (RFC 7617) */
export interface WebhookBasicAuthenticationDto {
    /** @enum {string} */
    type: "basic";
    /** @example webhooks */
    username: string;
    /** @example ******** */
    password: string;
}
/** @description A token that is always the same (RFC 6750) */
export interface WebhookBearerAuthenticationDto {
    /** @enum {string} */
    type: "bearer";
    /** @example ******** */
    token: string;
}
/** @description Access tokens of OAuth 2.0, got with client credentials (RFC 6749, 4.4) */
export interface WebhookOAuth2AuthenticationDto {
    /** @enum {string} */
    type: "oauth2";
    /** @example https://login.example.com/oauth2/token */
    token_url: string;
    /** @example webhooks */
    client_id: string;
    /** @example ******** */
    client_secret: string;
    /** @example hooks.write */
    scope: string | null;
    /** @example null */
    audience: string | null;
}
/** @description What the service shows and trusts in the TLS handshake with this receiver; PEM */
export interface WebhookTlsDto {
    /**
     * @example -----BEGIN CERTIFICATE-----
     *     …
     */
    client_certificate: string | null;
    /** @example ******** */
    client_key: string | null;
    /**
     * @description The authorities to trust instead of the public ones
     * @example null
     */
    ca: string | null;
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
    /**
     * @description Conditions on the record that a notification must meet; null for none
     * @example null
     */
    filter: {
        [key: string]: unknown;
    } | null;
}
/** @description How requests are signed */
export interface WebhookSignatureDto {
    /**
     * @example standard
     * @enum {string}
     */
    scheme: "standard" | "standard-asymmetric" | "stripe" | "github";
}
/** @description What a webhook sets for itself; null is the default of the service */
export interface WebhookSettingsDto {
    /**
     * @description Deadline of one attempt
     * @example 5000
     */
    timeout_ms: number | null;
    /**
     * @description Pauses before the second, third … attempt, before jitter
     * @example [
     *       10,
     *       60,
     *       600
     *     ]
     */
    retry_schedule_seconds: number[] | null;
    /**
     * @description Attempts under way at once, in each process
     * @example null
     */
    concurrency: number | null;
    /**
     * @description Attempts a second at most, over all processes; null is no limit
     * @example 50
     */
    rate_per_second: number | null;
    /**
     * @description `record`: the notifications of a record one at a time, in the order in which they were accepted
     * @example record
     * @enum {string|null}
     */
    ordering: "none" | "record" | null;
    /**
     * @description Of several undelivered notifications of a record and a kind only the newest is sent
     * @example null
     */
    coalesce: boolean | null;
    /**
     * @description Whether it is probed after the service has disabled it as `failing`; the first 2xx enables it and recovers what it missed
     * @example true
     */
    auto_recover: boolean | null;
}
/** @description What holds for a webhook: its own settings, and those of the service */
export interface WebhookEffectiveSettingsDto {
    /**
     * @description Deadline of one attempt
     * @example 5000
     */
    timeout_ms: number;
    /**
     * @description Pauses before the second, third … attempt, before jitter
     * @example [
     *       10,
     *       60,
     *       600
     *     ]
     */
    retry_schedule_seconds: number[];
    /**
     * @description Attempts under way at once, in each process
     * @example 10
     */
    concurrency: number;
    /**
     * @description Attempts a second at most, over all processes; null is no limit
     * @example 50
     */
    rate_per_second: number | null;
    /**
     * @description `record`: the notifications of a record one at a time, in the order in which they were accepted
     * @example record
     * @enum {string}
     */
    ordering: "none" | "record";
    /**
     * @description Of several undelivered notifications of a record and a kind only the newest is sent
     * @example false
     */
    coalesce: boolean;
    /**
     * @description Whether it is probed after the service has disabled it as `failing`; the first 2xx enables it and recovers what it missed
     * @example true
     */
    auto_recover: boolean;
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
     * Format: date-time
     * @description Until when its receiver is left alone; retries by hand and tests are sent all the same
     * @example null
     */
    paused_until: string | null;
    /**
     * @description When the previous signing secrets that still sign cease to, the newest first
     * @example []
     */
    previous_secrets_expire_at: string[];
    /**
     * @description A name of your own, unique for the user
     * @example crm-production
     */
    uid: string | null;
    /**
     * @description Notes of your own, which are sent to nobody
     * @example {
     *       "team": "risk"
     *     }
     */
    metadata: {
        [key: string]: string;
    };
    signature: WebhookSignatureDto;
    /**
     * @description How the service proves to the receiver who it is; secrets are answered as `********`
     * @example {
     *       "type": "bearer",
     *       "token": "********"
     *     }
     */
    authentication: WebhookBasicAuthenticationDto | WebhookBearerAuthenticationDto | WebhookOAuth2AuthenticationDto | null;
    /**
     * @description What the service shows and trusts in the TLS handshake; the key is answered as `********`
     * @example null
     */
    tls: WebhookTlsDto | null;
    /**
     * @description What the service cannot read, because an encryption key is missing or the row was damaged: shown as if there were none. Nothing is sent until these are given anew, `secret` by rotating it. Normally empty
     * @example []
     */
    unreadable: ("headers" | "authentication" | "tls" | "secret" | "settings")[];
    settings: WebhookSettingsDto;
    effective_settings: WebhookEffectiveSettingsDto;
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
     * @description Verifies the requests sent; with `standard-asymmetric` the public key, `whpk_` and base64
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
     * Format: date-time
     * @description Until when its receiver is left alone; retries by hand and tests are sent all the same
     * @example null
     */
    paused_until: string | null;
    /**
     * @description When the previous signing secrets that still sign cease to, the newest first
     * @example []
     */
    previous_secrets_expire_at: string[];
    /**
     * @description A name of your own, unique for the user
     * @example crm-production
     */
    uid: string | null;
    /**
     * @description Notes of your own, which are sent to nobody
     * @example {
     *       "team": "risk"
     *     }
     */
    metadata: {
        [key: string]: string;
    };
    signature: WebhookSignatureDto;
    /**
     * @description How the service proves to the receiver who it is; secrets are answered as `********`
     * @example {
     *       "type": "bearer",
     *       "token": "********"
     *     }
     */
    authentication: WebhookBasicAuthenticationDto | WebhookBearerAuthenticationDto | WebhookOAuth2AuthenticationDto | null;
    /**
     * @description What the service shows and trusts in the TLS handshake; the key is answered as `********`
     * @example null
     */
    tls: WebhookTlsDto | null;
    /**
     * @description What the service cannot read, because an encryption key is missing or the row was damaged: shown as if there were none. Nothing is sent until these are given anew, `secret` by rotating it. Normally empty
     * @example []
     */
    unreadable: ("headers" | "authentication" | "tls" | "secret" | "settings")[];
    settings: WebhookSettingsDto;
    effective_settings: WebhookEffectiveSettingsDto;
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
    /**
     * @description Verifies the requests sent; with `standard-asymmetric` the public key, `whpk_` and base64
     * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
     */
    secret: string;
}
/** @description The new signing secret, and until when the one before it signs as well */
export interface WebhookRotatedSecretDto {
    /**
     * @description Verifies the requests sent; with `standard-asymmetric` the public key, `whpk_` and base64
     * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
     */
    secret: string;
    /**
     * Format: date-time
     * @description Until then the previous secret signs as well; null where it does not
     * @example 2026-11-22T10:15:30.123Z
     */
    previous_expires_at: string | null;
}
/** @description What verifies the requests to a webhook that signs with a key pair */
export interface WebhookPublicKeyDto {
    /**
     * @description Ed25519: `whpk_` and base64 of 32 bytes (Standard Webhooks, `v1a`)
     * @example whpk_2Zr1kKn8gWxTn9lQpW4mT3yq0GQkR3v1d8S7uUeYcXo=
     */
    public_key: string;
}
/** @description Sending again what a webhook missed */
export interface WebhookRecoveryDto {
    /**
     * @description The same as `total`
     * @example 42
     */
    triggers: number;
    /**
     * Format: uuid
     * @description null on a dry run
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    id: string | null;
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    webhook_id: string;
    /**
     * @description `STOPPED` by a call, or because the webhook was disabled or deleted meanwhile; null on a dry run
     * @example RUNNING
     * @enum {string|null}
     */
    state: "RUNNING" | "DONE" | "STOPPED" | null;
    /**
     * @description Triggers that it is to make due. If there are some millions, the call answers those that it counted in three seconds; the total of a running recovery then goes on growing
     * @example 42
     */
    total: number;
    /**
     * @description Triggers that it has made due
     * @example 10
     */
    done: number;
    /**
     * Format: date-time
     * @example 2026-11-21T09:00:00.000Z
     */
    since: string;
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    until: string;
    /** @example false */
    missed: boolean;
    /** @example 10 */
    per_second: number;
    /**
     * Format: date-time
     * @description null on a dry run
     * @example 2026-11-21T10:15:30.123Z
     */
    begin: string | null;
    /**
     * Format: date-time
     * @description null until it is done or stopped
     * @example null
     */
    end: string | null;
}
/** @description A page of recoveries, newest first */
export interface WebhookRecoveryListDto {
    data: WebhookRecoveryDto[];
    /** @example AZqi4H1cfD6dCwx-Wh87Qi1xFkK3JrBEAWJ8qfusMvU */
    next_cursor: string | null;
}
/** @description What a filter says of a record */
export interface WebhookFilterTestDto {
    /** @example false */
    matches: boolean;
    /**
     * @description The part of the filter that does not match; null if all do
     * @example /analysis.status does not match
     */
    reason: string | null;
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
     * @description The JSON body sent, character for character; left out once it is gone
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
/** @description Why a trigger was not delivered */
export interface WebhookTriggerErrorDto {
    /**
     * @description That of the last attempt; `erased` if it was cancelled because its data was erased, `superseded` because a newer notification took its place
     * @example http_status
     */
    code: string;
    /** @example The receiver answered 503. */
    message: string;
}
/** @description What an error means, in plain words */
export interface WebhookDiagnosisDto {
    /** @example The receiver answered 503: it is overloaded or down for maintenance. */
    summary: string;
    /** @example Look at the logs and the load of your service. While the schedule lasts, the request is sent again. */
    advice: string;
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
    error: WebhookTriggerErrorDto | null;
    /** @example null */
    diagnosis: WebhookDiagnosisDto | null;
}
/** @description A page of triggers, newest first */
export interface WebhookTriggerListDto {
    data: WebhookTriggerDto[];
    /** @example AZqi4H1cfD6dCwx-Wh87Qi1xFkK3JrBEAWJ8qfusMvU */
    next_cursor: string | null;
}
/** @description Why an attempt failed */
export interface WebhookAttemptErrorDto {
    /** @example http_status */
    code: string;
    /** @example The receiver answered 503. */
    message: string;
}
/** @description One attempt to deliver */
export interface WebhookAttemptDto {
    /** @example 1 */
    number: number;
    /**
     * @description Why it was made; `probe` tests a receiver that was left alone after failures, or whose webhook was disabled for them
     * @example schedule
     * @enum {string}
     */
    cause: "schedule" | "retry" | "recover" | "probe" | "test";
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
    /** @example null */
    diagnosis: WebhookDiagnosisDto | null;
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
    error: WebhookTriggerErrorDto | null;
    /** @example null */
    diagnosis: WebhookDiagnosisDto | null;
    /** @description The newest 20, the last one last */
    attempts: WebhookAttemptDto[];
}
/** @description A trigger that was not retried */
export interface WebhookSkippedTriggerDto {
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b47
     */
    id: string;
    /**
     * @example trigger_delivering
     * @enum {string}
     */
    code: "not_found" | "trigger_delivering" | "payload_gone" | "user_moved";
}
/** @description What became of a request to retry many triggers */
export interface WebhookRetriedTriggersDto {
    /**
     * @description Triggers that are due now
     * @example 1
     */
    triggers: number;
    /** @description The others */
    skipped: WebhookSkippedTriggerDto[];
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
/** @description How many triggers are in each state */
export interface WebhookTriggerCountsDto {
    /** @example 0 */
    pending: number;
    /** @example 0 */
    delivering: number;
    /** @example 2 */
    succeeded: number;
    /** @example 1 */
    failed: number;
    /** @example 0 */
    cancelled: number;
}
/** @description A lifecycle event that was reported */
export interface WebhookNotificationDto {
    /**
     * Format: uuid
     * @description Sent to the receivers as webhook-id
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b45
     */
    id: string;
    /** @example acme */
    user_id: string;
    /** @example RECORD_FINISHED */
    event_kind: string;
    /**
     * @description The `id` of the record
     * @example rec_1
     */
    record_id: string | null;
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    triggered_at: string;
    /**
     * Format: date-time
     * @description When the record was erased
     * @example null
     */
    erased_at: string | null;
    triggers: WebhookTriggerCountsDto;
}
/** @description A page of notifications, newest first */
export interface WebhookNotificationListDto {
    data: WebhookNotificationDto[];
    /** @example AZqi4H1cfD6dCwx-Wh87Qi1xFkK3JrBEAWJ8qfusMvU */
    next_cursor: string | null;
}
/** @description Whether a webhook got a notification, and if not, why */
export interface WebhookDecisionDto {
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    webhook_id: string;
    /**
     * @description null if the webhook is deleted
     * @example CRM sync
     */
    name: string | null;
    /**
     * @example triggered
     * @enum {string}
     */
    outcome: "triggered" | "webhook_disabled" | "not_subscribed" | "event_disabled" | "filtered";
    /**
     * @description For `filtered`: the part of the filter that did not match
     * @example /analysis.status does not match
     */
    reason?: string;
    /**
     * Format: uuid
     * @description null unless it is triggered
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b46
     */
    trigger_id: string | null;
}
/** @description A lifecycle event that was reported, and what was decided about each webhook */
export interface WebhookNotificationDetailDto {
    /**
     * Format: uuid
     * @description Sent to the receivers as webhook-id
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b45
     */
    id: string;
    /** @example acme */
    user_id: string;
    /** @example RECORD_FINISHED */
    event_kind: string;
    /**
     * @description The `id` of the record
     * @example rec_1
     */
    record_id: string | null;
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    triggered_at: string;
    /**
     * Format: date-time
     * @description When the record was erased
     * @example null
     */
    erased_at: string | null;
    triggers: WebhookTriggerCountsDto;
    /**
     * @description The record as it is sent, character for character; null once it is erased or past its retention
     * @example {
     *       "id": "rec_1",
     *       "analysis": [
     *         {
     *           "id": "ana_1",
     *           "status": "VALID"
     *         }
     *       ]
     *     }
     */
    data: {
        [key: string]: unknown;
    } | null;
    /** @description One for each webhook that the user had then; deleted ones are left out unless they were triggered */
    decisions: WebhookDecisionDto[];
}
/** @description An accepted notification, as a stream shows it */
export interface WebhookStreamedNotificationDto {
    /**
     * Format: uuid
     * @example 019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42
     */
    id: string;
    /** @example RECORD_FINISHED */
    event_kind: string;
    /**
     * Format: date-time
     * @example 2026-11-21T10:15:30.123Z
     */
    triggered_at: string;
    /**
     * @description What webhooks get, byte for byte
     * @example {"data":{"id":"rec_1","analysis":[{"id":"ana_1"}]},"triggered_at":"2026-11-21T10:15:30.123Z","event_kind":"RECORD_FINISHED"}
     */
    body: string;
}
/** @description What was erased */
export interface WebhookErasedDto {
    /**
     * @description Notifications of the record
     * @example 3
     */
    notifications: number;
    /**
     * @description Their triggers
     * @example 5
     */
    triggers: number;
    /**
     * @description Triggers that were not delivered yet, and are CANCELLED now
     * @example 1
     */
    cancelled: number;
}
/** @description The attempts that ended in one step */
export interface WebhookStatisticsStepDto {
    /**
     * @description `succeeded` and `failed` together
     * @example 20
     */
    attempts: number;
    /**
     * @description Answered with a 2xx
     * @example 17
     */
    succeeded: number;
    /** @example 3 */
    failed: number;
    /**
     * @description Triggers that ended FAILED
     * @example 1
     */
    exhausted: number;
    /**
     * @description Attempts by HTTP status, or by the error's code where there was no answer. Beyond 100 codes, statuses that are not registered are counted together, as `2xx` or `other`
     * @example {
     *       "200": 17,
     *       "503": 2,
     *       "timeout": 1
     *     }
     */
    by_code: {
        [key: string]: number;
    };
    /**
     * @description Median duration within 5 %; null without attempts
     * @example 41
     */
    p50_ms: number | null;
    /** @example 380 */
    p95_ms: number | null;
    /** @example 15000 */
    p99_ms: number | null;
    /**
     * Format: date-time
     * @example 2026-11-21T10:00:00.000Z
     */
    begin: string;
}
/** @description How many attempts were made, and how they ended */
export interface WebhookAttemptCountsDto {
    /**
     * @description `succeeded` and `failed` together
     * @example 20
     */
    attempts: number;
    /**
     * @description Answered with a 2xx
     * @example 17
     */
    succeeded: number;
    /** @example 3 */
    failed: number;
    /**
     * @description Triggers that ended FAILED
     * @example 1
     */
    exhausted: number;
    /**
     * @description Attempts by HTTP status, or by the error's code where there was no answer. Beyond 100 codes, statuses that are not registered are counted together, as `2xx` or `other`
     * @example {
     *       "200": 17,
     *       "503": 2,
     *       "timeout": 1
     *     }
     */
    by_code: {
        [key: string]: number;
    };
    /**
     * @description Median duration within 5 %; null without attempts
     * @example 41
     */
    p50_ms: number | null;
    /** @example 380 */
    p95_ms: number | null;
    /** @example 15000 */
    p99_ms: number | null;
}
/** @description The attempts that ended in a span of time */
export interface WebhookStatisticsDto {
    /** @description Each step, the first one first, also where nothing ended */
    data: WebhookStatisticsStepDto[];
    /** @description All steps together */
    total: WebhookAttemptCountsDto;
}
/** @description Who is calling */
export interface WebhookCallerDto {
    /**
     * @description The user that calls act for
     * @example acme
     */
    user_id: string;
    /**
     * @example [
     *       "webhooks:read",
     *       "webhooks:write"
     *     ]
     */
    scopes: ("webhooks:read" | "webhooks:write" | "notifications:write" | "admin")[];
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
/** @description A new session. What identifies it is in the cookie */
export interface WebhookSessionDto {
    /**
     * @description The user that calls act for
     * @example acme
     */
    user_id: string;
    /**
     * @example [
     *       "webhooks:read",
     *       "webhooks:write"
     *     ]
     */
    scopes: ("webhooks:read" | "webhooks:write" | "notifications:write" | "admin")[];
    /**
     * Format: date-time
     * @example 2026-11-21T22:15:30.123Z
     */
    expires_at: string;
}
/** @description The answer to leaving */
export interface WebhookSessionLeftDto {
    /** @example true */
    left: boolean;
}
