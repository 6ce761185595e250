import { describe, expect, it } from '@jest/globals';
import type { ServerFacts } from './server-facts.js';
import { judgeServer } from './server-judgement.js';

const SOUND = {
  version: '10.11.19-MariaDB-0+deb12u1',
  read_only: 'OFF',
  innodb_read_only: 'OFF',
  innodb_flush_log_at_trx_commit: '1',
  log_bin: 'ON',
  sync_binlog: '1',
  sql_mode: 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION',
  max_allowed_packet: '16777216',
  character_set_client: 'utf8mb4',
  character_set_connection: 'utf8mb4',
  character_set_results: 'utf8mb4',
  wsrep_on: 'OFF',
  wsrep_provider: 'none',
  wsrep_sync_wait: '0',
};
const GALERA = { wsrep_on: 'ON', wsrep_provider: '/usr/lib/libgalera_smm.so', wsrep_sync_wait: '7' };

interface Given extends Partial<Omit<ServerFacts, 'variables' | 'status'>> {
  status?: Record<string, string>;
}

const judge = (variables: Record<string, string>, { status = {}, ...given }: Given = {}) =>
  judgeServer({
    refusesWrites: false,
    hasJsonTable: true,
    ...given,
    variables: new Map(Object.entries({ ...SOUND, ...variables })),
    status: new Map(Object.entries(status)),
  });

const none = { refusals: [], warnings: [] };
const warned = (...patterns: RegExp[]) => ({
  refusals: [],
  warnings: patterns.map((pattern) => expect.stringMatching(pattern)),
});

describe('the judgement of a database server', () => {
  it('finds nothing wrong with a sound one, nor with one that says nothing', () => {
    expect(judge({})).toEqual(none);
    expect(judge({ version: '8.0.16', super_read_only: 'OFF', character_set_results: '' })).toEqual(none);
    expect(judge({ ...GALERA }, { status: { wsrep_ready: 'ON', wsrep_cluster_status: 'Primary' } })).toEqual(
      none,
    );
    const silent = { variables: new Map(), status: new Map(), refusesWrites: null, hasJsonTable: null };
    expect(judgeServer(silent)).toEqual(none);
  });

  it.each([
    ['10.5.29-MariaDB', /version, 10\.5\.29-MariaDB, that is not supported\. Use MariaDB from 10\.6\.0/],
    ['8.0.15', /Use MySQL from 8\.0\.16/],
    ['5.7.44-log', /Use MySQL from 8\.0\.16/],
    ['8.0.11-TiDB-v7.5.0', /not supported/],
  ])('warns of the version %s', (version, warning) => {
    expect(judge({ version })).toEqual(warned(warning));
  });

  it.each(['10.6.0-MariaDB', '11.0.2-MariaDB', '8.0.16', '8.4.0', '9.1.0-commercial', 'unheard-of'])(
    'takes the version %s',
    (version) => {
      expect(judge({ version })).toEqual(none);
    },
  );

  it('tells a server that takes no writes from one that takes them from this user only', () => {
    const replica = { read_only: 'ON', super_read_only: 'ON' };
    expect(judge(replica, { refusesWrites: true })).toEqual(
      warned(
        /^takes no writes \(read_only, super_read_only\).*let the URL of the database lead to the primary/,
      ),
    );
    expect(judge({}, { refusesWrites: true })).toEqual(warned(/^takes no writes, like a replica/));
    expect(judge(replica)).toEqual(
      warned(/^is read-only \(read_only, super_read_only\).*right to override.*without SUPER/),
    );
    expect(judge(replica, { refusesWrites: null })).toEqual(none);
  });

  it.each([
    ['0', /wsrep_sync_wait is 0\)\. Set wsrep_sync_wait = 7 on each node/],
    ['1', /wsrep_sync_wait is 1/],
    ['6', /wsrep_sync_wait is 6/],
  ])('warns of a Galera node whose wsrep_sync_wait is %s', (wait, warning) => {
    expect(judge({ ...GALERA, wsrep_sync_wait: wait })).toEqual(warned(warning));
    expect(judge({ wsrep_on: 'ON', wsrep_sync_wait: wait })).toEqual(none);
  });

  it('takes wsrep_sync_wait with further bits', () => {
    expect(judge({ ...GALERA, wsrep_sync_wait: '15' })).toEqual(none);
  });

  it('warns once of a Galera node outside of its cluster', () => {
    const status = { wsrep_ready: 'OFF', wsrep_cluster_status: 'non-Primary' };
    expect(judge(GALERA, { status, refusesWrites: true })).toEqual(
      warned(/wsrep_ready OFF, wsrep_cluster_status non-Primary.*restore the quorum/),
    );
    expect(judge(GALERA, { status: { wsrep_ready: 'ON', wsrep_cluster_status: 'non-Primary' } })).toEqual(
      warned(/non-Primary/),
    );
  });

  it.each(['0', '2'])('warns of commits that a crash loses: %s', (flush) => {
    expect(judge({ innodb_flush_log_at_trx_commit: flush })).toEqual(
      warned(new RegExp(`innodb_flush_log_at_trx_commit is ${flush}\\)\\. Set it to 1`)),
    );
  });

  it('warns of a binary log that is not synced, if there is one', () => {
    expect(judge({ sync_binlog: '0' })).toEqual(warned(/sync_binlog is 0\)\. Set it to 1/));
    expect(judge({ sync_binlog: '0', log_bin: 'OFF' })).toEqual(none);
  });

  it('warns of a server that takes less at a time than the largest notification', () => {
    expect(judge({ max_allowed_packet: '1048576' })).toEqual(
      warned(
        /^takes 1048576 bytes at a time \(max_allowed_packet\).*512 KiB are refused\. Set max_allowed_packet to/,
      ),
    );
    expect(judge({ max_allowed_packet: '4194304' })).toEqual(none);
  });

  it('warns of a mode without errors', () => {
    expect(judge({ sql_mode: '' })).toEqual(warned(/Add STRICT_TRANS_TABLES/));
    expect(judge({ sql_mode: 'STRICT_ALL_TABLES' })).toEqual(none);
  });

  it.each([
    ['JSON_TABLE', judge({}, { hasJsonTable: false }), /does not know JSON_TABLE.*Use MySQL from 8\.0\.16/],
    ['quotes', judge({ sql_mode: 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES' }), /NO_BACKSLASH_ESCAPES.*Remove/],
    [
      'latin1',
      judge({ character_set_client: 'latin1' }),
      /latin1 \(character_set_client\).*Set charset: 'utf8mb4'/,
    ],
    ['utf8mb3', judge({ character_set_results: 'utf8mb3' }), /utf8mb3 \(character_set_results\)/],
    ['blanks', judge({ sql_mode: 'PAD_CHAR_TO_FULL_LENGTH,STRICT_ALL_TABLES' }), /PAD_CHAR_.*Remove that/],
  ])('refuses a server on which it cannot work: %s', (_what, judgement, refusal) => {
    expect(judgement).toEqual({ refusals: [expect.stringMatching(refusal)], warnings: [] });
  });
});
