// Puts the bundled workflows and the node Load Target into this n8n, or takes them out, with n8n's own database drivers.
// It notes in n8n's table of settings what it put in, and takes out nothing else: a workflow that users imported
// themselves stays theirs, whatever its id.
// Main and the other roles run it before n8n starts, by `beforeStart` of the chart n8n-tuned:
//   seed    import what is missing or differs, and activate it unless it could crash n8n by itself
//   node    only the node package, for workers and webhook processors
//   remove  take both out
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const { tmpdir } = require('node:os');
const { delimiter, dirname, join } = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const mode = process.argv[2];
const NOTE = 'n8n-tuned.load-targets';
/** Files of a ConfigMap lie side by side: `__` in a name stands for a slash. */
const source = __dirname;
const bundled = (prefix) => fs.readdirSync(source).filter((file) => file.startsWith(`${prefix}__`));
const n8nFolder = join(process.env.N8N_USER_FOLDER, '.n8n');
const packageFolder = join(n8nFolder, 'nodes/node_modules/n8n-nodes-load-target');

/** n8n's own modules: they lie beside its program, wherever the image keeps it. */
function requireFromN8n(name) {
  const program = process.env.PATH.split(delimiter)
    .map((folder) => join(folder, 'n8n'))
    .find((file) => fs.existsSync(file));
  if (program === undefined) throw new Error('the image has no program n8n in its PATH');
  return createRequire(fs.realpathSync(program))(name);
}

/** A database of the release starts beside n8n: it is waited for, rather than left to restarts that back off. */
async function connected(newClient) {
  const patientUntil = Date.now() + 60_000;
  // No name yet, no listener yet, still starting; or a proxy is there, and what it leads to is not.
  const soon = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', '57P03', 'ECONNRESET'];
  const isSoon = ({ code, message }) =>
    soon.includes(code) || message === 'Connection terminated unexpectedly';
  for (;;) {
    const client = newClient();
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (!isSoon(error) || Date.now() > patientUntil) throw error;
      await sleep(500);
    }
  }
}

/** A variable, or the content of the file that NAME_FILE names, as n8n reads them. */
function given(name) {
  const file = process.env[`${name}_FILE`];
  return process.env[name] ?? (file ? fs.readFileSync(file, 'utf8').trim() : undefined);
}

/** One way to ask both databases: `?` stands for a parameter. */
async function openDatabase() {
  const env = process.env;
  if (env.DB_TYPE === 'postgresdb') {
    const { Client } = requireFromN8n('pg');
    const encrypted = env.DB_POSTGRESDB_SSL_ENABLED === 'true';
    const settings = {
      host: env.DB_POSTGRESDB_HOST,
      port: Number(env.DB_POSTGRESDB_PORT),
      database: env.DB_POSTGRESDB_DATABASE,
      user: env.DB_POSTGRESDB_USER,
      password: given('DB_POSTGRESDB_PASSWORD'),
      connectionTimeoutMillis: 20_000,
      ssl: encrypted && {
        ca: given('DB_POSTGRESDB_SSL_CA'),
        cert: given('DB_POSTGRESDB_SSL_CERT'),
        key: given('DB_POSTGRESDB_SSL_KEY'),
        rejectUnauthorized: env.DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED !== 'false',
      },
    };
    const client = await connected(() => new Client(settings));
    await client.query(`set search_path to "${env.DB_POSTGRESDB_SCHEMA}"`);
    let count = 0;
    const numbered = (sql) => ((count = 0), sql.replace(/\?/g, () => `$${++count}`));
    return {
      rows: async (sql, values) => (await client.query(numbered(sql), values)).rows,
      columns: async (table) =>
        (
          await client.query(
            'select column_name from information_schema.columns where table_name = $1 and table_schema = $2',
            [table, env.DB_POSTGRESDB_SCHEMA],
          )
        ).rows.map((row) => row.column_name),
      close: () => client.end(),
    };
  }
  const file = join(n8nFolder, env.DB_SQLITE_DATABASE || 'database.sqlite');
  if (!fs.existsSync(file)) return null;
  const sqlite3 = requireFromN8n('sqlite3');
  const database = new sqlite3.Database(file);
  const rows = (sql, values = []) =>
    new Promise((resolve, reject) =>
      database.all(sql, values, (error, found) => (error ? reject(error) : resolve(found))),
    );
  await rows('pragma busy_timeout = 20000');
  await rows('pragma foreign_keys = on');
  return {
    rows,
    columns: async (table) => (await rows(`pragma table_info("${table}")`)).map((row) => row.name),
    close: () => new Promise((resolve) => database.close(resolve)),
  };
}

const table = (name) => (process.env.DB_TABLE_PREFIX || '') + name;
const marks = (values) => values.map(() => '?').join(', ');
const parsed = (value) => (typeof value === 'string' ? JSON.parse(value) : value);
const same = (a, b) => JSON.stringify(parsed(a)) === JSON.stringify(parsed(b));

function bundledWorkflows() {
  return ['active', 'inactive'].flatMap((state) =>
    bundled(`workflows__${state}`).map((file) => ({
      ...JSON.parse(fs.readFileSync(join(source, file), 'utf8')),
      active: state === 'active',
    })),
  );
}

/** Ids this script seeded before; null where n8n has not made its tables yet. */
async function seededIds(database) {
  if (database === null || (await database.columns(table('settings'))).length === 0) return null;
  const [note] = await database.rows(`select value from ${table('settings')} where key = ?`, [
    NOTE,
  ]);
  return note ? JSON.parse(note.value) : [];
}

/** Those of the bundled workflows that are missing, or ours and changed or inactive. */
async function outdated(database, wanted) {
  const seeded = await seededIds(database);
  if (seeded === null) return wanted;
  const keys = wanted.map(({ id }) => id);
  const found = await database.rows(
    `select id, active, nodes, connections from ${table('workflow_entity')} where id in (${marks(keys)})`,
    keys,
  );
  return wanted.filter((workflow) => {
    const row = found.find(({ id }) => String(id) === String(workflow.id));
    if (row === undefined) return true;
    // One that a user switched on although it may crash n8n stays on.
    const intact =
      (row.active || !workflow.active) &&
      same(row.nodes, workflow.nodes) &&
      same(row.connections, workflow.connections);
    if (intact) return false;
    if (seeded.includes(workflow.id)) return true;
    console.log(`load targets: workflow ${workflow.id} is a user's own, left as it is`);
    return false;
  });
}

async function seed() {
  installNode();
  const wanted = bundledWorkflows();
  let database = await openDatabase();
  if ((await seededIds(database)) === null) {
    // Any command makes the tables.
    await database?.close();
    n8n('list:workflow');
    database = await openDatabase();
  }
  const missing = await outdated(database, wanted);
  const keys = missing.map(({ id }) => id);
  // Before they are brought in: whatever interrupts this, the next run knows them for its own.
  await note(database, [...new Set([...(await seededIds(database)), ...keys])]);
  await database.close();
  if (missing.length === 0) return console.log('load targets: all there already');

  const folder = fs.mkdtempSync(join(tmpdir(), 'load-targets-'));
  for (const workflow of missing) {
    const file = join(folder, `${workflow.id}.json`);
    fs.writeFileSync(file, JSON.stringify({ ...workflow, active: false }));
  }
  n8n('import:workflow', '--separate', `--input=${folder}`);
  fs.rmSync(folder, { recursive: true });

  database = await openDatabase();
  const live = missing.filter(({ active }) => active).map(({ id }) => id);
  const columns = await database.columns(table('workflow_entity'));
  // Since 2.0 a workflow is live by its published version; before, by a flag alone.
  const publish = columns.includes('activeVersionId')
    ? 'active = true, "activeVersionId" = "versionId"'
    : 'active = true';
  if (live.length > 0) {
    await database.rows(
      `update ${table('workflow_entity')} set ${publish} where id in (${marks(live)})`,
      live,
    );
  }
  await database.close();
  console.log(`load targets: ${keys.length} workflows seeded, ${live.length} of them active`);
}

function n8n(...args) {
  const { status } = spawnSync('n8n', args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`n8n ${args[0]} failed; its words are above`);
}

async function note(database, ids) {
  await database.rows(`delete from ${table('settings')} where key = ?`, [NOTE]);
  if (ids.length === 0) return;
  await database.rows(
    `insert into ${table('settings')} (key, value, "loadOnStartup") values (?, ?, false)`,
    [NOTE, JSON.stringify(ids)],
  );
}

/** Writes real files: those of a ConfigMap are links, from which n8n loads no package. */
function installNode() {
  for (const file of bundled('package')) {
    const path = join(packageFolder, ...file.split('__').slice(1));
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, fs.readFileSync(join(source, file)));
  }
}

async function remove() {
  fs.rmSync(packageFolder, { recursive: true, force: true });
  const database = await openDatabase();
  const ids = (await seededIds(database)) ?? [];
  if (ids.length > 0) {
    await database.rows('begin');
    // What is published holds its workflow; n8n below 2.0 knows neither.
    if ((await database.columns(table('workflow_published_version'))).length > 0) {
      await database.rows(
        `delete from ${table('workflow_published_version')} where "workflowId" in (${marks(ids)})`,
        ids,
      );
    }
    if ((await database.columns(table('workflow_entity'))).includes('activeVersionId')) {
      await database.rows(
        `update ${table('workflow_entity')} set "activeVersionId" = null where id in (${marks(ids)})`,
        ids,
      );
    }
    await database.rows(
      `delete from ${table('webhook_entity')} where "workflowId" in (${marks(ids)})`,
      ids,
    );
    await database.rows(`delete from ${table('workflow_entity')} where id in (${marks(ids)})`, ids);
    await note(database, []);
    await database.rows('commit');
    console.log(`load targets: ${ids.length} workflows taken out`);
  }
  await database?.close();
}

const actions = { seed, node: async () => installNode(), remove };
actions[mode]().catch((error) => {
  console.error(`load targets: ${error.message}`);
  process.exit(1);
});
