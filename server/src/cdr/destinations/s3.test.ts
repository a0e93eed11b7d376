// Files that are larger than a part, against a storage that verifies each signature and hash.
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openS3Server, s3Keys } from '../../../test/stand-ins/s3-server.ts'
import { makeTemporaryFolder } from '../../../test/environment/temporary-folder.ts'
import { createEgress } from '../../platform/security/egress.ts'
import { openS3 } from './s3.ts'

const { folder, remove } = await makeTemporaryFolder()
const egress = createEgress(['127.0.0.0/8'])
afterAll(async () => {
  await egress.close()
  await remove()
})

const mebibyte = 1024 ** 2
const content = Buffer.alloc(12 * mebibyte + 7, 'a line of a file\n')
const file = {
  name: 'large file+1.csv',
  path: join(folder, 'large'),
  sizeBytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
}
await writeFile(file.path, content)

async function open(signal = new AbortController().signal) {
  const s3 = await openS3Server()
  const { accessKeyId, secretAccessKey } = s3Keys
  const to = {
    type: 's3' as const,
    endpoint: s3.url,
    region: 'eu-central-1',
    bucket: 'records',
    path: 'a/b',
    accessKeyId,
  }
  return { s3, session: openS3(egress, to, secretAccessKey, signal), key: `records/a/b/${file.name}` }
}

test('a large file arrives in parts, and is seen when all of them have come', async () => {
  const { s3, session, key } = await open()
  const sizes: number[] = []
  const seen: boolean[] = []
  s3.onPart = () => {
    seen.push(s3.objects.has(key))
    sizes.push([...s3.uploads.values()][0]?.parts.size ?? 0)
  }
  await session.put(file)
  expect(sizes).toEqual([1, 2, 3])
  expect(seen).toEqual([false, false, false])
  expect(s3.objects.get(key)?.equals(content)).toBe(true)
  expect(s3.uploads.size).toBe(0)
})

test('a part that fails is sent again; what fails for good leaves nothing at the storage', async () => {
  const { s3, session, key } = await open()
  s3.onPart = (_, number) => {
    if (number === 1)
      s3.faults.push({ status: 503, code: 'SlowDown' }, { status: 500, code: 'InternalError' })
  }
  await session.put(file)
  expect(s3.objects.get(key)?.equals(content)).toBe(true)
  s3.objects.clear()
  s3.onPart = (_, number) => {
    if (number === 2) s3.faults.push({ status: 403, code: 'AccessDenied' })
  }
  await expect(session.put(file)).rejects.toThrow('permit it s3:PutObject')
  expect([s3.objects.size, s3.uploads.size]).toEqual([0, 0])
})

test('a file that cannot be put together is a failure, although the storage answers 200', async () => {
  const { s3, session } = await open()
  s3.onPart = (_, number) => {
    // What was stored is not what was sent.
    if (number === 3) for (const { parts } of s3.uploads.values()) parts.set(1, Buffer.from('short'))
  }
  await expect(session.put(file)).rejects.toThrow('InvalidPart')
  expect(s3.objects.size).toBe(0)
})

test('a file that changed on the disk is not delivered, and parts of a killed attempt are given up', async () => {
  const { s3, session, key } = await open()
  s3.uploads.set('left', { key, parts: new Map([[1, content]]) })
  s3.uploads.set('other', { key: `${key}.json`, parts: new Map() })
  await expect(session.put({ ...file, sha256: '0'.repeat(64) })).rejects.toThrow('was damaged')
  expect([s3.objects.size, [...s3.uploads.keys()]]).toEqual([0, ['other']])
})

test('what is damaged on its way is refused by its hash, and the message says so', async () => {
  const { s3, session } = await open()
  const small = { ...file, path: join(folder, 'small'), sizeBytes: 5 }
  await writeFile(small.path, 'small')
  await expect(session.put(small)).rejects.toThrow(/XAmzContentSHA256Mismatch.* damaged on its way/)
  expect(s3.objects.size).toBe(0)
})
