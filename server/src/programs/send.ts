// `npm run send`: sends one message over real SMPP and prints each step.
import { SendPace } from '@tollgate/smpp/client/send-pace.ts'
import { sendText, type TextOutcome } from '@tollgate/smpp/client/send-text.ts'
import { connect } from '@tollgate/smpp/net/client.ts'
import { statusText } from '@tollgate/smpp/values/command-status.ts'
import { complain, runCommand, say, UsageError } from '../platform/process/command.ts'

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
  say(`Connecting to ${host}:${port} as ${systemId} …`)
  const bind = await connect({ host, port, mode: 'transmitter', systemId, password })
  if (bind.kind === 'unreachable') {
    complain(`Not connected: ${bind.detail}. Does the gateway run, and is the port right?`)
    return 1
  }
  if (bind.kind === 'refused') {
    complain(`Bind refused: ${statusText(bind.status)}.`)
    return 1
  }
  say(`Bound to ${bind.peerSystemId}.`)
  const outcome = await sendText(bind.session, { from, to, text }, { pace: new SendPace() })
  printOutcome(outcome)
  await bind.session.unbind()
  say('Unbound.')
  return outcome.kind === 'sent' ? 0 : 1
}

function printOutcome(outcome: TextOutcome): void {
  if (outcome.kind === 'too-long') return complain('The text is too long: at most 255 segments fit.')
  const segments =
    outcome.kind === 'failed'
      ? outcome.segments
      : outcome.messageIds.map((messageId, at) => ({ sequence: at + 1, messageId, fault: undefined }))
  for (const { sequence, messageId, fault } of segments) {
    const label = segments.length === 1 ? 'submit_sm' : `submit_sm ${sequence} of ${segments.length}`
    if (fault === undefined) say(`${label}: accepted (0x00), message id ${messageId}.`)
    else complain(`${label}: ${fault.kind}, ${fault.detail}.`)
  }
}

await runCommand({ usage, options, run: ({ values }) => send(readOptions(values)) })
