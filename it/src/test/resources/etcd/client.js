// Drives the package etcd3 against the server at the URL that is its argument, and prints a line for
// each thing that it found. In the middle it prints "restart" and waits for a line of input, while
// the server is started anew.
'use strict';

const { Etcd3 } = require('etcd3');
const readline = require('node:readline');

const input = readline.createInterface({ input: process.stdin });
const lines = input[Symbol.asyncIterator]();
const say = (what, found) => console.log(`${what}: ${found}`);
const client = new Etcd3({ hosts: process.argv[2], grpcOptions: { 'grpc.max_reconnect_backoff_ms': 200 } });

async function until(what, holds) {
  const end = Date.now() + 20_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`${what} did not happen within 20 s`);
    await new Promise(done => setTimeout(done, 20));
  }
}

// Whatever is asked while connections are made anew may fail.
async function again(attempt) {
  const end = Date.now() + 20_000;
  for (;;) {
    try {
      return await attempt();
    } catch (problem) {
      if (Date.now() > end) throw problem;
      await new Promise(done => setTimeout(done, 50));
    }
  }
}

async function keys() {
  await client.put('p/a').value('1');
  await client.put('p/b').value('2');
  say('get', await client.get('p/a').string());
  say('absent', await client.get('none').string());
  say('all', JSON.stringify(await client.getAll().prefix('p/').strings()));
  const { deleted } = await client.delete().key('p/b');
  say('deleted', deleted);
}

async function transactions() {
  const taken = await client
    .if('p/a', 'Value', '==', '1')
    .then(client.put('p/c').value('then'), client.get('p/a'))
    .else(client.put('p/c').value('else'))
    .commit();
  say('txn', `${taken.succeeded} ${await client.get('p/c').string()}`);
  const other = await client
    .if('p/a', 'Version', '>', 7)
    .then(client.put('p/c').value('then'))
    .else(client.get('p/c'))
    .commit();
  say('txn otherwise', `${other.succeeded} ${other.responses[0].response_range.kvs[0].value}`);
  let refused = 'nothing';
  try {
    await client.if('p/a', 'Value', '==', '1').then(client.put('x').value(1), client.put('x').value(2)).commit();
  } catch (problem) {
    refused = problem.constructor.name;
  }
  say('duplicate', refused);
}

async function leases() {
  const lease = client.lease(60);
  await lease.put('leased').value('x');
  const { TTL } = await client.leaseClient.leaseTimeToLive({ ID: await lease.grant(), keys: false });
  say('lease', Number(TTL) > 50);
  await lease.revoke();
  say('revoked', await client.get('leased').string());
}

async function locks() {
  const lock = client.lock('mutex').ttl(30);
  await lock.acquire();
  let second = 'acquired';
  try {
    await client.lock('mutex').acquire();
  } catch (problem) {
    second = problem.constructor.name;
  }
  say('second lock', second);
  await lock.release();
  say('lock', await client.lock('mutex').do(async () => 'done'));
}

async function elections() {
  const election = client.election('office', 30);
  const campaign = election.campaign('me');
  await new Promise((done, fail) => campaign.on('elected', done).on('error', fail));
  say('leader', await election.leader());
  const observer = await election.observe();
  await until('the observation', () => observer.leader() !== undefined);
  say('observed', observer.leader());
  await observer.cancel();
  await campaign.resign();
  say('resigned', (await election.leader()) === undefined);
}

async function main() {
  await keys();
  await transactions();
  await leases();
  await locks();
  await elections();

  const told = [];
  const watcher = await client.watch().prefix('w/').create();
  watcher.on('put', kv => told.push(`+${kv.key}=${kv.value}`)).on('delete', kv => told.push(`-${kv.key}`));
  const kept = client.lease(60);
  await kept.put('w/kept').value('0');
  await until('the first event', () => told.length === 1);
  console.log('restart');
  await lines.next();
  await again(() => client.put('w/a').value('1'));
  await again(() => client.delete().key('w/a'));
  await until('the events after the restart', () => told.some(event => event === '-w/a'));
  say('watched', [...new Set(told)].join(' '));
  say('kept', await again(() => client.get('w/kept').string()));
  await again(() => kept.revoke());
  await until('the end of the lease', () => told.includes('-w/kept'));
  say('ended', await client.get('w/kept').string());
  await watcher.cancel();
}

main()
  .catch(problem => {
    console.log(`failed: ${problem.stack}`);
    process.exitCode = 1;
  })
  .finally(() => {
    client.close();
    input.close();
  });
