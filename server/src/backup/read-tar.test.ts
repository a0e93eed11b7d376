import { expect, test } from 'vitest'
import { TarReader, type TarEntry } from './read-tar.ts'

/** One header of ustar, without its checksum, which the reader does not check. */
function header(name: string, size: number | Buffer, kind = '0'): Buffer {
  const block = Buffer.alloc(512)
  block.write(name, 0)
  if (typeof size === 'number') block.write(size.toString(8).padStart(11, '0'), 124)
  else size.copy(block, 124)
  block.write(kind, 156)
  block.write('ustar\0', 257)
  return block
}

const file = (name: string, content: Buffer) =>
  Buffer.concat([header(name, content.length), content, Buffer.alloc((512 - (content.length % 512)) % 512)])
const end = Buffer.alloc(1024)

/** Reads an archive in pieces of so many bytes. */
async function read(archive: Buffer, pieceBytes: number) {
  const entries: (TarEntry & { content: string })[] = []
  const reader = new TarReader({
    begin: async (entry) => void entries.push({ ...entry, content: '' }),
    data: async (bytes) => void (entries.at(-1)!.content += bytes.toString('latin1')),
    end: async () => undefined,
  })
  for (let at = 0; at < archive.length; at += pieceBytes)
    await reader.write(archive.subarray(at, at + pieceBytes))
  reader.close()
  return entries
}

test.each([1, 7, 511, 512, 513, 100_000])(
  'an archive in pieces of %i bytes gives its files whole',
  async (size) => {
    const long = Buffer.alloc(1_300, 'x')
    const archive = Buffer.concat([
      header('base/', 0, '5'),
      file('base/1', Buffer.from('one')),
      file('base/empty', Buffer.alloc(0)),
      file('base/2', long),
      end,
    ])
    expect(await read(archive, size)).toEqual([
      { name: 'base/', size: 0, kind: 'folder', content: '' },
      { name: 'base/1', size: 3, kind: 'file', content: 'one' },
      { name: 'base/empty', size: 0, kind: 'file', content: '' },
      { name: 'base/2', size: 1_300, kind: 'file', content: long.toString() },
    ])
  },
)

test('an archive that ends within a file is refused', async () => {
  const archive = file('base/1', Buffer.alloc(600, 'x'))
  await expect(read(archive.subarray(0, 700), 100)).rejects.toThrow('in the middle of a file')
})

test('a size beyond octal is read in base 256', async () => {
  const size = Buffer.alloc(12)
  size[0] = 0x80
  size.writeBigUInt64BE(3n, 4)
  expect(
    await read(Buffer.concat([header('big', size), Buffer.from('abc'), Buffer.alloc(509), end]), 512),
  ).toEqual([{ name: 'big', size: 3, kind: 'file', content: 'abc' }])
})

test.each([['/etc/passwd'], ['base/../../x']])(
  'a file named %s, which leads out of the folder, is refused',
  async (name) => {
    await expect(read(file(name, Buffer.from('x')), 512)).rejects.toThrow('names a file')
  },
)

test('bytes that are no archive are refused', async () => {
  await expect(read(Buffer.alloc(512, 'x'), 512)).rejects.toThrow('no ustar header')
})
