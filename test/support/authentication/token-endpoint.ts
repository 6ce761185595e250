import { type ReceivedRequest, Receiver, type Reply } from '../receiver.js';

/** The answer with a token. */
export const tokenReply = (access_token: string, more: object = {}): Reply => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ access_token, token_type: 'Bearer', expires_in: 3600, ...more }),
});

/** The fields of a request for a token. */
export const formOf = ({ body }: ReceivedRequest) => Object.fromEntries(new URLSearchParams(body.toString()));

/** A token endpoint that numbers its tokens: `s3cret-token-1`, and so on. */
export class TokenEndpoint extends Receiver {
  override async listen(): Promise<void> {
    await super.listen();
    this.issue();
  }

  /** @param more fields of each answer. */
  issue(more: object = {}): void {
    this.respondWith(() => tokenReply(`s3cret-token-${this.requests.length}`, more));
  }
}
