const MAX_NAMES = 10_000;
/** A server that says 0 means "do not keep this", and would be asked for each of a burst of connections. */
const MIN_TTL = 1;
const MAX_TTL = 300;

/** What names resolved to, for as long as that holds; of too many names, those asked for last. */
export class AnswerCache {
  private readonly answers = new Map<string, { addresses: string[]; until: number }>();

  /** @param now milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  get(hostname: string): string[] | undefined {
    const answer = this.answers.get(hostname);
    if (answer === undefined) return undefined;
    // A map keeps the order of insertion: the first is the one that was not asked for the longest.
    this.answers.delete(hostname);
    if (answer.until <= this.now()) return undefined;
    this.answers.set(hostname, answer);
    return answer.addresses;
  }

  /** @param ttl seconds, kept between 1 and 300. */
  set(hostname: string, addresses: string[], ttl: number): void {
    this.answers.delete(hostname);
    if (this.answers.size >= MAX_NAMES) this.answers.delete(this.answers.keys().next().value as string);
    const seconds = Math.min(Math.max(ttl, MIN_TTL), MAX_TTL);
    this.answers.set(hostname, { addresses, until: this.now() + seconds * 1000 });
  }
}
