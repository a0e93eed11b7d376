// `npm run rotate-key`: a new SECRET_KEY decrypts the database, and the old one no longer does, while nodes keep running.
import { createAudit, operatorActor } from '../audit/index.ts'
import { systemClock } from '../platform/clock.ts'
import { runCommand, say } from '../platform/process/command.ts'
import { readConfig, type Config } from '../platform/process/config.ts'
import type { Database, Db } from '../platform/db.ts'
import { createLogger } from '../platform/log.ts'
import { trySessionLockSql } from '../platform/locks/locks.ts'
import { openOperatorDatabase } from '../storage/operator-database.ts'
import { addSecretKey, keepOnlySecretKey } from '../platform/security/root-key.ts'
import { replaceKeyFile, requireRootKey, requireSecretKey } from '../platform/security/secret-key.ts'
import { createSecrets } from '../platform/security/secrets.ts'
import { StartFailure } from '../platform/process/start-failure.ts'
import { transaction } from '../platform/transaction.ts'

const usage = `Usage: npm run rotate-key
         with a key file (DATA_DIR/secret.key): makes a new key, puts it into the file, and ends the old one
       SECRET_KEY=old NEW_SECRET_KEY=new npm run rotate-key
         with SECRET_KEY: lets the new key decrypt the database beside the old one
       SECRET_KEY=new npm run rotate-key -- --finish
         ends every other key, once all nodes have the new one
Set DATABASE_URL and DATA_DIR as the gateway has them, and run this as the account that the gateway runs as.`

/** Writes an audit entry in the transaction of the change it describes. */
type Record = (tx: Db, action: string) => Promise<void>

async function recorder(db: Db, config: Config): Promise<Record> {
  const secrets = createSecrets(await requireRootKey(db, config))
  const audit = createAudit({ db, clock: systemClock, secrets, log: createLogger('error') })
  return (tx, action) =>
    audit.record(tx, { actor: operatorActor, ip: '', action, objectType: 'secret-key', objectId: '' })
}

async function finish(db: Db, record: Record, secretKey: string): Promise<number> {
  return transaction(db, async (tx) => {
    const count = await keepOnlySecretKey(tx, secretKey)
    if (count > 0) await record(tx, 'secret-key.retire')
    return count
  })
}

function add(db: Db, record: Record, presentKey: string, newKey: string): Promise<void> {
  return transaction(db, async (tx) => {
    await addSecretKey(tx, presentKey, newKey)
    await record(tx, 'secret-key.add')
  })
}

/**
 * The new key counts from the moment the file contains it. When the command is killed before, the old key still counts, and
 * the command can be run again.
 */
async function rotateFile(db: Db, record: Record, config: Config): Promise<void> {
  const presentKey = await requireSecretKey(config)
  const newKey = await replaceKeyFile(config, (key) => add(db, record, presentKey, key))
  await finish(db, record, newKey)
  say(
    'secret.key holds a new key, and the old one decrypts nothing any more. Nodes that run need no restart.',
  )
  say('Back the new secret.key up, apart from the database, and destroy the copies of the old one.')
}

function newKeyOf(environment: NodeJS.ProcessEnv): string {
  const key = environment['NEW_SECRET_KEY']?.trim() ?? ''
  if (key === '')
    throw new StartFailure('NEW_SECRET_KEY is missing: give the key that is to take the place of SECRET_KEY.')
  // The rule of SECRET_KEY itself; the value is never repeated.
  return readConfig({ SECRET_KEY: key }).secretKey ?? key
}

/**
 * Throws StartFailure while another rotation of this database is under way. Two rotations would each end the other's key,
 * one of which is the key in the file.
 */
async function alone(pool: Database['pool'], work: () => Promise<void>): Promise<void> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ is_locked: boolean }>(trySessionLockSql('secretKeyRotation'))
    if (rows[0]?.is_locked !== true)
      throw new StartFailure(
        'Another rotate-key runs on this database. Nothing was changed. Wait for its end.',
      )
    await work()
  } finally {
    // The lock ends with the session.
    client.release(true)
  }
}

async function rotateOn(
  db: Db,
  config: Config,
  { isFinish, newKey }: { isFinish: boolean; newKey: string | undefined },
): Promise<void> {
  const { secretKey } = config
  const record = await recorder(db, config)
  if (isFinish) {
    const count = await finish(db, record, await requireSecretKey(config))
    say(
      count === 0
        ? 'No other key decrypts this database.'
        : 'The old key decrypts nothing any more. Destroy its copies.',
    )
  } else if (secretKey === undefined) await rotateFile(db, record, config)
  else {
    await add(db, record, secretKey, newKey ?? '')
    say(
      'Both keys decrypt the database now. Give every node the new one as SECRET_KEY, and restart them when it suits.',
    )
    say('Then end the old one: SECRET_KEY=new npm run rotate-key -- --finish')
  }
}

async function rotate(isFinish: boolean): Promise<number> {
  const config = readConfig(process.env)
  const newKey = isFinish || config.secretKey === undefined ? undefined : newKeyOf(process.env)
  const storage = await openOperatorDatabase(config)
  try {
    const { db, pool } = storage.database
    await alone(pool, () => rotateOn(db, config, { isFinish, newKey }))
    return 0
  } finally {
    await storage.close()
  }
}

await runCommand({
  usage,
  options: { finish: { type: 'boolean' } },
  run: ({ values }) => rotate(values.finish === true),
})
