import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

/** Names of what a run makes begin like this, followed by its process id. */
const PREFIX = 'whc';

const ip = (...words: string[]) =>
  execFileSync('ip', words, { stdio: ['ignore', 'pipe', 'pipe'] }).toString();

/** Whether this process may make networks, on a system that has them. */
export const canMakeNetworks = () => {
  try {
    ip('netns', 'list');
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
};

/** Hosts of one test on a network of their own, each of which can be cut off. They exist on this machine alone. */
export class Network {
  private readonly name = `${PREFIX}${process.pid}`;
  private readonly hosts: string[] = [];
  /** The first three bytes of all addresses. One network of a machine at a time. */
  private readonly base: string;

  constructor() {
    removeAbandoned();
    this.base = `10.213.${process.pid % 250}`;
    ip('link', 'add', this.name, 'type', 'bridge');
    ip('addr', 'add', `${this.base}.1/24`, 'dev', this.name);
    ip('link', 'set', this.name, 'up');
  }

  /** @returns its name, for {@link inside}, and its address. */
  add(): { host: string; address: string } {
    const number = this.hosts.length + 2;
    const host = `${this.name}n${number}`;
    const address = `${this.base}.${number}`;
    this.hosts.push(host);
    ip('netns', 'add', host);
    ip('link', 'add', host, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', host);
    ip('link', 'set', host, 'master', this.name);
    ip('link', 'set', host, 'up');
    ip('-n', host, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    ip('-n', host, 'link', 'set', 'eth0', 'up');
    ip('-n', host, 'link', 'set', 'lo', 'up');
    return { host, address };
  }

  /** Words that run a program on a host; its process id is that of the command. */
  inside = (host: string): string[] => ['netns', 'exec', host];

  /** No packet reaches a host, or leaves it. Nobody is told. */
  cutOff(host: string): void {
    ip('link', 'set', host, 'down');
  }

  connect(host: string): void {
    ip('link', 'set', host, 'up');
  }

  close(): void {
    for (const host of this.hosts) ip('netns', 'del', host);
    ip('link', 'del', this.name);
  }
}

/** What runs that were killed have left behind. */
function removeAbandoned(): void {
  const isAbandoned = (name: string) => {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)`).exec(name) ?? [];
    return pid !== undefined && !readdirSync('/proc').includes(pid);
  };
  const spaces = ip('netns', 'list')
    .split('\n')
    .flatMap((line) => line.split(' ')[0] ?? []);
  for (const space of spaces.filter(isAbandoned)) ip('netns', 'del', space);
  // A host's link goes with its namespace, a moment later.
  const bridges = readdirSync('/sys/class/net').filter((name) => isAbandoned(name) && !/n\d+$/.test(name));
  for (const bridge of bridges) ip('link', 'del', bridge);
}
