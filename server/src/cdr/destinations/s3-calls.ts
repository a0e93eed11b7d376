// Signed calls of S3's protocol, as AWS and what speaks like it take them.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { AwsV4Signer } from 'aws4fetch'
import type { CdrDestination } from '@tollgate/contract/cdr/cdr.ts'
import { keptText } from '@tollgate/contract/kept-texts.ts'
import {
  EgressRefused,
  OutsideFault,
  type Egress,
  type OutgoingAnswer,
} from '../../platform/security/egress.ts'
import { DeliveryFault } from './destination.ts'

export type S3Target = Extract<CdrDestination, { type: 's3' }>

/** A range of bytes of a file on the disk. */
export interface FileRange {
  readonly path: string
  readonly start: number
  readonly sizeBytes: number
  /** Hexadecimal. */
  readonly sha256: string
}

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** With the folder; empty for the bucket. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly content?: FileRange
  readonly text?: string
  /** The bytes of a GET that are wanted: both ends are inclusive. */
  readonly bytes?: { readonly from: number; readonly to: number }
}

export type S3Call = (request: S3Request) => Promise<OutgoingAnswer>

// An upload may take a minute and what a line of 4 Mbit/s needs.
const minMs = 60_000
const bytesPerMs = 500
const answerMax = 256 * 1024
const readAtOnce = 8 * 1024 ** 2
const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex')

/** Gives the caller of a bucket. A call throws DeliveryFault for what did not arrive; any answer is given back. */
export function s3CallsTo(
  egress: Pick<Egress, 'call'>,
  to: S3Target,
  secretAccessKey: string,
  signal: AbortSignal,
): S3Call {
  return async ({ method, key, query = {}, content, text, bytes }) => {
    const places = [to.bucket, ...key.split('/')].filter(Boolean).map(encodeURIComponent)
    const url = new URL([to.endpoint.replace(/\/+$/, ''), ...places].join('/'))
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      accessKeyId: to.accessKeyId,
      secretAccessKey,
      service: 's3',
      region: to.region,
      // The storage compares it with what arrives, so what was damaged on its way is refused.
      headers: { 'x-amz-content-sha256': content?.sha256 ?? sha256Of(text ?? ''), ...headersOf(bytes) },
    }).sign()
    const body = content && createReadStream(content.path, rangeOf(content))
    // What it fails with, the call reports.
    body?.on('error', () => undefined)
    const sizeBytes = content?.sizeBytes ?? 0
    const readBytes = sizeOf(bytes)
    try {
      return await egress.call({
        url: signed.url.href,
        method,
        headers: {
          ...Object.fromEntries(signed.headers as unknown as Iterable<[string, string]>),
          ...(content && { 'content-length': String(sizeBytes) }),
        },
        body: body ?? text ?? '',
        timeoutMs: minMs + Math.ceil((sizeBytes + readBytes) / bytesPerMs),
        limitBytes: answerMax + readBytes,
        signal,
      })
    } catch (error) {
      throw asFault(error)
    } finally {
      body?.destroy()
    }
  }
}

type Bytes = S3Request['bytes']
const headersOf = (bytes: Bytes) => bytes && { range: `bytes=${bytes.from}-${bytes.to}` }
const sizeOf = (bytes: Bytes) => (bytes === undefined ? 0 : bytes.to - bytes.from + 1)

const asFault = (error: unknown) =>
  error instanceof EgressRefused || error instanceof OutsideFault
    ? new DeliveryFault(error.message, { cause: error })
    : error

/** What a read stream takes: both ends are inclusive. */
export const rangeOf = ({ start, sizeBytes }: Pick<FileRange, 'start' | 'sizeBytes'>) =>
  sizeBytes === 0 ? {} : { start, end: start + sizeBytes - 1 }

const fixes: Readonly<Record<string, string>> = {
  AccessDenied: 'The key may not write there: permit it s3:PutObject for this bucket and folder.',
  NoSuchKey: 'What was sent is not there.',
  InvalidAccessKeyId: 'The storage does not know this access key id.',
  SignatureDoesNotMatch: 'The secret access key is wrong.',
  NoSuchBucket: 'There is no such bucket at this address.',
  AuthorizationHeaderMalformed: 'The region is wrong.',
  RequestTimeTooSkewed: 'The clock of this machine is wrong: start NTP.',
  XAmzContentSHA256Mismatch: 'What arrived is not what was sent: it was damaged on its way.',
  PermanentRedirect: 'The bucket is in another region: enter the address and the region of it.',
}

/** An object of this size, in parts. Throws DeliveryFault when it cannot be read or is shorter. */
export async function* readParts(
  call: S3Call,
  to: S3Target,
  key: string,
  sizeBytes: number,
): AsyncGenerator<Buffer> {
  for (let from = 0; from < sizeBytes; from += readAtOnce) {
    const answer = await call({
      method: 'GET',
      key,
      bytes: { from, to: Math.min(sizeBytes, from + readAtOnce) - 1 },
    })
    if (answer.status === 403)
      throw new DeliveryFault(
        'The key may not read there, and an archive is read back: permit it s3:GetObject for this bucket and folder.',
      )
    requireDone(answer, to)
    yield answer.body
  }
}

const codeIn = (body: Buffer) =>
  /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(body.subarray(0, 2_000).toString('utf8'))?.[1]

/** Throws DeliveryFault, with its fix, when the storage did not do it. */
export function requireDone({ status, body }: OutgoingAnswer, { bucket }: S3Target): void {
  // An upload that is put together may fail after the status was sent.
  const isRefusal = status < 200 || status > 299 || body.subarray(0, 500).includes('<Error>')
  if (!isRefusal) return
  const code = codeIn(body)
  throw new DeliveryFault(answerText({ status: String(status), bucket }, code))
}

function answerText(answer: { readonly status: string; readonly bucket: string }, code?: string): string {
  if (code === undefined) return keptText('The storage answered {status} for the bucket {bucket}.', answer)
  const fix = fixes[code]
  return fix === undefined
    ? keptText('The storage answered {status} {code} for the bucket {bucket}.', { ...answer, code })
    : keptText('The storage answered {status} {code} for the bucket {bucket}. {fix}', {
        ...answer,
        code,
        fix,
      })
}
