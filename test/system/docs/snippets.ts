import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { DocBlock } from '../../docs/doc-blocks.js';

const ROOT = join(import.meta.dirname, '../../..');
const PACKAGES = join(ROOT, 'node_modules');

/** A received request. A header is undefined if it was not sent. */
export interface SignedRequest {
  secret: string;
  id: string | undefined;
  timestamp: string | undefined;
  signature: string | undefined;
  body: Buffer;
}

/** How a program ended, and its output. Programs print nothing except complaints. */
export interface Ending {
  code: number | null;
  complaint: string;
}

/** How to run snippets of a language. A command is a program and its arguments. */
interface Language {
  /** A command that succeeds if the language is installed. */
  probe: string[];
  /** The file that the snippet is written to. */
  file: string;
  /**
   * Passes the request to the snippet: the headers in the variables `WEBHOOK_ID`, `WEBHOOK_TIMESTAMP` and
   * `WEBHOOK_SIGNATURE`, the secret in `WEBHOOK_SECRET`, the body on standard input. Exits with 0 for a valid request,
   * with 1 for a refused one, and with anything else, or a complaint, if it breaks.
   */
  files: Record<string, string>;
  /** Runs once before the first run, to compile or check types. */
  prepare?: string[];
  run: string[];
}

const typescript: Language = {
  probe: [process.execPath, '--version'],
  file: 'verify.ts',
  files: {
    'package.json': '{ "type": "module" }',
    'main.ts': `
      import { buffer } from 'node:stream/consumers';
      import { verify } from './verify.ts';

      const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
      const variable = (name: string) => process.env[name.toUpperCase().replace('-', '_')];
      const headers = Object.fromEntries(names.map((name) => [name, variable(name)]));
      process.exitCode = verify(process.env.WEBHOOK_SECRET!, headers, await buffer(process.stdin)) ? 0 : 1;`,
  },
  prepare: [process.execPath, join(PACKAGES, 'typescript/bin/tsc')].concat(
    ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node'],
    ['--skipLibCheck', '--allowImportingTsExtensions', '--erasableSyntaxOnly', 'main.ts'],
  ),
  // Older versions of Node warn that type stripping is experimental.
  run: [process.execPath, '--disable-warning=ExperimentalWarning', 'main.ts'],
};

const python: Language = {
  probe: ['python3', '--version'],
  file: 'verify.py',
  files: {
    'main.py': `
import os, sys
from verify import verify

names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
variables = {name: os.environ.get(name.upper().replace("-", "_")) for name in names}
headers = {name: value for name, value in variables.items() if value is not None}
sys.exit(0 if verify(os.environ["WEBHOOK_SECRET"], headers, sys.stdin.buffer.read()) is True else 1)`,
  },
  run: ['python3', '-B', '-W', 'error', 'main.py'],
};

const go: Language = {
  probe: ['go', 'version'],
  file: 'webhook/verify.go',
  files: {
    'go.mod': 'module snippet\n\ngo 1.19\n',
    'main.go': `package main

import (
	"errors"
	"io"
	"net/http"
	"os"
	"snippet/webhook"
	"strings"
)

func main() {
	header := http.Header{}
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		variable := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if value, isSet := os.LookupEnv(variable); isSet {
			header.Set(name, value)
		}
	}
	body, _ := io.ReadAll(os.Stdin)
	if err := webhook.Verify(os.Getenv("WEBHOOK_SECRET"), header, body); errors.Is(err, webhook.ErrNotVerified) {
		os.Exit(1)
	} else if err != nil {
		panic(err)
	}
}
`,
  },
  prepare: ['sh', '-c', 'go vet ./... && go build -o main .'],
  run: ['./main'],
};

const php: Language = {
  probe: ['php', '--version'],
  file: 'verify.php',
  files: {
    'main.php': `<?php
require 'verify.php';
$server = [];
foreach (['WEBHOOK_ID', 'WEBHOOK_TIMESTAMP', 'WEBHOOK_SIGNATURE'] as $name) {
    if (getenv($name) !== false) $server["HTTP_$name"] = getenv($name);
}
exit(verify_webhook(getenv('WEBHOOK_SECRET'), $server, file_get_contents('php://stdin')) ? 0 : 1);`,
  },
  run: ['php', '-d', 'error_reporting=-1', '-d', 'display_errors=stderr', 'main.php'],
};

const ruby: Language = {
  probe: ['ruby', '--version'],
  file: 'verify.rb',
  files: {
    'main.rb': `
require_relative 'verify'

headers = %w[webhook-id webhook-timestamp webhook-signature].to_h { |name| [name, ENV[name.upcase.tr('-', '_')]] }
exit verify_webhook(ENV.fetch('WEBHOOK_SECRET'), headers.compact, $stdin.binmode.read)`,
  },
  run: ['ruby', '-w', 'main.rb'],
};

const bash: Language = {
  probe: ['bash', '-c', 'openssl version'],
  file: 'verify.sh',
  files: {
    'main.sh': `set -eu -o pipefail
source ./verify.sh
verify_webhook "$WEBHOOK_SECRET" "\${WEBHOOK_ID-}" "\${WEBHOOK_TIMESTAMP-}" "\${WEBHOOK_SIGNATURE-}"`,
  },
  run: ['bash', 'main.sh'],
};

/** The supported languages, by the word after the fence. */
export const languages: Record<string, Language> = { ts: typescript, python, go, php, ruby, bash };

/** Whether the language is installed on this machine. */
export function isInstalled(language: string): boolean {
  const [program = '', ...args] = languages[language]?.probe ?? [];
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

/** A snippet as a program in its own folder. */
export class SnippetProgram {
  private readonly folder = mkdtempSync(join(tmpdir(), 'webhook-snippet-'));
  private readonly language: Language;

  /** @throws Error if the language is not supported. */
  constructor({ language: name, code }: DocBlock) {
    const language = languages[name];
    if (!language) throw new Error(`Nothing is known about how to run "${name}".`);
    this.language = language;
    for (const [file, content] of Object.entries({ ...language.files, [language.file]: code })) {
      const path = join(this.folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    symlinkSync(PACKAGES, join(this.folder, 'node_modules'));
  }

  /** Compiles the snippet or checks its types, if its language has such a step. */
  async prepare(): Promise<Ending> {
    const { prepare } = this.language;
    return prepare ? this.execute(prepare, process.env, '') : { code: 0, complaint: '' };
  }

  verify({ secret, id, timestamp, signature, body }: SignedRequest): Promise<Ending> {
    const headers = { WEBHOOK_ID: id, WEBHOOK_TIMESTAMP: timestamp, WEBHOOK_SIGNATURE: signature };
    return this.execute(this.language.run, { ...process.env, WEBHOOK_SECRET: secret, ...headers }, body);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async execute(command: string[], env: NodeJS.ProcessEnv, input: string | Buffer): Promise<Ending> {
    const [program = '', ...args] = command;
    const child = spawn(program, args, { cwd: this.folder, env });
    // A snippet that refuses a request by its headers does not read the body.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const [[code], ...printed] = await Promise.all([
      once(child, 'close'),
      text(child.stdout),
      text(child.stderr),
    ]);
    return { code, complaint: printed.join('') };
  }
}
