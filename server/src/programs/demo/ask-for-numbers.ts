// Number requests of the demo's clients, in each of their states.
import type { NumberRequest } from '@tollgate/contract/numbers/requests.ts'
import { signIn, type Api } from './api.ts'

interface Wish {
  readonly username: string
  readonly country: readonly [name: string, code: string]
  readonly purpose: string
  readonly volume: string
  /** What staff decide; undefined: it waits. */
  readonly decision?:
    | { readonly action: 'approve' | 'assign' }
    | { readonly action: 'reject'; readonly rejectionReason: string }
}

const wishes: readonly Wish[] = [
  {
    username: 'client3',
    country: ['Germany', '+49'],
    purpose: 'Votes of a Saturday evening show',
    volume: '500-1000',
  },
  {
    username: 'client3',
    country: ['United Kingdom', '+44'],
    purpose: 'Quiz of a local radio station',
    volume: '50-200',
  },
  {
    username: 'client1',
    country: ['France', '+33'],
    purpose: 'Weather by SMS for sailors',
    volume: '50-200',
    decision: { action: 'assign' },
  },
  {
    username: 'client2',
    country: ['Netherlands', '+31'],
    purpose: 'Song wishes of a regional radio',
    volume: '200-500',
    decision: { action: 'approve' },
  },
  {
    username: 'client4',
    country: ['United Kingdom', '+44'],
    purpose: 'Test of many numbers',
    volume: '1000+',
    decision: {
      action: 'reject',
      rejectionReason: 'Please name the service that the numbers are for, and add a payment address.',
    },
  },
]

/** Asks in the clients' names and decides as the admin. */
export async function askForNumbers(
  base: string,
  admin: Api,
  passwords: Readonly<Record<string, string>>,
): Promise<void> {
  for (const { username, country, purpose, volume, decision } of wishes) {
    const client = await signIn(base, username, passwords[username] ?? '')
    const { id } = await client.call<NumberRequest>('POST', '/api/number-requests', {
      requestedNumber: '',
      preferredCountry: country[0],
      countryCode: country[1],
      businessPurpose: purpose,
      expectedVolume: volume,
    })
    if (decision !== undefined) await admin.call('PUT', `/api/number-requests/${id}/process`, decision)
  }
}
