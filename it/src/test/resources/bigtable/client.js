// What a program in Node does with tables; prints what it finds, a line for each step.
const {Bigtable} = require('@google-cloud/bigtable');

async function main() {
  const bigtable = new Bigtable({projectId: 'project'});
  const instance = bigtable.instance('instance');
  const table = instance.table('node');

  await table.create({families: [{name: 'f', rule: {versions: 2}}], splits: [Buffer.from('m')]});
  const [tables] = await instance.getTables();
  console.log('tables', tables.map(each => each.id).filter(id => id === 'node').join());

  await table.insert([
    {key: 'a', data: {f: {name: 'Ada', n: 1}}},
    {key: 'b', data: {f: {name: 'Bob'}}},
    {key: 'z', data: {f: {name: 'Zoe'}}},
  ]);
  const [row] = await table.row('a').get(['f:name']);
  console.log('row', row.f.name[0].value);
  const [rows] = await table.getRows({start: 'b', end: 'z'});
  console.log('rows', rows.map(each => each.id).join());
  const [filtered] = await table.getRows({filter: [{value: /.*o.*/}]});
  console.log('filtered', filtered.map(each => each.id).join());

  const [matched] = await table.row('a').filter({value: 'Ada'}, {
    onMatch: [{method: 'insert', data: {f: {seen: 'yes'}}}],
  });
  console.log('matched', matched);
  await table.row('a').increment('f:count', 40);
  await table.row('a').increment('f:count', 2);
  const [counted] = await table.row('a').get(['f:count']);
  console.log('count', counted.f.count[0].value);

  await table.createFamily('g', {rule: {age: {seconds: 3600, nanos: 0}, versions: 5, union: true}});
  const [families] = await table.getFamilies();
  console.log('families', families.map(each => each.id).sort().join());

  await table.deleteRows('b');
  const [left] = await table.getRows();
  console.log('left', left.map(each => each.id).join());
  await table.delete();
  const [exists] = await table.exists();
  console.log('exists', exists);
}

main().catch(problem => {
  console.error(problem);
  process.exit(1);
});
