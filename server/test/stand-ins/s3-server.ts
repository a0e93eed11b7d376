// A small stand-in for S3: it verifies each request's signature by the written rules (AWS Signature Version 4), keeps whole
// objects only, and can be told to fail.
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterUse } from '../environment/database.ts'

export const s3Keys = {
  accessKeyId: 'AKIATEST',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
} as const

/** What to do with the next request instead of storing it: answer this, or keep silent until the caller goes. */
type S3Fault = { readonly status: number; readonly code: string } | 'silence'

interface S3Parts {
  readonly key: string
  readonly parts: Map<number, Buffer>
}

export interface S3Server {
  readonly url: string
  /** By key, bucket included. */
  readonly objects: Map<string, Buffer>
  /** Every object that was ever stored, in order. */
  readonly stored: { readonly key: string; readonly body: Buffer }[]
  readonly faults: S3Fault[]
  /** Multi-part uploads that were begun and neither put together nor given up, by id. */
  readonly uploads: Map<string, S3Parts>
  /** Called when a part has arrived, before it is answered. */
  onPart: (key: string, number: number) => void
  /** Called after an object was stored and before it is answered. */
  onStored: (key: string) => void
}

export async function openS3Server(): Promise<S3Server> {
  const state: Omit<S3Server, 'url'> = {
    objects: new Map(),
    stored: [],
    faults: [],
    uploads: new Map(),
    onPart: () => undefined,
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
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3')
  const key = decodeURIComponent(pathname.slice(1))
  const store = (content: Buffer) => {
    state.objects.set(key, content)
    state.stored.push({ key, body: content })
    state.onStored(key)
    return response.writeHead(200).end()
  }
  if (searchParams.size > 0)
    return answerParts(state, { request, response, key, searchParams, body, store, refuse })
  if (request.method === 'PUT') return store(body)
  if (request.method === 'GET') {
    const found = state.objects.get(key)
    if (found === undefined) return refuse(404, 'NoSuchKey')
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    return response.writeHead(206).end(found.subarray(Number(from), Number(to) + 1))
  }
  state.objects.delete(key)
  return response.writeHead(204).end()
}

interface PartsCall {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly key: string
  readonly searchParams: URLSearchParams
  readonly body: Buffer
  readonly store: (content: Buffer) => unknown
  readonly refuse: (status: number, code: string) => unknown
}

const tagOf = (part: Buffer) => `"${createHash('md5').update(part).digest('hex')}"`

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html */
function answerParts(
  { uploads, onPart }: Omit<S3Server, 'url'>,
  { request, response, key, searchParams, body, store, refuse }: PartsCall,
): unknown {
  const xml = (text: string) => response.writeHead(200, { 'content-type': 'application/xml' }).end(text)
  if (searchParams.has('uploads') && request.method === 'GET') {
    const [bucket = ''] = key.split('/')
    const found = [...uploads].filter(([, upload]) =>
      upload.key.startsWith(`${bucket}/${searchParams.get('prefix') ?? ''}`),
    )
    const list = found.map(
      ([id, upload]) =>
        `<Upload><Key>${upload.key.slice(bucket.length + 1)}</Key><UploadId>${id}</UploadId></Upload>`,
    )
    return xml(`<ListMultipartUploadsResult>${list.join('')}</ListMultipartUploadsResult>`)
  }
  if (searchParams.has('uploads')) {
    const id = randomUUID()
    uploads.set(id, { key, parts: new Map() })
    return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
  }
  const id = searchParams.get('uploadId') ?? ''
  const upload = uploads.get(id)
  if (upload?.key !== key) return refuse(404, 'NoSuchUpload')
  if (request.method === 'PUT') {
    const number = Number(searchParams.get('partNumber'))
    upload.parts.set(number, body)
    onPart(key, number)
    return response.writeHead(200, { etag: tagOf(body) }).end()
  }
  uploads.delete(id)
  if (request.method === 'DELETE') return response.writeHead(204).end()
  const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)]
  const parts = named.map(([, number]) => upload.parts.get(Number(number)) ?? Buffer.alloc(0))
  // As S3 does: the refusal of what cannot be put together comes with a success.
  if (named.some(([, , tag], at) => tag !== tagOf(parts[at] ?? Buffer.alloc(0))))
    return xml('<Error><Code>InvalidPart</Code></Error>')
  if (parts.slice(0, -1).some((part) => part.length < 5 * 1024 ** 2))
    return xml('<Error><Code>EntityTooSmall</Code></Error>')
  return store(Buffer.concat(parts))
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
  const { pathname, searchParams } = new URL(url, 'http://s3')
  const query = [...searchParams]
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .toSorted()
    .join('&')
  const canonical = [
    method,
    pathname,
    query,
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
