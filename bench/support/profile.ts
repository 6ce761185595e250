import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TOP = Number(process.env.BENCH_PROFILE_LINES ?? 25);
const require = createRequire(import.meta.url);
const EXIT_HOOK = new URL('./profile-exit.js', import.meta.url).href;

interface CallFrame {
  functionName: string;
  url: string;
  lineNumber: number;
}

interface CpuProfile {
  nodes: { id: number; callFrame: CallFrame }[];
  samples: number[];
  timeDeltas: number[];
}

/** Collects the CPU profiles of one run of the service. */
export class Profiler {
  private readonly folder = mkdtempSync(join(tmpdir(), 'webhook-bench-profile-'));

  readonly nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${this.folder}`, '--import', EXIT_HOOK];

  /** Prints how each thread spent its time. */
  print(title: string): void {
    for (const file of readdirSync(this.folder)) {
      const profile = JSON.parse(readFileSync(join(this.folder, file), 'utf8')) as CpuProfile;
      console.log(`\n${title}: ${file.replace(/^CPU\.\d+\.\d+\./, 'thread ')}\n${summarise(profile)}`);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The functions with the most self time, as shares of the thread's busy time. */
function summarise({ nodes, samples, timeDeltas }: CpuProfile): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byFunction = new Map<string, number>();
  const byPlace = new Map<string, number>();
  let busy = 0;
  let all = 0;
  for (const [index, sample] of samples.entries()) {
    const frame = frames.get(sample);
    const ms = (timeDeltas[index] ?? 0) / 1000;
    all += ms;
    if (!frame || frame.functionName === '(idle)' || frame.functionName === '(root)') continue;
    const place = placeOf(frame);
    const name = `${frame.functionName || '(anonymous)'}  ${place}`;
    byFunction.set(name, (byFunction.get(name) ?? 0) + ms);
    byPlace.set(packageOf(place), (byPlace.get(packageOf(place)) ?? 0) + ms);
    busy += ms;
  }
  const lines = (times: Map<string, number>, top: number) =>
    [...times]
      .sort(([, a], [, b]) => b - a)
      .slice(0, top)
      .map(
        ([name, ms]) =>
          `${((ms / busy) * 100).toFixed(1).padStart(6)} %${ms.toFixed(0).padStart(7)} ms  ${name}`,
      )
      .join('\n');
  return `busy for ${busy.toFixed(0)} of ${all.toFixed(0)} ms, boot and shutdown included\n${lines(byFunction, TOP)}\nby package:\n${lines(byPlace, TOP / 2)}`;
}

function placeOf({ url, lineNumber }: CallFrame): string {
  if (url === '') return '(native)';
  const path = url.startsWith('file:') ? fileURLToPath(url) : url;
  const line = lineNumber + 1;
  const place = (path.endsWith('.cjs') && inSources(path, line)) || `${path}:${line}`;
  return place.replace(/^.*\/node_modules\//, '').replace(/^.*\/dist-bench\/|^node_modules\//, '');
}

/** Of a line of the bundle. */
function inSources(path: string, line: number): string | null {
  const places = join(dirname(path), 'places.cjs');
  return existsSync(places) ? require(places).placeOf(basename(path), line) : null;
}

/** `src/engine`, `undici`, `@nestjs/core`, `node:net`. */
const packageOf = (place: string) => /^(src\/[^/]+|@[^/]+\/[^/]+|node:[^/]+|[^/]+)/.exec(place)?.[0] ?? place;
