// A small stand-in for S3: it verifies each request's signature by the written rules (AWS Signature Version 4), keeps whole
// objects only, and can be told to fail.
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterUse } from './harness.ts'

export const s3Keys = {
  accessKeyId: 'AKIATEST',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
} as const

/** What to do with the next request instead of storing it: answer this, or keep silent until the caller goes. */
type S3Fault = { readonly status: number; readonly code: string } | 'silence'

export interface S3Server {
  readonly url: string
  /** By key, bucket included. */
  readonly objects: Map<string, Buffer>
  /** Every object that was ever stored, in order. */
  readonly stored: { readonly key: string; readonly body: Buffer }[]
  readonly faults: S3Fault[]
  /** Called after an object was stored and before it is answered. */
  onStored: (key: string) => void
}

export async function openS3Server(): Promise<S3Server> {
  const state: Omit<S3Server, 'url'> = {
    objects: new Map(),
    stored: [],
    faults: [],
    onStored: () => undefined,
  }
  const server = createServer((request, response) => {
    void answer(state, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterUse(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

async function answer(state: Omit<S3Server, 'url'>, request: IncomingMessage, response: ServerResponse) {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
  } catch {
    // The caller went in the middle: as if nothing had come.
    return
  }
  const body = Buffer.concat(chunks)
  const refuse = (status: number, code: string) =>
    response
      .writeHead(status, { 'content-type': 'application/xml' })
      .end(
        `<?xml version="1.0"?><Error><Code>${code}</Code><Message>secret words of the server</Message></Error>`,
      )
  const fault = state.faults.shift()
  if (fault === 'silence') return
  if (fault !== undefined) return refuse(fault.status, fault.code)
  const wrong = faultOf(request, body)
  if (wrong !== undefined) return refuse(403, wrong)
  const key = decodeURIComponent((request.url ?? '').slice(1))
  if (request.method === 'DELETE') {
    state.objects.delete(key)
    return response.writeHead(204).end()
  }
  state.objects.set(key, body)
  state.stored.push({ key, body })
  state.onStored(key)
  return response.writeHead(200).end()
}

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
function faultOf(request: IncomingMessage, body: Buffer): string | undefined {
  const { headers, method = '', url = '' } = request
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    )
  if (parts === null) return 'AccessDenied'
  const [, keyId, day = '', region = '', signed = '', signature] = parts
  if (keyId !== s3Keys.accessKeyId) return 'InvalidAccessKeyId'
  const hash = String(headers['x-amz-content-sha256'])
  if (method === 'PUT' && Number(headers['content-length']) !== body.length) return 'MissingContentLength'
  if (hash !== sha256(body)) return 'XAmzContentSHA256Mismatch'
  const names = signed.split(';')
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => names.includes(name)))
    return 'AccessDenied'
  const canonical = [
    method,
    url,
    '',
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signed,
    hash,
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${s3Keys.secretAccessKey}`, day))
  return hmac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}
