// `npm run conformance`: checks any SMSC against the rows of docs/smpp-conformance.md, from outside.
import { isIP } from 'node:net'
import {
  type ConformanceTarget,
  type RowResult,
  runConformance,
} from '@tollgate/smpp/conformance/run-rows.ts'
import { runCommand, say, UsageError } from '../platform/process/command.ts'

const usage = `Usage: npm run conformance -- HOST:PORT --system-id <id> --password <password> --to 449098790142
  --from 447700900318   the sender of the test messages
  --to DIGITS           a number that the SMSC accepts messages to
  --tls                 over TLS; --tls-name NAME when the certificate has another name than HOST, --tls-insecure to
                        accept any certificate
  --rows 1,5,37         only these rows
  --slow                also the rows that take longer than half a minute
  --json                the results as JSON
It sends some hundred test messages, and wrong ones on purpose, over one connection after the other. Row 21 and 22 bind
with a wrong password: an SMSC may note that. The account needs two binds. The exit status is 0 when no row failed. The
system id and password may also come from SMPP_SYSTEM_ID and SMPP_PASSWORD.`

const options = {
  'system-id': { type: 'string' },
  password: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  tls: { type: 'boolean' },
  'tls-name': { type: 'string' },
  'tls-insecure': { type: 'boolean' },
  rows: { type: 'string' },
  slow: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

type Values = {
  [Name in keyof typeof options]?: (typeof options)[Name]['type'] extends 'string' ? string : boolean
}

/** Throws UsageError. */
function targetOf(place: string | undefined, values: Values): ConformanceTarget {
  const { host, port } = placeOf(place)
  const { systemId, password } = credentialsOf(values)
  const { to = '', from = '447700900318' } = values
  if (!/^\d{1,20}$/.test(to))
    throw new UsageError('Missing: --to, the digits of a number that takes messages.')
  return { host, port, systemId, password, from, to, tls: tlsOf(host, values) }
}

function placeOf(text = ''): { readonly host: string; readonly port: number } {
  const [, host = '', port = ''] = /^\[?(.+?)\]?:(\d{1,5})$/.exec(text) ?? []
  if (host === '' || Number(port) === 0 || Number(port) > 65_535)
    throw new UsageError('Say where: HOST:PORT.')
  return { host, port: Number(port) }
}

function credentialsOf(values: Values): { readonly systemId: string; readonly password: string } {
  const { env } = process
  const systemId = values['system-id'] ?? env['SMPP_SYSTEM_ID'] ?? ''
  const password = values.password ?? env['SMPP_PASSWORD'] ?? ''
  if (systemId === '' || password === '') throw new UsageError('Missing: --system-id or --password.')
  return { systemId, password }
}

function tlsOf(host: string, values: Values): ConformanceTarget['tls'] {
  if (values.tls !== true) return undefined
  // An address is no server name (RFC 6066 §3): the certificate is compared with it, but it is not sent.
  const name = values['tls-name'] ?? (isIP(host) === 0 ? host : undefined)
  // A host under test may have a certificate of its own; it is accepted only when asked for.
  return {
    ...(name === undefined ? {} : { servername: name }),
    rejectUnauthorized: values['tls-insecure'] !== true,
  }
}

function rowsOf(text: string | undefined): number[] | undefined {
  if (text === undefined) return undefined
  const numbers = text.split(',').map(Number)
  if (!numbers.every((number) => Number.isInteger(number) && number >= 1 && number <= 68))
    throw new UsageError('--rows takes numbers from 1 to 68, with commas between them.')
  return numbers
}

const line = ({ number, result, title, detail, expected }: RowResult) =>
  `${String(number).padStart(2)}  ${result.padEnd(14)}  ${title}${
    result === 'passed' ? '' : `: ${detail}${result === 'failed' ? ` (expected: ${expected})` : ''}`
  }`

async function check(positionals: readonly string[], values: Values): Promise<number> {
  const target = targetOf(positionals[0], values)
  const only = rowsOf(values.rows)
  const isJson = values.json === true
  const results = await runConformance(target, {
    isPatient: values.slow === true,
    ...(only === undefined ? {} : { only }),
    ...(isJson ? {} : { onResult: (result) => say(line(result)) }),
  })
  const count = (result: RowResult['result']) => results.filter((each) => each.result === result).length
  const [passed, failed, other] = [count('passed'), count('failed'), count('not applicable')]
  if (isJson)
    say(
      JSON.stringify(
        { host: target.host, port: target.port, passed, failed, notApplicable: other, rows: results },
        null,
        2,
      ),
    )
  else say(`${passed} passed, ${failed} failed, ${other} not applicable.`)
  return failed === 0 && passed > 0 ? 0 : 1
}

await runCommand({ usage, options, run: ({ values, positionals }) => check(positionals, values) })
