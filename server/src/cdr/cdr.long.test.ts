// Files of a schedule: whole, in order, each record once, whatever fails on the way.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { idsIn } from '../../test/traffic/cdr.ts'
import { eventually } from '../../test/environment/eventually.ts'
import { openS3Server } from '../../test/stand-ins/s3-server.ts'
import { openSftpServer, sftpPassword } from '../../test/stand-ins/sftp-server.ts'
import type { Egress } from '../platform/security/egress.ts'
import { openCdrEnvironment, s3To } from './testing/cdr-environment.ts'

const { folder, call, add, store, start, stop, endPeriod, hurry, files, delivered, egress, inFolder } =
  await openCdrEnvironment()

test('records of several periods are in one file each, late ones in the next; nothing before the schedule', async () => {
  await store(2)
  const { id } = await add()
  await start()
  const first = await store(3)
  await endPeriod()
  await delivered(id, 1)
  // A record that was created long before it was stored.
  const late = await store(2, { createdAtMs: Date.now() - 7_200_000 })
  await endPeriod()
  const made = await delivered(id, 2)
  const lists = made.toReversed().map(({ name }) => idsIn(inFolder('out'), name))
  expect(lists.flat()).toEqual([...first, ...late])
  expect(lists[0]).toEqual(first)
  expect(made.map(({ sequence }) => sequence).toReversed()).toEqual(made.map((_, nth) => nth + 1))
  expect(made.at(-1)).toMatchObject({ recordCount: 3, attempts: 1 })
  expect((await readdir(join(folder, 'out'))).toSorted()).toEqual(
    made.flatMap(({ name }) => [name, `${name}.json`]).toSorted(),
  )
})

test('whoever is killed at any step leaves no half file, and no record is lost or doubled', async () => {
  const s3 = await openS3Server()
  const { id } = await add({ name: 'killed', ...s3To(s3.url) })
  const stored: string[] = []
  const isData = (key: string) => key.endsWith('.csv')
  const content = (name: string) => s3.objects.get(`records/cdr/acme/${name}`) ?? Buffer.alloc(0)
  /** Ends a period; the node stops, without a word, at this place of its delivery. */
  const killedAt = async (place: 'read' | 'data sent' | 'data stored' | 'manifest stored') => {
    stored.push(...(await store(3)))
    let isThere = false
    const hang = () => {
      isThere = true
      return new Promise<never>(() => undefined)
    }
    const isPlace = (url: string, isAfter: boolean) =>
      place === (isData(url) ? (isAfter ? 'data stored' : 'data sent') : isAfter ? 'manifest stored' : '')
    const hanging: Pick<Egress, 'call' | 'resolve'> = {
      resolve: (host) => egress.resolve(host),
      async call(outgoing) {
        const gone = new Promise<never>((_, reject) =>
          outgoing.signal?.addEventListener('abort', () => reject(new Error('Killed')), { once: true }),
        )
        gone.catch(() => undefined)
        if (isPlace(outgoing.url, false)) return Promise.race([hang(), gone])
        const answer = await egress.call(outgoing)
        return isPlace(outgoing.url, true) ? Promise.race([hang(), gone]) : answer
      },
    }
    let letGo: () => void = () => undefined
    const reading = new Promise<void>((resolve) => (letGo = resolve))
    const next = async () => {
      if (place !== 'read') return
      isThere = true
      // A read cannot be broken off: it ends, and finds that the node has stopped.
      await reading
    }
    await start({ egress: hanging, pace: { next, restMs: () => 0 } })
    await endPeriod()
    await eventually(async () => expect(isThere, place).toBe(true))
    const stopping = stop()
    letGo()
    await stopping
  }
  for (const place of ['read', 'data sent', 'data stored', 'manifest stored'] as const) {
    await killedAt(place)
    await hurry()
  }
  await start()
  await endPeriod()
  await eventually(async () => {
    const counts = (await files(id)).map(({ state, recordCount }) =>
      state === 'delivered' ? (recordCount ?? 0) : 0,
    )
    expect(counts.reduce((sum, each) => sum + each, 0)).toBe(stored.length)
  })
  const made = await delivered(id, 1)
  const lists = made.toReversed().map(({ name }) => idsIn(content, name))
  expect(lists.flat()).toEqual(stored)
  // What was there in between was whole, too.
  for (const { key, body } of s3.stored.filter((each) => isData(each.key)))
    expect(body.equals(s3.objects.get(key) ?? Buffer.alloc(0))).toBe(true)
})

test.each([true, false])(
  'SFTP: renamed when whole, also after a cut (posix-rename: %s)',
  async (hasPosixRename) => {
    const server = await openSftpServer({ hasPosixRename })
    const destination = {
      type: 'sftp',
      host: '127.0.0.1',
      port: server.port,
      username: 'cdr',
      path: '/in',
      hostKey: '',
      signIn: hasPosixRename ? 'password' : 'key',
    }
    const secret = hasPosixRename ? sftpPassword : server.clientKey
    const { id } = await add({ destination, secret })
    const tried = async () => (await call('POST', `/api/cdr-schedules/${id}/test`)).body
    expect(await tried()).toMatchObject({ success: false, hostKey: server.hostKey })
    const edit = (hostKey: string, more: object = {}) =>
      call('PUT', `/api/cdr-schedules/${id}`, {
        name: 'acme',
        every: 'day',
        format: 'csv',
        columns: 'messageId',
        client: null,
        gateway: null,
        destination: { ...destination, hostKey },
        ...more,
      })
    await edit(`SHA256:${'A'.repeat(43)}`)
    expect((await tried()).error).toContain('shows another host key')
    await edit(server.hostKey, { secret: 'wrong' })
    expect((await tried()).success).toBe(false)
    await edit(server.hostKey, { secret })
    expect(await tried()).toMatchObject({ success: true })
    expect(server.files.size).toBe(0)
    server.faults.push('denied')
    expect((await tried()).error).toContain('may not write there')

    await start()
    server.faults.push('cut')
    const stored = await store(2)
    await endPeriod()
    await eventually(async () => expect((await files(id)).at(-1)?.attempts).toBe(1))
    expect([...server.files.keys()].filter((name) => !name.endsWith('.part'))).toEqual([])
    await hurry()
    const made = await delivered(id, 1)
    const content = (name: string) => server.files.get(`/in/${name}`) ?? Buffer.alloc(0)
    expect(made.toReversed().flatMap(({ name }) => idsIn(content, name))).toEqual(stored)
    expect(server.opened.every((name) => name.endsWith('.part'))).toBe(true)
    // Once more over what is there.
    await call('POST', `/api/cdr-schedules/${id}/files/${made[0]?.id}/send`)
    await eventually(async () =>
      expect(
        server.opened.filter((name) => name.includes(made[0]?.name ?? '')).length,
      ).toBeGreaterThanOrEqual(4),
    )
    await delivered(id, 1)
  },
)
