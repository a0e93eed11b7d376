// The gateway that the peers talk to: a new one with its own embedded database, reached by its API as an admin.
import { join } from 'node:path'
import { startGateway } from '../test/environment/children.ts'
import { benchPassword as password, signInAsAdmin } from '../test/http/operator.ts'
import type { Call } from '../test/http/session.ts'
import type { PeerAccount } from './define.ts'
import { onFreePorts } from './on-free-ports.ts'
import type { SeenMessage } from './messages.ts'

interface RecordText {
  readonly text: string
  readonly whole?: { readonly text: string }
  readonly raw: { readonly octets: string; readonly dataCoding: number; readonly esmClass: number }
}

interface RecordDetail {
  readonly sent: { readonly sourceAddress: string; readonly sourceTon: number } | null
}

/** The gateway of one run of the command. */
export interface PeerGateway {
  readonly call: Call
  /** A new account that may bind, with a number; `holds` gives it the number. */
  account(options?: { readonly holds: boolean }): Promise<PeerAccount>
  /** What the records of a number hold. */
  recordsTo(digits: string): Promise<(SeenMessage & { readonly id: string })[]>
  /** The texts to a number as people read them, each long message once. */
  wholeTextsTo(digits: string): Promise<string[]>
  stop(): Promise<void>
}

/** Starts it; its data is below `folder`. */
export async function openPeerGateway(folder: string): Promise<PeerGateway> {
  const gateway = await onFreePorts(() =>
    startGateway('', join(folder, 'data'), password, { EGRESS_ALLOW: '127.0.0.0/8' }),
  )
  const call = await signInAsAdmin(gateway.url)
  let count = 0

  async function account({ holds } = { holds: false }): Promise<PeerAccount> {
    count += 1
    const person = { password, email: `peer${count}@example.com`, firstName: 'Peer', lastName: String(count) }
    const { id } = await call<{ id: number }>('POST', '/api/register', {
      ...person,
      username: `peer${count}`,
      role: 'user',
      smppAccess: true,
    })
    const secret = await call<{ systemId: string; password: string }>(
      'GET',
      `/api/users/${id}/smpp-credentials`,
    )
    const digits = String(449_098_790_100 + count)
    const item = await call<{ id: string }>('POST', '/api/number-inventory', {
      number: digits,
      countryCode: 'GB',
      operator: 'Peer',
      pricePerSms: '0.01',
    })
    if (holds) await call('PUT', `/api/number-inventory/${item.id}/assign`, { userId: id })
    return { port: gateway.port, ...secret, destination: digits }
  }

  async function idsTo(digits: string): Promise<{ readonly id: string }[]> {
    const records = await call<{ id: string; phoneNumber: string }[]>('GET', '/api/records?limit=500')
    return records.filter(({ phoneNumber }) => phoneNumber.replace('+', '') === digits)
  }

  async function wholeTextsTo(digits: string): Promise<string[]> {
    const texts = new Set<string>()
    for (const { id } of await idsTo(digits)) {
      const { text, whole } = await call<RecordText>('GET', `/api/records/${id}/text`)
      texts.add(whole?.text ?? text)
    }
    return [...texts]
  }

  async function recordsTo(digits: string) {
    const own = await idsTo(digits)
    return await Promise.all(
      own.map(async ({ id }) => {
        const { raw } = await call<RecordText>('GET', `/api/records/${id}/text`)
        const { sent } = await call<RecordDetail>('GET', `/api/records/${id}`)
        return {
          id,
          source: sent?.sourceAddress ?? '',
          sourceTon: sent?.sourceTon ?? -1,
          coding: raw.dataCoding,
          esmClass: raw.esmClass,
          hex: raw.octets,
        }
      }),
    )
  }

  return { call, account, recordsTo, wholeTextsTo, stop: () => gateway.stop('SIGTERM') }
}
