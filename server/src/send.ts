// `npm run send`: sends one message over real SMPP and prints each step.
import { connect } from '@tollgate/smpp/net/client.ts'
import { splitText, type MessageSegment } from '@tollgate/smpp/text/split.ts'
import { statusText } from '@tollgate/smpp/values/command-status.ts'
import { complain, runCommand, say, UsageError } from './platform/process/command.ts'
import { ton } from '@tollgate/smpp/values/ton-npi.ts'

const usage = `Usage: npm run send -- --from 447700900318 --to 449098790142 --text "VOTE 3" --system-id <id> --password <password>
  --host 127.0.0.1   where the gateway listens
  --port 2775
The system id and password are those of a supplier: an account with SMPP access. The console shows them under Users
Management, and npm run demo makes two such accounts. They may also come from SMPP_SYSTEM_ID and SMPP_PASSWORD.`

interface SendOptions {
  readonly from: string
  readonly to: string
  readonly text: string
  readonly systemId: string
  readonly password: string
  readonly host: string
  readonly port: number
}

const options = {
  from: { type: 'string' },
  to: { type: 'string' },
  text: { type: 'string' },
  'system-id': { type: 'string' },
  password: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
} as const

const required = {
  from: '--from',
  to: '--to',
  text: '--text',
  systemId: '--system-id',
  password: '--password',
} as const

/** The options of the command line and the environment. Throws UsageError. */
function readOptions(values: Partial<Record<keyof typeof options, string>>): SendOptions {
  const { env } = process
  const { from = '', to = '', text = '', password = env['SMPP_PASSWORD'] ?? '' } = values
  const systemId = values['system-id'] ?? env['SMPP_SYSTEM_ID'] ?? ''
  const host = values.host ?? env['HOST'] ?? '127.0.0.1'
  const read = { from, to, text, systemId, password, host, port: portOf(values.port ?? env['SMPP_PORT']) }
  const missing = (Object.keys(required) as (keyof typeof required)[]).filter((key) => read[key] === '')
  if (missing.length > 0) throw new UsageError(`Missing: ${missing.map((key) => required[key]).join(', ')}.`)
  if (read.port === 0) throw new UsageError('--port must be a number from 1 to 65535.')
  return read
}

/** 0 for what is no port. */
function portOf(text = '2775'): number {
  const port = Number(text)
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0
}

/** Sends; returns the exit status: 0 when every segment was accepted. */
async function send({ from, to, text, systemId, password, host, port }: SendOptions): Promise<number> {
  const parts = splitText(text, { reference: Date.now() & 0xff })
  if (parts === undefined) {
    complain('The text is too long: at most 255 parts fit.')
    return 2
  }
  say(`Connecting to ${host}:${port} as ${systemId} …`)
  const outcome = await connect({ host, port, mode: 'transmitter', systemId, password })
  if (outcome.kind === 'unreachable') {
    complain(`Not connected: ${outcome.detail}. Does the gateway run, and is the port right?`)
    return 1
  }
  if (outcome.kind === 'refused') {
    complain(`Bind refused: ${statusText(outcome.status)}.`)
    return 1
  }
  say(`Bound to ${outcome.peerSystemId}.`)
  let takenCount = 0
  for (const [place, part] of parts.entries()) {
    const label = parts.length === 1 ? 'submit_sm' : `submit_sm ${place + 1} of ${parts.length}`
    const sent = await outcome.session.send('submit_sm', { ...addresses(from, to), ...bodyOf(part) })
    if (sent.kind !== 'answered') complain(`${label}: no answer (${sent.kind}).`)
    else if (sent.status !== 0) complain(`${label}: refused, ${statusText(sent.status)}.`)
    else {
      takenCount += 1
      say(`${label}: accepted (0x00), message id ${sent.messageId}.`)
    }
  }
  await outcome.session.unbind()
  say('Unbound.')
  return takenCount === parts.length ? 0 : 1
}

function addresses(from: string, to: string) {
  // SMPP 3.4 §5.2.5: a source address that is no number is alphanumeric.
  const isName = !/^\+?\d+$/.test(from)
  return {
    sourceAddrTon: isName ? ton.alphanumeric : ton.international,
    sourceAddrNpi: isName ? 0 : 1,
    sourceAddr: from,
    destAddrTon: ton.international,
    destAddrNpi: 1,
    destinationAddr: to,
  }
}

function bodyOf({ octets, dataCoding, esmClass }: MessageSegment) {
  return { shortMessage: Buffer.from(octets), dataCoding, esmClass }
}

await runCommand({ usage, options, run: ({ values }) => send(readOptions(values)) })
