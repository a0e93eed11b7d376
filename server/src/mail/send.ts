// Sends one mail through the operator's mail server, within a fixed time whatever that server does.
import { createTransport } from 'nodemailer'
import { timedOut, within } from '../platform/work/within.ts'
import type { Config } from '../platform/process/config.ts'
import { isLoopback } from '../platform/addresses/network-of.ts'

export type SmtpSettings = NonNullable<Config['smtp']>

interface OutgoingMail {
  /** The same for each attempt, so that a receiver can recognise a second copy. */
  readonly messageId: string
  readonly recipient: string
  readonly subject: string
  readonly body: string
}

/** Resolves when the server has accepted the mail. Throws what went wrong, see {@link isServerFault}. */
export type Send = (mail: OutgoingMail) => Promise<void>

/** `timeoutMs` limits each step (DNS, connection, greeting, reply); all steps together may take three times as long. */
export function createSend({ host, port, isTls, auth, from }: SmtpSettings, timeoutMs: number): Send {
  const transport = createTransport({
    host,
    port,
    secure: isTls,
    // A relay on this machine has no certificate that could be checked. To other machines no password goes unencrypted.
    ignoreTLS: isLoopback(host),
    requireTLS: !isTls && auth !== undefined && !isLoopback(host),
    ...(auth === undefined ? {} : { auth: { user: auth.user, pass: auth.password } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    // All texts are ours. If that changes, a text must still not make the library read a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return async ({ messageId, recipient, subject, body }) => {
    const sending = transport.sendMail({
      from,
      // As an object, so that the text is never parsed as a list of addresses.
      to: { name: '', address: recipient },
      subject,
      text: body,
      messageId,
      // RFC 3834 §5: this keeps away automatic replies.
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    // A server may answer each step in time and never finish.
    const limitMs = timeoutMs * 3
    if ((await within(sending, limitMs)) === timedOut)
      throw new Error(`The mail server took more than ${limitMs / 1_000} s.`)
  }
}

/** Whether the next mail would fail too: true unless the server refused this recipient or this text. */
export function isServerFault(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code !== 'EENVELOPE' && code !== 'EMESSAGE'
}
