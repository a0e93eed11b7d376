// kill -9 of the whole program while CDR files are written and delivered: at no destination is ever a half file, and every
// record is in one file, which is repeated until it is there.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, watch } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, inject, test } from 'vitest'
import type { CdrFile } from '@tollgate/contract/cdr/cdr.ts'
import { fillRecords } from '../test/traffic/fill.ts'
import { openTestDatabase } from '../test/environment/database.ts'
import { onTestDatabase, signedIn, startProgram, temporaryFolder } from '../test/environment/program.ts'
import { openS3Server, s3Keys } from '../test/stand-ins/s3-server.ts'
import { openSftpServer, sftpPassword } from '../test/stand-ins/sftp-server.ts'

const records = 8_000
const admin = { username: 'admin', password: 'correct horse battery' }
// Nothing that changes when the gateway completes what nobody takes: written again, a file has the same bytes.
const columns =
  'messageId,createdAt,phoneNumber,name,sender,range,client,gateway,smsCount,bill,rate,amountUsd,period'

const { db, pool, address } = await openTestDatabase()
const cdrDir = await temporaryFolder()
const environment = {
  ...(await onTestDatabase(address.database, inject('postgresHost'), admin)),
  CDR_DIR: cdrDir,
}

/** Runs the program, and kills it when `arm` says so; `arm` gives what ends its looking. */
async function killedWhen(arm: (isThere: () => void) => () => void): Promise<void> {
  let isOver: () => void = () => undefined
  const moment = new Promise<void>((resolve) => (isOver = resolve))
  let kill: () => void = () => undefined
  const disarm = arm(() => {
    kill()
    isOver()
  })
  const program = await startProgram('main', environment)
  kill = () => program.kill('SIGKILL')
  await moment
  disarm()
  kill()
  await program.exited
}

test('kill -9 while files go to a folder, to S3 and over SFTP: none is half, each comes, all records are in one', async () => {
  const [s3, sftp] = [await openS3Server(), await openSftpServer()]
  await mkdir(join(cdrDir, 'out'))
  await fillRecords(pool, { records, days: 10, now: new Date(), clients: 5, numbers: 50 })
  // Few records, and yet more than one part.
  await sql`update numbers set description = repeat('x', 900)`.execute(db)
  const first = await startProgram('main', environment)
  await first.ready
  const call = await signedIn(first, admin.username, admin.password)
  const add = (name: string, destination: object, secret = '') =>
    call<{ id: string }>('POST', '/api/cdr-schedules', {
      name,
      every: 'day',
      format: 'csv',
      columns,
      destination,
      ...(secret !== '' && { secret }),
    })
  const schedules = [
    await add('folder', { type: 'folder', path: 'out' }),
    await add(
      's3',
      {
        type: 's3',
        endpoint: s3.url,
        region: 'eu-central-1',
        bucket: 'records',
        path: 'in',
        accessKeyId: s3Keys.accessKeyId,
      },
      s3Keys.secretAccessKey,
    ),
    await add(
      'sftp',
      {
        type: 'sftp',
        host: '127.0.0.1',
        port: sftp.port,
        username: 'cdr',
        path: '/in',
        hostKey: sftp.hostKey,
        signIn: 'password',
      },
      sftpPassword,
    ),
  ]
  // What is at a destination under a final name is whole, whenever one looks.
  const seen = new Map<string, Set<string>>()
  const see = (name: string, content: Buffer) => {
    const hashes = seen.get(name) ?? new Set()
    seen.set(name, hashes.add(createHash('sha256').update(content).digest('hex')))
  }
  const out = join(cdrDir, 'out')
  const look = () => {
    for (const name of readdirSync(out)) if (!name.endsWith('.part')) see(name, readFileSync(join(out, name)))
    for (const [key, content] of s3.objects) see(key.split('/').at(-1) ?? '', content)
    for (const [name, content] of sftp.files)
      if (!name.endsWith('.part')) see(name.split('/').at(-1) ?? '', content)
  }
  s3.onStored = look
  first.kill('SIGKILL')
  await first.exited
  await sql`update cdr_schedules set position = '0', period_from = '2020-01-01',
    period_to = clock_timestamp() - interval '6 s'`.execute(db)

  // In the copy into the folder, between two parts, in the middle of SFTP; other files are written meanwhile.
  await killedWhen((isThere) => {
    const watcher = watch(out, () => isThere())
    return () => watcher.close()
  })
  look()
  await killedWhen((isThere) => {
    s3.onPart = (_, number) => number === 1 && isThere()
    return () => (s3.onPart = () => undefined)
  })
  look()
  await killedWhen((isThere) => {
    sftp.onWrite = (offset) => offset > 500_000 && isThere()
    return () => (sftp.onWrite = () => undefined)
  })
  look()

  const last = await startProgram('main', environment)
  await last.ready
  const again = await signedIn(last, admin.username, admin.password)
  for (const { id } of schedules) {
    const files = () => again<CdrFile[]>('GET', `/api/cdr-schedules/${id}/files`)
    await expect
      .poll(async () => (await files()).map(({ state, recordCount }) => [state, recordCount]), {
        timeout: 240_000,
      })
      .toEqual([['delivered', records]])
    look()
    const [file] = await files()
    const name = file?.name ?? ''
    expect([...(seen.get(name) ?? [])]).toEqual([file?.sha256])
    expect(seen.get(`${name}.json`)?.size).toBe(1)
  }
  const name = readdirSync(out).find((each) => each.endsWith('.csv')) ?? ''
  const ids = readFileSync(join(out, name), 'utf8')
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.slice(0, 26))
  expect([ids.length, new Set(ids).size]).toEqual([records, records])
  expect(readdirSync(out).filter((each) => each.endsWith('.part'))).toEqual([])
  expect(s3.uploads.size).toBe(0)
  last.kill('SIGTERM')
  await last.exited
})
