// A published head as one line: the signed state of the log, to be kept where the database's owner cannot reach it.
import { createSigner, isSignedBy } from '../platform/security/signing.ts'

export interface SignedHead {
  /** The database that the log is in. */
  readonly databaseId: string
  /** The last entry, its link in hexadecimal digits, and the number of entries up to it. */
  readonly entryId: string
  readonly hash: string
  readonly entryCount: string
  /** When it was signed, ISO 8601. */
  readonly at: string
  /** Base64. */
  readonly publicKey: string
  readonly signature: string
}

const form =
  /tollgate-audit-head\/1 database=([0-9a-f-]{36}) entry=(\d{1,19}) count=(\d{1,19}) hash=([0-9a-f]{64}) at=([0-9TZ:.-]{20,30}) key=([A-Za-z0-9+/=]{44}) signature=([A-Za-z0-9+/=]{88})/g

type Unsigned = Omit<SignedHead, 'publicKey' | 'signature'>

/** The signer of heads, derived from this key of the log. It stays the same when SECRET_KEY is rotated. */
export function headSigner(key: Buffer) {
  return createSigner(key.toString('hex'), 'audit head')
}

export function signHead(key: Buffer, head: Unsigned): SignedHead {
  const signer = headSigner(key)
  const { publicKey } = signer
  return { ...head, publicKey, signature: signer.sign(signedText({ ...head, publicKey })) }
}

function signedText(head: Unsigned & { readonly publicKey: string }): string {
  const { databaseId, entryId, entryCount, hash, at, publicKey } = head
  return `tollgate-audit-head/1 database=${databaseId} entry=${entryId} count=${entryCount} hash=${hash} at=${at} key=${publicKey}`
}

export function headLine(head: SignedHead): string {
  return `${signedText(head)} signature=${head.signature}`
}

/** All heads in a text, whatever is around them: a log, a mail, pasted text. */
export function findHeads(text: string): SignedHead[] {
  return [...text.matchAll(form)].map(
    ([
      ,
      databaseId = '',
      entryId = '',
      entryCount = '',
      hash = '',
      at = '',
      publicKey = '',
      signature = '',
    ]) => ({
      databaseId,
      entryId,
      entryCount,
      hash,
      at,
      publicKey,
      signature,
    }),
  )
}

/** Whether the signature of the line is right. */
export function isSigned(head: SignedHead): boolean {
  return isSignedBy(head.publicKey, signedText(head), head.signature)
}
