// A large file as a multi-part upload: nothing is seen of it until all parts have arrived and it is put together.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { OutgoingAnswer } from '../../platform/security/egress.ts'
import { DeliveryFault, type Upload } from './destination.ts'
import { rangeOf, requireDone, type FileRange, type S3Call, type S3Target } from './s3-calls.ts'

// S3: a part has 5 MiB at least, but for the last one, and a file 10,000 parts at most.
export const partBytesMin = 5 * 1024 ** 2
const partsMax = 10_000
// A part that got lost is sent again at once, so that a long upload does not begin anew.
const triesMax = 3

/** Throws DeliveryFault; what was sent is given up then, as far as the storage permits. */
export async function putInParts(call: S3Call, to: S3Target, key: string, file: Upload): Promise<void> {
  await giveUpFormer(call, key)
  const begun = await call({ method: 'POST', key, query: { uploads: '' } })
  requireDone(begun, to)
  const uploadId = textOf(begun.body.toString('utf8'), 'UploadId')
  if (uploadId === undefined) throw new DeliveryFault('The storage did not start a multi-part upload.')
  try {
    const whole = createHash('sha256')
    const tags: string[] = []
    const partBytes = Math.max(partBytesMin, Math.ceil(file.sizeBytes / partsMax))
    for (let start = 0; start < file.sizeBytes; start += partBytes) {
      const part = await hashed(file.path, start, Math.min(partBytes, file.sizeBytes - start), whole)
      tags.push(await putPart(call, to, { key, uploadId, number: tags.length + 1, part }))
    }
    if (whole.digest('hex') !== file.sha256)
      throw new DeliveryFault('The file on the disk of DATA_DIR was damaged before it was sent.')
    requireDone(await call({ method: 'POST', key, query: { uploadId }, text: listOf(tags) }), to)
  } catch (error) {
    await giveUp(call, key, uploadId)
    throw error
  }
}

/** Adds the range to the hash of the whole file, a block at a time. */
async function hashed(
  path: string,
  start: number,
  sizeBytes: number,
  whole: ReturnType<typeof createHash>,
): Promise<FileRange> {
  const hash = createHash('sha256')
  for await (const block of createReadStream(path, rangeOf({ start, sizeBytes }))) {
    hash.update(block as Buffer)
    whole.update(block as Buffer)
  }
  return { path, start, sizeBytes, sha256: hash.digest('hex') }
}

interface Part {
  readonly key: string
  readonly uploadId: string
  readonly number: number
  readonly part: FileRange
}

/** Gives the tag that the storage names the part by. */
async function putPart(call: S3Call, to: S3Target, { key, uploadId, number, part }: Part): Promise<string> {
  const put = () =>
    call({ method: 'PUT', key, query: { partNumber: String(number), uploadId }, content: part })
  const answer = await again(put, triesMax)
  requireDone(answer, to)
  const tag = answer.headers.get('etag')
  if (tag === null) throw new DeliveryFault('The storage gave a part no ETag, so no file can be made of it.')
  return tag
}

/** What failed on the way or inside the storage is repeated. */
async function again(put: () => Promise<OutgoingAnswer>, tries: number): Promise<OutgoingAnswer> {
  try {
    const answer = await put()
    if (answer.status < 500 || tries === 1) return answer
  } catch (error) {
    if (!(error instanceof DeliveryFault) || tries === 1) throw error
  }
  return again(put, tries - 1)
}

const listOf = (tags: readonly string[]) =>
  `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${tags
    .map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`)
    .join('')}</CompleteMultipartUpload>`

/** What an attempt left that was killed, or that another node still sends. Listing it need not be permitted. */
async function giveUpFormer(call: S3Call, key: string): Promise<void> {
  const listed = await call({ method: 'GET', key: '', query: { uploads: '', prefix: key } })
  if (listed.status !== 200) return
  for (const [, upload = ''] of listed.body.toString('utf8').matchAll(/<Upload>([^]*?)<\/Upload>/g)) {
    const uploadId = textOf(upload, 'UploadId')
    if (uploadId !== undefined && textOf(upload, 'Key') === key) await giveUp(call, key, uploadId)
  }
}

/** The storage would keep its parts, and charge for them. It need not be permitted. */
async function giveUp(call: S3Call, key: string, uploadId: string): Promise<void> {
  await call({ method: 'DELETE', key, query: { uploadId } }).catch(() => undefined)
}

const textOf = (xml: string, name: string) => {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
  return text?.replace(/&(quot|amp|lt|gt|apos);/g, (_, entity: string) => plain[entity] ?? '')
}
const plain: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>', apos: "'" }
const escaped = (text: string) =>
  text.replace(/[&<>]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[letter] ?? letter)
