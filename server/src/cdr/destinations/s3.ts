// Delivers to S3 and what speaks its protocol: a PUT of known length and hash, which shows the whole object or nothing.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { AwsV4Signer } from 'aws4fetch'
import type { CdrDestination } from '@tollgate/contract/cdr.ts'
import {
  EgressRefused,
  OutsideFault,
  type Egress,
  type OutgoingAnswer,
} from '../../platform/security/egress.ts'
import { DeliveryFault, type DestinationSession, type Upload } from './destination.ts'

type S3 = Extract<CdrDestination, { type: 's3' }>

// S3's own limit of a single PUT.
const sizeMax = 5 * 1024 ** 3
// An upload may take a minute and what a line of 4 Mbit/s needs.
const leastMs = 60_000
const bytesPerMs = 500
const answerMax = 64 * 1024
const emptyHash = createHash('sha256').digest('hex')

export function openS3(
  egress: Pick<Egress, 'call'>,
  to: S3,
  secretAccessKey: string,
  signal: AbortSignal,
): DestinationSession {
  const urlOf = (name: string) =>
    [to.endpoint.replace(/\/+$/, ''), to.bucket, ...to.path.split('/').filter(Boolean), name].join('/')

  async function call(method: 'PUT' | 'DELETE', name: string, upload?: Upload): Promise<OutgoingAnswer> {
    const { url, headers } = await new AwsV4Signer({
      method,
      url: urlOf(name),
      accessKeyId: to.accessKeyId,
      secretAccessKey,
      service: 's3',
      region: to.region,
      // The storage compares it with what arrives, so a file that was damaged on its way is refused.
      headers: { 'x-amz-content-sha256': upload?.sha256 ?? emptyHash },
    }).sign()
    const body = upload && createReadStream(upload.path)
    // What it fails with, the call reports.
    body?.on('error', () => undefined)
    try {
      return await egress.call({
        url: url.href,
        method,
        headers: {
          ...Object.fromEntries(headers as unknown as Iterable<[string, string]>),
          ...(upload && { 'content-length': String(upload.sizeBytes) }),
        },
        ...(body && { body }),
        timeoutMs: leastMs + Math.ceil((upload?.sizeBytes ?? 0) / bytesPerMs),
        limitBytes: answerMax,
        signal,
      })
    } finally {
      body?.destroy()
    }
  }

  return {
    async put(upload) {
      if (upload.sizeBytes > sizeMax)
        throw new DeliveryFault(
          'The file is larger than 5 GiB, which this storage takes at once. Choose hours, fewer columns or Parquet.',
        )
      const answer = await call('PUT', upload.name, upload).catch((error: unknown) => {
        if (error instanceof EgressRefused || error instanceof OutsideFault)
          throw new DeliveryFault(error.message, { cause: error })
        throw error
      })
      if (answer.status < 200 || answer.status > 299) throw refusalOf(answer, to)
    },
    async remove(name) {
      await call('DELETE', name)
    },
    close: async () => undefined,
  }
}

const cures: Readonly<Record<string, string>> = {
  AccessDenied: 'The key may not write there: permit it s3:PutObject for this bucket and folder.',
  InvalidAccessKeyId: 'The storage does not know this access key id.',
  SignatureDoesNotMatch: 'The secret access key is wrong.',
  NoSuchBucket: 'There is no such bucket at this address.',
  AuthorizationHeaderMalformed: 'The region is wrong.',
  RequestTimeTooSkewed: 'The clock of this machine is wrong: start NTP.',
  PermanentRedirect: 'The bucket is in another region: enter the address and the region of it.',
}

function refusalOf({ status, body }: OutgoingAnswer, { bucket }: S3): DeliveryFault {
  const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(body.subarray(0, 2_000).toString('utf8'))?.[1]
  const cure = code === undefined ? undefined : cures[code]
  return new DeliveryFault(
    `The storage answered ${status}${code === undefined ? '' : ` ${code}`} for the bucket ${bucket}.${cure === undefined ? '' : ` ${cure}`}`,
  )
}
