// One mail to the operator's mail server. Whatever that one does, it ends within a known time.
import { createTransport } from 'nodemailer'
import type { Config } from '../platform/process/config.ts'
import { isLoopback } from '../platform/security/network-of.ts'

export type SmtpSettings = NonNullable<Config['smtp']>

interface OutgoingMail {
  /** The same at each try, so that a receiver may know a second copy. */
  readonly messageId: string
  readonly recipient: string
  readonly subject: string
  readonly body: string
}

/** Resolves once the server has taken the mail. Throws what went wrong, see {@link isServersFault}. */
export type Send = (mail: OutgoingMail) => Promise<void>

/** `timeoutMs` is for each step: name, connection, greeting, answer; three times that for all of them. */
export function createSend({ host, port, isTls, auth, from }: SmtpSettings, timeoutMs: number): Send {
  const transport = createTransport({
    host,
    port,
    secure: isTls,
    // A relay on this machine has a certificate for no name that we could check; a password goes nowhere in clear.
    ignoreTLS: isLoopback(host),
    requireTLS: !isTls && auth !== undefined && !isLoopback(host),
    ...(auth === undefined ? {} : { auth: { user: auth.user, pass: auth.password } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    // Texts come from us alone; should that change, they still name no file and no address to read from.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return async ({ messageId, recipient, subject, body }) => {
    const sending = transport.sendMail({
      from,
      // As an object: a name is never read as a list of addresses.
      to: { name: '', address: recipient },
      subject,
      text: body,
      messageId,
      // RFC 3834 §5: no vacation answers.
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    await within(sending, timeoutMs * 3)
  }
}

/** For a server that says a word each few seconds and never comes to an end. */
async function within(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`The mail server took more than ${limitMs / 1_000} s.`)), limitMs)
  })
  try {
    await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}

/** Whether the next mail would fare alike: all but a refusal of this envelope or this text. */
export function isServersFault(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code !== 'EENVELOPE' && code !== 'EMESSAGE'
}
