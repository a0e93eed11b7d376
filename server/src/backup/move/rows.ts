// The rows of one table on their way from database to database, and their comparison. PostgreSQL's binary form of COPY is
// the same in each version and on each machine, and it keeps the order of the rows of a table that was empty.
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { Writable } from 'node:stream'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { MovedTable } from './contents.ts'

const reading = ({ name, columns }: MovedTable) =>
  copyTo(`copy ${name} (${columns}) to stdout (format binary)`)

/** Copies a table in one transaction, unless it is there: a move that is begun again goes on behind what it has. */
export async function copyRows(source: pg.Pool, target: pg.Pool, table: MovedTable): Promise<void> {
  const { name, columns } = table
  const { rows } = await target.query<{ is_there: boolean }>(
    `select exists (select from ${name}) as is_there`,
  )
  if (rows[0]?.is_there === true) return
  await onClients([source, target], async ([from, to]) => {
    // In the transaction that emptied it, rows can be written as old ones, which nothing has to freeze later.
    await to.query(`begin; truncate ${name}`)
    const writing = copyFrom(`copy ${name} (${columns}) from stdin (format binary, freeze)`)
    await pipeline(from.query(reading(table)), to.query(writing))
    await to.query('commit')
  })
}

/** How many rows both have; undefined when they differ in one byte or in the order. */
export async function compareRows(
  source: pg.Pool,
  target: pg.Pool,
  table: MovedTable,
): Promise<number | undefined> {
  return onClients([source, target], async (clients) => {
    const [one, other] = await Promise.all(clients.map((client) => digestOf(client, table)))
    return one?.hash === other?.hash ? one?.count : undefined
  })
}

async function digestOf(client: pg.PoolClient, table: MovedTable) {
  const hash = createHash('sha256')
  const stream = client.query(reading(table))
  const adding = new Writable({
    write(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done()
    },
  })
  await pipeline(stream, adding)
  return { hash: hash.digest('hex'), count: stream.rowCount }
}

/** Runs work on a connection of each pool. */
async function onClients<T>(
  pools: readonly [pg.Pool, pg.Pool],
  work: (clients: readonly [pg.PoolClient, pg.PoolClient]) => Promise<T>,
): Promise<T> {
  const from = await pools[0].connect()
  const to = await pools[1].connect().catch((error: Error) => {
    from.release()
    throw error
  })
  let isWhole = false
  try {
    // A reading that begins in the middle of a table would change the order.
    for (const client of [from, to]) await client.query('set synchronize_seqscans = off')
    const done = await work([from, to])
    isWhole = true
    return done
  } finally {
    // A connection that failed in a COPY is of no use.
    for (const client of [from, to]) client.release(!isWhole)
  }
}
