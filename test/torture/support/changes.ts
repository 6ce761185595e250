import { Agent, request } from 'undici';

const GIVE_UP_MS = 10_000;
const AGAIN_MS = 50;

/** Reports the changes of many records: those of a record one after another, each until it is accepted. */
export class Changes {
  accepted = 0;
  repeated = 0;
  private readonly agent = new Agent({ headersTimeout: GIVE_UP_MS, connections: 64 });
  private turn = 0;

  constructor(
    private readonly urls: string[],
    private readonly key: string,
    private readonly userId: string,
  ) {}

  async report(records: number, changes: number): Promise<void> {
    await Promise.all(
      Array.from({ length: records }, (_, record) => this.changesOf(`rec_${record}`, changes)),
    );
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  private async changesOf(record: string, changes: number): Promise<void> {
    for (let change = 1; change <= changes; change++) {
      while (!(await this.isAccepted(record, change))) {
        this.repeated++;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
      this.accepted++;
    }
  }

  /** Each try goes to the next process. The idempotency key lets it count once, whatever became of the last one. */
  private async isAccepted(record: string, change: number): Promise<boolean> {
    const url = this.urls[this.turn++ % this.urls.length];
    try {
      const { statusCode, body } = await request(`${url}/v1/notification`, {
        dispatcher: this.agent,
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.key}`,
          'content-type': 'application/json',
          'idempotency-key': `${this.userId}-${record}-${change}`,
        },
        body: JSON.stringify({
          event_kind: 'RECORD_FINISHED',
          user_id: this.userId,
          record: { id: record, change, analysis: [] },
        }),
      });
      await body.dump();
      return statusCode === 202;
    } catch {
      return false;
    }
  }
}
