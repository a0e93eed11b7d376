// What cdr.test.ts and cdr.long.test.ts stand on.
import { rm } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach } from 'vitest'
import { openTestCdr } from '../../../test/traffic/cdr.ts'
import { s3Keys } from '../../../test/stand-ins/s3-server.ts'

export const s3To = (url: string) => ({
  destination: {
    type: 's3',
    endpoint: url,
    region: 'eu-central-1',
    bucket: 'records',
    path: 'cdr/acme',
    accessKeyId: s3Keys.accessKeyId,
  },
  secret: s3Keys.secretAccessKey,
})

export async function openCdrEnvironment() {
  const world = await openTestCdr()
  const { db, folder, call, add, store, start, stop, endPeriod, hurry, files, delivered, egress } = world

  afterEach(async () => {
    await stop()
    await sql`delete from cdr_schedules`.execute(db)
    await rm(join(folder, 'out'), { recursive: true, force: true })
  })

  const inFolder = (path: string) => (name: string) => readFileSync(join(folder, path, name))
  return {
    world,
    db,
    folder,
    call,
    add,
    store,
    start,
    stop,
    endPeriod,
    hurry,
    files,
    delivered,
    egress,
    inFolder,
  }
}
