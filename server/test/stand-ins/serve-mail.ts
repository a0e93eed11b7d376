// A stand-in for the operator's mail server, RFC 5321 as far as our mails need it, and its ways to fail.
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { SmtpConfig } from '../../src/platform/process/config.ts'

/** What it does instead of taking a mail. */
type MailFault = 'refuse' | 'busy' | 'hang' | 'close' | undefined

interface TakenMail {
  readonly from: string
  readonly to: string
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  /** Decoded, with plain line breaks. */
  readonly text: string
}

export type MailServer = Awaited<ReturnType<typeof serveMail>>

/** Listens until it is stopped. */
export async function serveMail() {
  const taken: TakenMail[] = []
  // Each AUTH PLAIN, decoded.
  const signIns: string[] = []
  const sockets = new Set<Socket>()
  let connectionCount = 0
  let fault: MailFault
  let step: () => Promise<void> = () => Promise.resolve()
  const server = createServer((socket) => {
    connectionCount += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    if (fault !== 'hang')
      converse(socket, {
        fault: () => fault,
        signIns,
        take: async (mail) => {
          await step()
          taken.push(mail)
        },
      })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const smtp: SmtpConfig = {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    isTls: false,
    auth: undefined,
    from: { name: 'Tollgate Billing', address: 'billing@example.com' },
  }
  return {
    smtp,
    taken,
    signIns,
    connectionCount: () => connectionCount,
    fail: (next: MailFault) => void (fault = next),
    /** Runs when a mail has been read, before it is acknowledged. */
    beforeTaking: (next: () => Promise<void>) => void (step = next),
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

interface MailFaults {
  readonly fault: () => MailFault
  readonly signIns: string[]
  readonly take: (mail: TakenMail) => Promise<void>
}

function converse(socket: Socket, faults: MailFaults): void {
  let [from, to, buffer, isReading] = ['', '', '', false]
  const say = (line: string) => socket.write(`${line}\r\n`)
  const pathOf = (line: string) => /<(.*?)>/.exec(line)?.[1] ?? ''
  function command(line: string): void {
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'EHLO') say('250-mail.example.com\r\n250 AUTH PLAIN')
    else if (verb === 'AUTH') {
      faults.signIns.push(Buffer.from(line.split(' ')[2] ?? '', 'base64').toString())
      say('235 2.7.0 Welcome')
    } else if (verb === 'MAIL') {
      from = pathOf(line)
      say(faults.fault() === 'busy' ? '451 4.3.2 Come back later' : '250 2.1.0 Fine')
    } else if (verb === 'RCPT') {
      to = pathOf(line)
      say(faults.fault() === 'refuse' ? '550 5.1.1 No such mailbox' : '250 2.1.5 Fine')
    } else if (verb === 'DATA') {
      isReading = true
      say('354 Go on')
    } else if (verb === 'QUIT') socket.end('221 2.0.0 Bye\r\n')
    else say('250 2.0.0 Fine')
  }
  function text(raw: string): void {
    isReading = false
    if (faults.fault() === 'close') socket.destroy()
    else
      faults.take({ from, to, ...parse(raw) }).then(
        () => say('250 2.0.0 Taken'),
        () => socket.destroy(),
      )
  }
  say('220 mail.example.com')
  socket.on('data', (chunk: Buffer) => {
    buffer += chunk.toString()
    for (;;) {
      const mark = isReading ? '\r\n.\r\n' : '\r\n'
      const end = buffer.indexOf(mark)
      if (end < 0) return
      const part = buffer.slice(0, end)
      buffer = buffer.slice(end + mark.length)
      if (isReading) text(part)
      else command(part)
    }
  })
}

function parse(raw: string): Pick<TakenMail, 'headers' | 'text'> {
  const border = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, border)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = new Map(
    lines.map((line) => {
      const [name = '', ...rest] = line.split(': ')
      return [name.toLowerCase(), rest.join(': ')] as const
    }),
  )
  const body = raw.slice(border + 4)
  const isQuoted = headers.get('content-transfer-encoding') === 'quoted-printable'
  const plain = isQuoted
    ? Buffer.from(
        body
          .replace(/=\r\n/g, '')
          .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
        'latin1',
      ).toString()
    : body.replace(/ \r\n/g, ' ')
  return { headers, text: plain.replace(/\r\n/g, '\n') }
}
