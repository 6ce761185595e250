import type { IncomingMessage } from 'node:http';
import { CountingReceiver } from '../../torture/support/receiver.js';

/** Counts deliveries, and tells which message each is of: its record has the message's id. */
export class MessageReceiver extends CountingReceiver {
  /** The `webhook-id`s under which each message has come. More than one says that it was stored more than once. */
  readonly messages = new Map<string, Set<string>>();
  /** When each message came first, in epoch milliseconds. */
  readonly firstAt = new Map<string, number>();

  constructor() {
    super();
    this.server.on('request', (request: IncomingMessage) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.once('end', () => {
        const { data } = JSON.parse(Buffer.concat(chunks).toString());
        this.note(data.id, String(request.headers['webhook-id']));
      });
    });
  }

  static override async start(): Promise<MessageReceiver> {
    const receiver = new MessageReceiver();
    await receiver.listen();
    return receiver;
  }

  private note(messageId: string, webhookId: string): void {
    if (!this.firstAt.has(messageId)) this.firstAt.set(messageId, Date.now());
    this.messages.set(messageId, (this.messages.get(messageId) ?? new Set()).add(webhookId));
  }
}
