// Checks a copy of the log without the database that it came from.
import { openFirst } from '../platform/security/root-key.ts'
import { createSecrets } from '../platform/security/secrets.ts'
import { readChainFile, type ChainLine } from './chain-file.ts'
import { beginning, breakAt, breakAtEnd, positionAfter, type Break, type ChainPosition } from './check.ts'
import { findHeads, headSigner, isSigned, type SignedHead } from './head-line.ts'
import { openKey } from './keys.ts'

export interface FileVerdict {
  readonly entryCount: number
  /** The first breaks in the order of the entries; empty for an intact log. */
  readonly breaks: readonly Break[]
  /** How many published heads were compared: those in the file, and those of `heads`. */
  readonly headCount: number
  /** The last head that matches. */
  readonly lastHead: SignedHead | undefined
}

export interface FileCheck {
  /** The file's lines; they are read twice. */
  readonly lines: () => AsyncIterable<string>
  /** SECRET_KEY as the gateway had it when the copy was made. */
  readonly secretKey: string
  /** Any text with published heads: a log, a mail. Heads that were kept elsewhere prove most. */
  readonly heads: string
}

// One break is followed by others; more of them say nothing new.
const breaksMax = 20

/** Throws when the file is of another kind, or has no key that this SECRET_KEY decrypts. */
export async function verifyAuditFile({ lines, secretKey, heads }: FileCheck): Promise<FileVerdict> {
  const around = await readAround(lines, secretKey)
  const published = [...around.published, ...findHeads(heads)]
  const { signers, databaseId, keys, head } = around
  // A head of another database proves nothing about this one.
  const isOurs = (each: SignedHead) =>
    isSigned(each) && signers.has(each.publicKey) && each.databaseId === databaseId
  const foreign = published.filter((each) => !isOurs(each)).map(toBreak)
  const { place, breaks, lastHead } = await followFile(lines, keys, published.filter(isOurs))
  const end = breakAtEnd(place, { ...head, lastId: place.id }, keys.get(head.keyId ?? 0))
  return {
    entryCount: place.entryCount,
    breaks: [...foreign, ...breaks, ...(end === undefined ? [] : [end])].slice(0, breaksMax),
    headCount: published.length,
    lastHead,
  }
}

const toBreak = ({ entryId }: SignedHead): Break => ({ id: entryId, kind: 'published' })

async function followFile(
  lines: () => AsyncIterable<string>,
  keys: ReadonlyMap<number, Buffer>,
  published: readonly SignedHead[],
) {
  const waiting = new Map<string, SignedHead[]>()
  for (const head of published) waiting.set(head.entryId, [...(waiting.get(head.entryId) ?? []), head])
  const breaks: Break[] = []
  let place = beginning
  let lastHead: SignedHead | undefined
  for await (const part of readChainFile(lines())) {
    if (part.kind !== 'entry') continue
    const { link } = part
    const found = breakAt(place, link, keys.get(link.keyId ?? 0))
    if (found !== undefined) breaks.push(found)
    place = positionAfter(place, link)
    for (const head of waiting.get(link.id) ?? [])
      if (isOf(head, place)) lastHead = head
      else breaks.push(toBreak(head))
    waiting.delete(link.id)
  }
  // A published entry that is not in the file: the file is older than the head, or was cut.
  return { place, breaks: [...breaks, ...[...waiting.values()].flat().map(toBreak)], lastHead }
}

/** Whether the head is what the log was at this place. */
function isOf({ hash, entryCount }: SignedHead, place: ChainPosition): boolean {
  return hash === place.hash.toString('hex') && entryCount === String(place.entryCount)
}

type HeadLine = Extract<ChainLine, { kind: 'head' }>

/** Everything but the entries: a dump has the keys after them. */
async function readAround(lines: () => AsyncIterable<string>, secretKey: string) {
  const roots: { readonly encrypted_key: Buffer }[] = []
  const encryptedKeys: { readonly id: number; readonly encrypted_key: Buffer }[] = []
  const published: SignedHead[] = []
  let found: HeadLine | undefined
  for await (const part of readChainFile(lines())) {
    if (part.kind === 'head') found = part
    if (part.kind === 'published') published.push(...findHeads(part.line))
    if (part.kind === 'root') roots.push(part.root)
    if (part.kind === 'key') encryptedKeys.push(part.key)
  }
  if (found === undefined)
    throw new Error(
      'The file has no audit log: give what the console exports under Audit Log, or a plain dump by pg_dump.',
    )
  // A dump has its tables in any order, so keys are decrypted at the end.
  const secrets = createSecrets(openFirst(roots, secretKey) ?? secretKey)
  const keys = new Map<number, Buffer>()
  for (const { id, encrypted_key: encryptedKey } of encryptedKeys) {
    const key = openKey(secrets, encryptedKey)
    if (key !== undefined) keys.set(id, key)
  }
  if (keys.size === 0)
    throw new Error(
      roots.length === 0
        ? "SECRET_KEY opens no key of this log, and the file has no root key. A dump needs it too: pg_dump -t 'audit_*' -t root_keys."
        : 'SECRET_KEY opens no key of this log. Give the key that the gateway had when the file was made.',
    )
  const signers = new Set([...keys.values()].map((key) => headSigner(key).publicKey))
  return { keys, published, signers, head: found.head, databaseId: found.databaseId }
}
