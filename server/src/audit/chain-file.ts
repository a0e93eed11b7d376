// The whole log in a file that can be checked elsewhere: JSON lines from the console, or a plain dump by pg_dump.
import { Readable } from 'node:stream'
import type { Db } from '../platform/db.ts'
import type { StreamReply } from '../http/handlers.ts'
import { listRootKeys } from '../platform/security/root-key.ts'
import {
  linksAfter,
  listKeys,
  readHead,
  type AuditKeyRow,
  type ChainLinkRow,
  type StoredHead,
} from './chain-store.ts'
import { databaseId, headsBetween } from './head-store.ts'

/** One line of the file. */
export type ChainLine =
  | { readonly kind: 'root'; readonly root: { readonly encrypted_key: Buffer } }
  | { readonly kind: 'key'; readonly key: AuditKeyRow }
  | { readonly kind: 'head'; readonly head: Omit<StoredHead, 'lastId'>; readonly databaseId: string }
  | { readonly kind: 'published'; readonly line: string }
  | { readonly kind: 'entry'; readonly link: ChainLinkRow }

const batchSize = 500

/** The log as the file's lines. Entries that are written meanwhile are not in it. */
export async function* chainLines(db: Db): AsyncGenerator<string> {
  const { lastId: _, ...head } = await readHead(db)
  for (const { encrypted_key: encryptedKey } of await listRootKeys(db))
    yield lineOf({ kind: 'root', root: { encrypted_key: encryptedKey } })
  for (const key of await listKeys(db)) yield lineOf({ kind: 'key', key })
  yield lineOf({ kind: 'head', head, databaseId: await databaseId(db) })
  for (const { line } of await headsBetween(db, '-1', head.id)) yield lineOf({ kind: 'published', line })
  for (let afterId = '0'; ;) {
    const links = await linksAfter(db, afterId, head.id, batchSize)
    if (links.length > 0) yield links.map((link) => lineOf({ kind: 'entry', link })).join('')
    if (links.length < batchSize) return
    afterId = links.at(-1)?.id ?? afterId
  }
}

/** The log as a download. */
export function exportChain(db: Db): StreamReply {
  return {
    contentType: 'application/x-ndjson; charset=utf-8',
    fileName: 'audit-chain.jsonl',
    stream: Readable.from(chainLines(db), { objectMode: false }),
  }
}

const bytes = new Set(['hash', 'hmac', 'encrypted_key'])

function lineOf(part: ChainLine): string {
  const own = Object.entries(part).map(([name, value]) => [name, inHex(value)])
  return `${JSON.stringify(Object.fromEntries(own))}\n`
}

function inHex(fields: unknown): unknown {
  if (typeof fields !== 'object' || fields === null) return fields
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      Buffer.isBuffer(value) ? value.toString('hex') : value,
    ]),
  )
}

/** Reads a file of either kind. Other lines are skipped. */
export async function* readChainFile(lines: AsyncIterable<string>): AsyncGenerator<ChainLine> {
  let copy: Copy | undefined
  for await (const line of lines) {
    if (copy !== undefined) {
      if (line === '\\.') copy = undefined
      else yield* partOf(copy, line)
    } else if (line.startsWith('{"kind":')) yield readLine(line)
    else copy = copyOf(line)
  }
}

function readLine(line: string): ChainLine {
  // The content of an entry may have fields of these names, too; those are no bytes.
  const part = JSON.parse(line) as ChainLine & Record<string, Record<string, unknown>>
  const ownNames = { entry: 'link', key: 'key', head: 'head', root: 'root', published: '' } as const
  const fields = (part[ownNames[part.kind]] ?? {}) as Record<string, unknown>
  for (const name of bytes)
    if (typeof fields[name] === 'string') fields[name] = Buffer.from(fields[name], 'hex')
  if (typeof fields['at'] === 'string') fields['at'] = new Date(fields['at'])
  return part
}

interface Copy {
  readonly table: string
  readonly columns: readonly string[]
}

/** The COPY line before a table's rows in a dump; undefined for any other line, and for tables that are not needed. */
function copyOf(line: string): Copy | undefined {
  const [, table, columns = ''] =
    /^COPY (?:\w+\.)?(audit_entries|audit_head|audit_heads|audit_keys|root_keys) \(([^)]*)\) FROM stdin;$/.exec(
      line,
    ) ?? []
  if (table === undefined) return undefined
  return { table, columns: columns.split(', ').map((name) => name.replaceAll('"', '')) }
}

function* partOf({ table, columns }: Copy, line: string): Generator<ChainLine> {
  const values = new Map(line.split('\t').map((value, index) => [columns[index] ?? '', unescape(value)]))
  const text = (name: string) => values.get(name) ?? ''
  const blob = (name: string) => Buffer.from(text(name).replace(/^\\x/, ''), 'hex')
  const number = (name: string) => (values.get(name) == null ? null : Number(values.get(name)))
  const json = (name: string) => (values.get(name) == null ? null : (JSON.parse(text(name)) as unknown))
  if (table === 'root_keys') yield { kind: 'root', root: { encrypted_key: blob('encrypted_key') } }
  else if (table === 'audit_keys')
    yield { kind: 'key', key: { id: Number(text('id')), encrypted_key: blob('encrypted_key') } }
  else if (table === 'audit_heads') yield { kind: 'published', line: text('line') }
  else if (table === 'audit_head') {
    const head = {
      id: text('id'),
      hash: blob('hash'),
      entryCount: text('entry_count'),
      keyId: number('key_id'),
      hmac: values.get('hmac') == null ? null : blob('hmac'),
    }
    yield { kind: 'head', head, databaseId: text('database_id') }
  } else
    yield {
      kind: 'entry',
      link: {
        id: text('id'),
        // As PostgreSQL writes it: 2026-03-04 12:00:00.123+00.
        at: new Date(
          text('at')
            .replace(' ', 'T')
            .replace(/([+-]\d\d)$/, '$1:00'),
        ),
        actorId: number('actor_id'),
        actor: text('actor'),
        ip: text('ip'),
        action: text('action'),
        objectType: text('object_type'),
        objectId: text('object_id'),
        before: json('before'),
        after: json('after'),
        keyId: number('key_id'),
        hash: blob('hash'),
      },
    }
}

const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f', v: '\v' }

/** A value of COPY's text form; null for \N. */
function unescape(value: string): string | null {
  if (value === '\\N') return null
  return value.replace(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter)
}
